#include "alembert/study/check.h"

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "alembert/run/contact_mode.h"
#include "alembert/start/initial.h"
#include "alembert/study/verify.h"

namespace alembert::internal {
namespace {

/// How the nonholonomic constraints contain the velocities (or what stands for them).
std::string nonholonomic_class(const Equations& e) {
  if (e.k.empty()) return "";
  if (depends(jacobian(e.k, e.z).value, e.z)) return "nonlinear";
  const Exprs zeros(e.z.size(), e.graph->constant(0));
  for (const Expr rest : substitute(e.k, e.z, zeros, *e.graph)) {
    if (!is_zero(rest)) return "affine";
  }
  return "linear";
}

/// Hamiltonian form: whether the second derivative of H by the momenta is constant.
bool constant_inverse_mass(const Equations& e) {
  const SparseExprs inverse = jacobian(e.v, e.z);
  return !depends(inverse.value, e.y) && !depends(inverse.value, e.z) && !depends(inverse.value, Exprs{e.t});
}

bool has_moving_constraints(const Equations& e) {
  const Exprs time{e.t};
  return depends(e.g, time) || depends(e.k, time);
}

std::vector<std::string> values_not_given(const Model& model, const Equations& e) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < e.y_names.size() && i < model.q_given.size(); ++i) {
    const std::size_t own = e.y.size() - e.auxiliary.size();
    const bool follows = i >= own && e.auxiliary[i - own].value;  // there is nothing to give
    if (!model.q_given[i] && !follows) names.push_back(e.y_names[i]);
  }
  for (std::size_t i = 0; i < e.z_names.size() && i < model.z_given.size(); ++i) {
    if (!model.z_given[i]) names.push_back(e.z_names[i]);
  }
  return names;
}

/// The method of solve; nothing where there is none or it does not fit, which is said at the end.
std::optional<Method> usable_method(const Model& model, const Equations& e) {
  if (!model.solve.method) return {};
  try {
    Method method = find_method(*model.solve.method);
    if (refusal(method, e).empty()) return method;
  } catch (const InputError&) {}
  return {};
}

std::vector<std::pair<std::string, double>> multipliers(const Model& model, const Equations& e,
                                                        const InitialValues& at) {
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < e.g_constraint.size() && i < at.lambda.size(); ++i)
    values.emplace_back(model.constraints[e.g_constraint[i]].name, at.lambda[i]);
  for (std::size_t i = 0; i < e.psi_constraint.size() && i < at.psi.size(); ++i)
    values.emplace_back(model.constraints[e.psi_constraint[i]].name, at.psi[i]);
  return values;
}

void look_at_form(Examination& found, const Model& model, const Equations& e) {
  const Exprs time{e.t};
  found.model = model.title;
  found.origin = model.origin;
  found.form = model.multibody ? "multibody" : form_name(model.form);
  found.coordinates = static_cast<int>(e.y.size() - e.auxiliary.size()) - e.first_order;
  found.holonomic = static_cast<int>(e.g.size());
  found.nonholonomic = static_cast<int>(e.k.size());
  found.has_energy = static_cast<bool>(e.energy);
  const bool time_in_energy = found.has_energy && depends(e.energy, time);
  found.rheonomic = has_moving_constraints(e) || time_in_energy;
  found.constant_mass = e.form == Form::hamiltonian ? constant_inverse_mass(e) : e.constant_mass;
  found.ideal = e.ideal;
  found.nonholonomic_class = nonholonomic_class(e);
  found.energy_changes = energy_changes(model, e);
  found.index = found.holonomic > 0 ? 3 : found.nonholonomic > 0 ? 2 : 0;
  if (!model.port) return;
  ExaminedPorts& ports = found.ports.emplace();
  ports.states = model.port->size();
  ports.algebraic = static_cast<int>(model.port->algebraic.size());
  ports.inputs = static_cast<int>(e.port->inputs.size());
  ports.made_of_components = !model.port->parts.empty();
  for (const PortSystem::Part& part : model.port->parts)
    if (!part.name.empty()) ports.components.push_back(part.name);
  ports.equations = model.port->connection.equations;
  ports.multipliers = model.port->connection.multipliers;
  ports.conserves_power = !model.port->connection.lossy;
  if (found.index == 0 && !e.port->algebraic.empty()) found.index = 1;
}

void look_at_start(Examination& found, const Model& model, const Equations& e, const InitialValues& initial) {
  if (initial.index) found.index = *initial.index;
  for (const std::string& name : e.g_names) found.hidden.push_back("d/dt " + name + " = 0, d^2/dt^2 " + name + " = 0");
  for (const std::string& name : e.k_names)
    found.hidden.push_back(std::string("d/dt ") + (e.port ? "of the row of " : "") + name + " = 0");
  for (const std::string& name : initial.hidden) found.hidden.push_back(name + " has no mass: algebraic");
  found.rank = found.holonomic + found.nonholonomic - static_cast<int>(initial.redundant.size());
  // Velocities move, and a quaternion has three of them.
  const int moving = model.multibody && !e.z.empty() ? static_cast<int>(e.z.size()) : found.coordinates;
  found.degrees_of_freedom = moving - found.rank;
  if (found.ports) found.degrees_of_freedom += found.ports->states - found.ports->algebraic;
  for (const auto& [name, from, to] : initial.changes) found.changes.push_back({name, from, to});
  found.position = initial.position_residual;
  found.velocity = initial.velocity_residual;
  found.nonholonomic_residual = initial.nonholonomic_residual;
  found.redundant = initial.redundant;
  found.multipliers = multipliers(model, e, initial);
  found.not_given = values_not_given(model, e);
  if (model.contacts.empty()) return;
  const std::vector<double> gaps = gaps_at(model, e, 0, joined<double>(initial.y, initial.z));
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    ExaminedContact& contact = found.contacts.emplace_back();
    contact.name = model.contacts[i].name;
    if (model.contacts[i].restitution) contact.gap = gaps[i];
  }
}

void look_for_methods(Examination& found, const Model& model, const Equations& e, const InitialValues& initial) {
  for (const MethodFamily& family : all_families()) {
    const Method method = family.make(family.example);
    std::string why = refusal(method, e);
    if (why.empty() && !model.contacts.empty()) {
      why = contact_refusal(model, method);
      if (!why.empty()) why = "contacts, " + why;
    }
    if (why.empty()) found.methods.push_back(family.signature);
    else found.refusing.emplace_back(family.signature, why);
  }
  const std::optional<Method> method = usable_method(model, e);
  if (!method || !method->momenta) return;
  const Momenta momenta = momenta_of(*method, e, initial);
  ExaminedMethod& preserved = found.preserved.emplace();
  preserved.method = method->name;
  preserved.energy = method->claims.energy && found.energy_changes.empty();
  for (const Momenta::Preserved& one : momenta.preserved) preserved.momenta.push_back(one.name);
  preserved.lost = momenta.lost;
  preserved.through = momenta.through;
}

void warn(Examination& found, const Model& model, const Equations& e) {
  if (!found.redundant.empty())
    found.warnings.emplace_back("redundant constraints: their multipliers are not determined one by one");
  if (found.degrees_of_freedom <= 0)
    found.warnings.emplace_back(has_moving_constraints(e)
                                    ? "no degree of freedom is left: the moving constraints alone decide the motion"
                                    : "no degree of freedom is left: nothing can move");
  if (!model.solve.step || !model.solve.end)
    found.warnings.emplace_back("solve gives no step or no end: a run needs `step` and `end`");
}

}  // namespace

Examination examine(const Model& model, const Equations& equations) {
  const InitialValues initial = make_consistent(model, equations);
  Examination found;
  look_at_form(found, model, equations);
  look_at_start(found, model, equations, initial);
  look_for_methods(found, model, equations, initial);
  warn(found, model, equations);
  return found;
}

}  // namespace alembert::internal
