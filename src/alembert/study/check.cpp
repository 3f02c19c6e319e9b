#include "alembert/study/check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "alembert/output/report_words.h"
#include "alembert/run/contact_mode.h"
#include "alembert/start/initial.h"
#include "alembert/study/verify.h"

namespace alembert::internal {
namespace {

using Json = nlohmann::ordered_json;

/// Everything that check tells, gathered before any of it is printed.
struct ModelFacts {
  std::string form;
  int coordinates = 0, holonomic = 0, nonholonomic = 0, rank = 0;
  int states = 0, algebraic = 0, inputs = 0;  // port-Hamiltonian form; E has the rank states - algebraic
  int velocities = 0;                         // multibody form: they move, and a quaternion has three of them
  int freedom() const { return (velocities > 0 ? velocities : coordinates) + states - algebraic - rank; }
  bool rheonomic_constraints = false, time_in_energy = false, constant_mass = false, ideal = true;
  std::string nonholonomic_class;     // "linear", "affine", "nonlinear" in the velocities; empty where there are none
  std::vector<std::string> changing;  // why the energy is not constant; empty where it is
  bool has_energy = false;
  int index = 0;
  std::vector<std::string> hidden;  // equations that follow and that nobody wrote
  InitialValues initial;
  std::vector<std::string> not_given;                         // initial values that are 0 because nobody said anything
  std::vector<std::pair<std::string, std::string>> refusing;  // method, why
  std::vector<std::string> applying;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, double>> gaps;  // of contacts, at the start
  std::vector<std::string> loaded;                   // contacts of friction alone, always closed
  std::string method;                                // of solve, where it promises momenta
  bool keeps_energy = false;
  Momenta momenta;
};

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

ModelFacts gather(const Model& model, const Equations& e) {
  const Exprs time{e.t};
  ModelFacts found;
  found.form = model.multibody ? "multibody" : form_name(model.form);
  found.coordinates = static_cast<int>(e.y.size() - e.auxiliary.size()) - e.first_order;
  found.holonomic = static_cast<int>(e.g.size());
  found.nonholonomic = static_cast<int>(e.k.size());
  found.rheonomic_constraints = depends(e.g, time) || depends(e.k, time);
  found.has_energy = static_cast<bool>(e.energy);
  found.time_in_energy = found.has_energy && depends(e.energy, time);
  if (model.multibody) found.velocities = static_cast<int>(e.z.size());
  found.constant_mass = e.form == Form::hamiltonian ? constant_inverse_mass(e) : e.constant_mass;
  found.ideal = e.ideal;
  found.nonholonomic_class = nonholonomic_class(e);
  found.changing = energy_changes(model, e);
  found.index = found.holonomic > 0 ? 3 : found.nonholonomic > 0 ? 2 : 0;
  if (model.port) {
    found.states = model.port->size();
    found.algebraic = static_cast<int>(model.port->algebraic.size());
    found.inputs = static_cast<int>(e.port->inputs.size());
    if (found.index == 0 && !e.port->algebraic.empty()) found.index = 1;
  }
  found.initial = make_consistent(model, e);
  if (found.initial.index) found.index = *found.initial.index;
  for (const std::string& name : e.g_names) found.hidden.push_back("d/dt " + name + " = 0, d^2/dt^2 " + name + " = 0");
  for (const std::string& name : e.k_names)
    found.hidden.push_back(std::string("d/dt ") + (e.port ? "of the row of " : "") + name + " = 0");
  for (const std::string& name : found.initial.hidden) found.hidden.push_back(name + " has no mass: algebraic");
  found.rank = found.holonomic + found.nonholonomic - static_cast<int>(found.initial.redundant.size());
  found.not_given = values_not_given(model, e);
  if (!model.contacts.empty()) {
    const std::vector<double> gaps = gaps_at(model, e, 0, joined<double>(found.initial.y, found.initial.z));
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (model.contacts[i].restitution) found.gaps.emplace_back(model.contacts[i].name, gaps[i]);
      else found.loaded.push_back(model.contacts[i].name);
    }
  }
  for (const MethodFamily& family : all_families()) {
    const Method method = family.make(family.example);
    std::string why = refusal(method, e);
    if (why.empty() && !model.contacts.empty()) {
      why = contact_refusal(model, method);
      if (!why.empty()) why = "contacts, " + why;
    }
    if (why.empty()) {
      found.applying.push_back(family.signature);
    } else {
      found.refusing.emplace_back(family.signature, why);
    }
  }

  if (const std::optional<Method> method = usable_method(model, e); method && method->momenta) {
    found.method = method->name;
    found.keeps_energy = method->claims.energy && found.changing.empty();
    found.momenta = momenta_of(*method, e, found.initial);
  }
  if (!found.initial.redundant.empty()) {
    found.warnings.push_back("redundant constraints: their multipliers are not determined one by one");
  }
  if (found.freedom() <= 0)
    found.warnings.push_back(found.rheonomic_constraints
                                 ? "no degree of freedom is left: the moving constraints alone decide the motion"
                                 : "no degree of freedom is left: nothing can move");
  if (!model.solve.step || !model.solve.end) {
    found.warnings.push_back("solve gives no step or no end: a run needs `step` and `end`");
  }
  return found;
}

std::vector<std::pair<std::string, double>> multipliers(const Model& model, const Equations& e,
                                                        const InitialValues& at) {
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < e.g_constraint.size() && i < at.lambda.size(); ++i) {
    values.emplace_back(model.constraints[e.g_constraint[i]].name, at.lambda[i]);
  }
  for (std::size_t i = 0; i < e.psi_constraint.size() && i < at.psi.size(); ++i) {
    values.emplace_back(model.constraints[e.psi_constraint[i]].name, at.psi[i]);
  }
  return values;
}

Json written(const Model& model, const Equations& e, const ModelFacts& found) {
  Json json;
  json["model"] = model.title;
  json["form"] = found.form;
  if (const PortSystem* port = model.port.get(); port && !port->parts.empty()) {
    json["components"] = Json::array();
    for (const PortSystem::Part& part : port->parts)
      if (!part.name.empty()) json["components"].push_back(part.name);
    json["connection"] = {{"equations", port->connection.equations},
                          {"multipliers", port->connection.multipliers},
                          {"conserves_power", !port->connection.lossy}};
  }
  json["coordinates"] = found.coordinates;
  if (model.port)
    json["port_hamiltonian"] = {{"states", found.states},
                                {"algebraic", found.algebraic},
                                {"rank_of_E", found.states - found.algebraic},
                                {"inputs", found.inputs}};
  json["holonomic"] = found.holonomic;
  json["nonholonomic"] = found.nonholonomic;
  json["rank"] = found.rank;
  json["degrees_of_freedom"] = found.freedom();
  json["index"] = found.index;
  json["hidden"] = found.hidden;
  json["class"] = {{"rheonomic", found.rheonomic_constraints || found.time_in_energy},
                   {"constant_mass", found.constant_mass},
                   {"ideal", found.ideal},
                   {"nonholonomic", found.nonholonomic_class.empty() ? Json() : Json(found.nonholonomic_class)},
                   {"conservative", found.has_energy ? Json(found.changing.empty()) : Json()}};
  Json changes = Json::array();
  for (const auto& c : found.initial.changes) changes.push_back({{"name", c.name}, {"from", c.from}, {"to", c.to}});
  json["initial"] = {{"consistent", found.initial.changes.empty()},
                     {"residual",
                      {{"position", found.initial.position_residual},
                       {"velocity", found.initial.velocity_residual},
                       {"nonholonomic", found.initial.nonholonomic_residual}}},
                     {"changes", changes},
                     {"not_given", found.not_given}};
  json["redundant"] = found.initial.redundant;
  for (const auto& [name, gap] : found.gaps) json["contacts"][name] = {{"gap", gap}};
  Json& multiplier = json["multipliers"] = Json::object();
  for (const auto& [name, value] : multipliers(model, e, found.initial)) multiplier[name] = value;
  if (!found.method.empty()) {
    Json& keeps = json["keeps"] = {{"method", found.method}, {"energy", found.keeps_energy}};
    keeps["momenta"] = Json::array();
    for (const Momenta::Preserved& one : found.momenta.preserved) keeps["momenta"].push_back(one.name);
    keeps["lost"] = found.momenta.lost;
    keeps["through"] = found.momenta.through;
  }
  json["methods"] = found.applying;
  Json& refusing = json["refusing"] = Json::object();
  for (const auto& [name, why] : found.refusing) refusing[name] = why;
  json["warnings"] = found.warnings;
  return json;
}

/// At most `most` of the parts, and how many were left out.
std::string listed(const std::vector<std::string>& parts, std::size_t most = 8) {
  const std::size_t shown = std::min(parts.size(), most);
  std::string text = fmt::format("{}", fmt::join(parts.begin(), parts.begin() + shown, ", "));
  return parts.size() > shown ? text + fmt::format(" and {} more", parts.size() - shown) : text;
}

void line(std::string& page, const char* topic, const std::string& said) {
  page += fmt::format("  {:<12}{}\n", topic, said);
}

std::string counted(int n, const std::string& noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

void tell_components(std::string& page, const PortSystem& port) {
  if (!port.parts.empty()) {
    std::vector<std::string> names;
    for (const PortSystem::Part& part : port.parts)
      if (!part.name.empty()) names.push_back(part.name);
    line(page, "components", listed(names));
  }
  const Connection& c = port.connection;
  if (c.equations == 0) return;
  const int kept = static_cast<int>(c.multipliers.size());
  line(page, "connection",
       fmt::format("{}; {}; {}", counted(c.equations, "equation"),
                   c.lossy ? "may take power (lossy)" : "conserves power: M N^T + N M^T = 0",
                   kept == 0 ? "all inputs eliminated" : counted(kept, "multiplier") + ": " + listed(c.multipliers)));
}

std::string sizes(const ModelFacts& found, bool port) {
  const std::string freedom =
      found.freedom() == 1 ? "1 degree of freedom" : fmt::format("{} degrees of freedom", found.freedom());
  if (port) {
    return fmt::format("{}, {}, {} (E has rank {}), {}", counted(found.states, "state"), counted(found.inputs, "input"),
                       counted(found.algebraic, "algebraic state"), found.states - found.algebraic, freedom);
  }
  return fmt::format("{}, {}, {}, {}", counted(found.coordinates, "coordinate"),
                     counted(found.holonomic, "holonomic constraint"),
                     counted(found.nonholonomic, "nonholonomic constraint"), freedom);
}

std::string kinds(const ModelFacts& found, bool port) {
  std::vector<std::string> all = {found.rheonomic_constraints || found.time_in_energy ? "rheonomic" : "scleronomic"};
  if (port) {
    all.emplace_back(found.constant_mass ? "constant E" : "E depends on time or state");
    return fmt::format("{}", fmt::join(all, ", "));
  }
  all.emplace_back(found.constant_mass ? "constant mass matrix" : "mass matrix depends on the state");
  if (found.holonomic + found.nonholonomic > 0)
    all.emplace_back(found.ideal ? "ideal constraint forces" : "non-ideal constraint forces");
  if (!found.nonholonomic_class.empty()) all.push_back(found.nonholonomic_class + " nonholonomic constraints");
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string residuals(const ModelFacts& found, bool port) {
  const InitialValues& at = found.initial;
  std::vector<std::string> parts;
  if (found.holonomic) parts.push_back(fmt::format("position {:.2g}", at.position_residual));
  if (found.holonomic) parts.push_back(fmt::format("velocity {:.2g}", at.velocity_residual));
  if (found.nonholonomic || port)
    parts.push_back(fmt::format("{} {:.2g}", port ? "hidden constraints" : "nonholonomic", at.nonholonomic_residual));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The constraints and the values at the start, which they determine.
void tell_initial(std::string& page, const Model& model, const Equations& e, const ModelFacts& found) {
  const InitialValues& at = found.initial;
  const int constraints = found.holonomic + found.nonholonomic;
  const bool port = static_cast<bool>(model.port);
  if (constraints > 0) line(page, "rank", fmt::format("{} of {} constraints are independent", found.rank, constraints));
  for (const std::string& text : at.redundant) line(page, "redundant", text);
  line(page, "initial",
       fmt::format("{}; residuals as given: {}", at.changes.empty() ? "consistent" : "not consistent",
                   residuals(found, port)));
  std::vector<std::string> moved;
  for (const auto& c : at.changes) moved.push_back(moved_text(c.name, c.from, c.to));
  if (!moved.empty()) line(page, "moved", listed(moved));
  std::vector<std::string> values;
  for (const auto& [name, value] : multipliers(model, e, at)) values.push_back(fmt::format("{} = {:.6g}", name, value));
  line(page, port ? "algebraic" : "multipliers", listed(values));
}

/// What the model's method promises to keep.
void tell_kept(std::string& page, const ModelFacts& found) {
  std::vector<std::string> kept;
  if (found.keeps_energy) kept.emplace_back("energy");
  for (const Momenta::Preserved& one : found.momenta.preserved) kept.push_back(one.name);
  line(page, "preserves", found.method + ": " + (kept.empty() ? "no momentum" : listed(kept, 20)));
  if (!found.momenta.preserved.empty()) {
    std::string why = "energy, forces and constraints do not change under these motions";
    if (!found.momenta.through.empty())
      why += ", and what is not quadratic is made of " + listed(found.momenta.through);
    line(page, "because", why);
  }
  if (!found.momenta.lost.empty()) line(page, "but not", listed(found.momenta.lost));
}

std::string told(const Model& model, const Equations& e, const ModelFacts& found) {
  std::string page;
  const bool port = static_cast<bool>(model.port);
  page += fmt::format("{}\n", model.title.empty() ? "Model without a name" : model.title);
  if (!model.origin.empty()) line(page, "source", model.origin);
  line(page, "form", found.form);
  if (port) tell_components(page, *model.port);
  line(page, "sizes", sizes(found, port));
  line(page, "class", kinds(found, port));
  if (!found.has_energy) {
    line(page, "energy", "none in this model");
  } else {
    line(page, "energy", found.changing.empty() ? "constant" : "changes by " + listed(found.changing));
  }
  line(page, "index",
       found.index == 0 ? "ordinary differential equations"
                        : fmt::format("differential-algebraic equations of index {}", found.index));
  if (!found.hidden.empty()) line(page, "hidden", listed(found.hidden));
  if (found.holonomic + found.nonholonomic > 0 || !e.psi.empty()) tell_initial(page, model, e, found);
  std::vector<std::string> gaps;
  for (const auto& [name, gap] : found.gaps) gaps.push_back(fmt::format("{} with gap {:.6g}", name, gap));
  for (const std::string& name : found.loaded) gaps.push_back(name + ", always closed");
  if (!gaps.empty()) line(page, "contacts", listed(gaps));
  if (!found.not_given.empty()) line(page, "defaulted", "to 0: " + listed(found.not_given));
  if (!found.method.empty()) tell_kept(page, found);
  line(page, "methods", found.applying.empty() ? "none takes this model" : listed(found.applying, 100));
  // In the port-Hamiltonian form most have one reason.
  const std::string usual = model.port ? port_refusal() : "";
  std::vector<std::string> same;
  for (const auto& [name, why] : found.refusing)
    if (why == usual) same.push_back(name);
    else line(page, "not", name + ": " + why);
  if (!same.empty()) line(page, "not", listed(same, 100) + ": " + usual);
  for (const std::string& warning : found.warnings) line(page, "warning", warning);
  return page;
}

}  // namespace

Findings examine(const Model& model, const Equations& equations) {
  const ModelFacts found = gather(model, equations);
  Findings findings;
  findings.text = told(model, equations, found);
  findings.json = written(model, equations, found).dump(-1, ' ', false, Json::error_handler_t::replace);
  return findings;
}

}  // namespace alembert::internal
