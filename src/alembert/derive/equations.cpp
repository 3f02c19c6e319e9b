#include "alembert/derive/equations.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/derive/auxiliary.h"
#include "alembert/derive/carrier.h"
#include "alembert/derive/identity.h"
#include "alembert/derive/ports/port.h"
#include "alembert/derive/split.h"
#include "alembert/model/ports/port.h"
#include "alembert/model/refuse.h"

namespace alembert::internal {

namespace {

Exprs negated(Exprs list) {
  for (Expr& e : list) e = -e;
  return list;
}

Exprs added(Exprs a, const Exprs& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] + b[i];
  return a;
}

/// The derivative along the motion of functions of (t, y), without what first-order states do by themselves.
Exprs mechanical_motion(const Equations& e, const Exprs& functions) {
  return directional(functions, joined<Expr>(e.t, e.y), joined<Expr>(e.graph->constant(1), mechanical_rates(e)));
}

/// Reactions of the user are part of `force`; sends each part to f, r or N.
void add_force(const Model& model, Equations& e, const Exprs& force) {
  int mixed = -1;
  ForceParts parts = split_force(force, e.lambda, e.psi, *e.graph, mixed);
  if (mixed >= 0)
    refuse(model, {},
           "the force on '" + (model.multibody ? e.z_names : e.y_names)[mixed] +
               "' multiplies multipliers of holonomic and nonholonomic constraints",
           "write it as a sum of terms with one kind of multiplier each");
  for (std::size_t i = 0; i < force.size(); ++i)
    if (!is_zero(parts.holonomic[i]) || !is_zero(parts.nonholonomic[i])) e.ideal = false;
  e.applied = added(std::move(e.applied), force);
  e.f = added(std::move(e.f), parts.free);
  e.r = added(std::move(e.r), parts.holonomic);
  e.N = added(std::move(e.N), parts.nonholonomic);
}

void derive_lagrangian(const Model& model, Equations& e, const Carrier& carry) {
  const Expr L = carry(model.lagrangian);
  e.p = gradient(L, e.z);
  e.f = gradient(L, e.y);
  e.r = negated(transposed_product(e.g, e.y, e.lambda));
  if (!e.auxiliary.empty()) {
    // The auxiliary variables are functions of the others: Z^T with Z = v_z sums what acts through them.
    e.f = transposed_product(mechanical_rates(e), e.z, e.f);
    e.r = negated(transposed_product(mechanical_motion(e, e.g), e.z, e.lambda));
  }
  // No force acts on first-order states.
  e.f.resize(e.z.size());
  e.r.resize(e.z.size());
  e.L = L;
  e.applied.assign(e.z.size(), e.graph->constant(0));
  if (model.rayleigh) e.applied = negated(gradient(carry(model.rayleigh), e.z));
  e.f = added(std::move(e.f), e.applied);
  e.N = negated(transposed_product(e.k, e.z, e.psi));
  add_force(model, e, carry(model.force));

  // E = L_v v - L. For T quadratic in v this is T + V: the same, without the cancellation.
  const Expr T = carry(model.kinetic), V = carry(model.potential);
  if (T && homogeneous_degree(T, e.z) == 2.0 && (!V || homogeneous_degree(V, e.z) == 0.0)) {
    e.energy = V ? T + V : T;
  } else {
    Exprs terms;
    for (std::size_t i = 0; i < e.z.size(); ++i) terms.push_back(e.p[i] * e.z[i]);
    e.energy = sum(*e.graph, terms) - L;
  }
}

void derive_hamiltonian(const Model& model, Equations& e, const Carrier& carry) {
  const Expr H = carry(model.hamiltonian);
  e.energy = H;
  e.applied.assign(e.z.size(), e.graph->constant(0));
  e.v = gradient(H, e.z);
  e.p = e.z;
  e.f = negated(gradient(H, e.y));
  e.r = negated(transposed_product(e.g, e.y, e.lambda));
  e.f.resize(e.z.size());
  e.r.resize(e.z.size());
  e.N = negated(transposed_product(e.k, e.z, e.psi));
  if (!e.k.empty()) {
    // Virtual displacements are restricted by dk/dv = k_p p_v = k_p (H_pp)^{-1}; we invert H_pp only where it is
    // diagonal.
    const SparseExprs H_pp = jacobian(e.v, e.z);
    for (int i = 0; i < H_pp.rows; ++i) {
      const int first = H_pp.row_start[i], last = H_pp.row_start[i + 1];
      if (last - first != 1 || H_pp.column[first] != i)
        refuse(
            model, model.constraints[e.k_constraint[0]].place,
            "the nonholonomic constraint '" + e.k_names[0] + "' needs the inverse of H_pp, which is not diagonal here",
            "write this model in the Lagrangian form (kinetic, potential, constraint with velocities)");
      e.N[i] = e.N[i] / H_pp.value[first];
    }
  }
  add_force(model, e, carry(model.force));
  append(e.v, carry(model.first_order));
}

void derive_general(const Model& model, Equations& e, const Carrier& carry) {
  e.v = carry(model.coordinate_rate);
  e.p = carry(model.quantity);
  e.f = carry(model.quantity_rate);
  const Exprs reaction = carry(model.reaction);
  int mixed = -1;
  ForceParts parts = split_force(reaction, e.lambda, e.psi, *e.graph, mixed);
  if (mixed >= 0)
    refuse(model, {},
           "the reaction in the rate for '" + e.z_names[mixed] +
               "' multiplies multipliers of holonomic and nonholonomic constraints",
           "write it as a sum of terms with one kind of multiplier each");
  // What the user marked as reaction stays one, also where it holds no multiplier.
  e.r.assign(reaction.size(), e.graph->constant(0));
  e.N = e.r;
  for (std::size_t i = 0; i < reaction.size(); ++i) {
    if (e.psi.empty()) {
      e.r[i] = reaction[i];
    } else if (e.lambda.empty()) {
      e.N[i] = reaction[i];
    } else {
      e.r[i] = parts.free[i] + parts.holonomic[i];
      e.N[i] = parts.nonholonomic[i];
    }
  }
  e.ideal = e.y.size() == e.z.size() && equal_functions(e.r, negated(transposed_product(e.g, e.y, e.lambda))) &&
            equal_functions(e.N, negated(transposed_product(e.k, e.z, e.psi)));
}

/// q' = Z v, M v' = f - Z^T G^T lambda with p = M v: d/dt p has the inertia of a changing M beside f.
void derive_multibody(const Model& model, Equations& e, const Carrier& carry) {
  e.p = carry(model.quantity);
  e.g_dot = mechanical_motion(e, e.g);
  e.f = along_motion(e, e.p, {});
  Exprs terms;
  for (std::size_t i = 0; i < e.z.size(); ++i) terms.push_back(e.z[i] * e.p[i] / Quad(2));
  e.energy = sum(*e.graph, terms);
  if (model.potential) {
    const Expr U = carry(model.potential);
    e.f = added(std::move(e.f), negated(transposed_product(mechanical_rates(e), e.z, gradient(U, e.y))));
    e.energy = e.energy + U;
  }
  if (model.rayleigh) e.f = added(std::move(e.f), negated(gradient(carry(model.rayleigh), e.z)));
  e.r = negated(transposed_product(e.g_dot, e.z, e.lambda));
  e.N = negated(transposed_product(e.k, e.z, e.psi));
  add_force(model, e, carry(model.force));
}

/// The reactions of joints, in the world and along their axes.
std::vector<JointReaction> joint_reactions(const std::vector<Joint>& joints, const Carrier& carry) {
  Exprs all;
  for (const Joint& joint : joints)
    for (const Exprs* list : {&joint.force, &joint.moment, &joint.frame}) append(all, *list);
  all = carry(all);  // at once: each call costs time in proportion to the symbols of the model
  auto next = all.begin();
  const auto take = [&](std::size_t count) {
    next += static_cast<std::ptrdiff_t>(count);
    return Exprs(next - static_cast<std::ptrdiff_t>(count), next);
  };
  std::vector<JointReaction> result;
  for (const Joint& joint : joints) {
    JointReaction reaction{joint.name, joint.kind, joint.body, joint.other, {}, {}, {}, {}};
    reaction.force = take(joint.force.size());
    reaction.moment = take(joint.moment.size());
    const Exprs frame = take(joint.frame.size());
    const int n = static_cast<int>(reaction.force.size());
    const auto along = [&](const Exprs& vector) {
      Exprs parts;
      for (int a = 0; a < n; ++a)
        parts.push_back(dot(Exprs(frame.begin() + a * n, frame.begin() + (a + 1) * n), vector));
      return parts;
    };
    reaction.force_in_joint = along(reaction.force);
    reaction.moment_in_joint = n == 2 ? reaction.moment : along(reaction.moment);
    result.push_back(std::move(reaction));
  }
  return result;
}

ContactFunctions contact_functions(const Contact& contact, const Carrier& carry) {
  ContactFunctions result{carry(contact.gap), contact.restitution ? carry(contact.restitution) : Expr(), {}};
  for (const Friction& friction : contact.friction)
    result.friction.push_back({carry(friction.coefficient), carry(friction.at_rest), carry(friction.slip)});
  return result;
}

/// Inputs that stay open are parameters instead of functions of time.
void open_inputs(const Model& model, Equations& e, const std::vector<int>& inputs, PortSystem& system) {
  for (const int i : inputs) {
    const std::string name = flat_name(model.port->inputs, i);
    system.u_value[i] = e.graph->parameter(static_cast<int>(e.parameters.size()), name, 0);
    e.parameters.push_back({name, 0});
  }
}

bool mass_is_constant(const Equations& e) {
  const SparseExprs M = jacobian(e.p, e.z);
  const Exprs arguments = joined<Expr>(e.y, e.z);
  if (depends(M.value, arguments) || depends(M.value, Exprs{e.t})) return false;
  const Exprs zeros(e.z.size(), e.graph->constant(0));
  for (Expr rest : substitute(e.p, e.z, zeros, *e.graph))
    if (!is_zero(rest)) return false;
  return true;
}

/// Symbols and names of all variables.
void declare(const Model& model, Equations& e) {
  e.t = e.graph->symbol("t");
  e.y_names = flat_names(model.coordinates, "");
  e.z_names = flat_names(blocks_of_z(model), model.form == Form::lagrangian ? "'" : "");
  for (const std::string& name : e.y_names) e.y.push_back(e.graph->symbol(name));
  for (const std::string& name : e.z_names) {
    e.z.push_back(e.graph->symbol(name));
    e.z_dot.push_back(e.graph->symbol(name + "'"));
  }
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    const Constraint& c = model.constraints[i];
    const Expr multiplier = e.graph->symbol(c.multiplier.graph().name(c.multiplier.id()));
    (c.nonholonomic ? e.psi : e.lambda).push_back(multiplier);
    (c.nonholonomic ? e.k_names : e.g_names).push_back(c.name);
    (c.nonholonomic ? e.k_constraint : e.g_constraint).push_back(static_cast<int>(i));
  }
  e.psi_constraint = e.k_constraint;
  e.psi_names = e.k_names;
}

/// From then on inputs and outputs mean their values wherever else they occur.
void derive_port_form(const Model& model, Equations& e, const DeriveOptions& options, Carrier& carry) {
  const PortSystem& port = *model.port;
  std::vector<bool> loop(port.u.size(), false);  // those are psi already
  for (const int i : port.loops) loop[i] = true;
  Carrier symbols = carry;
  for (std::size_t i = 0; i < port.u.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    if (!loop[i]) symbols.add({port.u[i]}, {e.graph->symbol("u" + number)});
    symbols.add({port.y[i]}, {e.graph->symbol("y" + number)});
  }
  PortSystem system = carried(port, [&](const Exprs& list) { return symbols(list); });
  open_inputs(model, e, open_names(model, options.inputs).inputs, system);
  derive_port(model, e, std::move(system));
  for (std::size_t i = 0; i < port.u.size(); ++i)
    if (!loop[i]) carry.add({port.u[i]}, {e.port->inputs[i]});
  carry.add(port.y, e.port->outputs);
}

void derive_form(const Model& model, Equations& e, const DeriveOptions& options, Carrier& carry) {
  switch (model.form) {
    case Form::lagrangian: return derive_lagrangian(model, e, carry);
    case Form::hamiltonian: return derive_hamiltonian(model, e, carry);
    case Form::general: return model.multibody ? derive_multibody(model, e, carry) : derive_general(model, e, carry);
    case Form::port_hamiltonian: return derive_port_form(model, e, options, carry);
  }
}

/// The index-reduced system: the equations of motion, d/dt g_dot = 0, d/dt k = 0, the algebraic rows.
void reduce(Equations& e) {
  if (!e.port) e.inertial = directional(e.p, e.z, e.z_dot);
  e.reduced = e.port ? e.inertial : along_motion(e, e.p, e.z_dot);
  for (std::size_t i = 0; i < e.reduced.size(); ++i) e.reduced[i] = e.reduced[i] - (e.f[i] + e.N[i] + e.r[i]);
  append(e.reduced, along_motion(e, e.g_dot, e.z_dot));
  append(e.reduced, along_motion(e, e.k, e.z_dot));
  if (e.port) append(e.reduced, e.port->algebraic);
}

}  // namespace

namespace {

/// Bodies that joints connect, in groups.
class ConnectedBodies {
 public:
  /// False where they are connected already.
  bool connect(const std::string& one, const std::string& other) {
    const int from = group(one), to = group(other);
    leads_to_[from] = to;
    return from != to;
  }

 private:
  int group(const std::string& name) {
    const auto [found, fresh] = number_.try_emplace(name, static_cast<int>(leads_to_.size()));
    if (fresh) leads_to_.push_back(found->second);
    int i = found->second;
    while (leads_to_[i] != i) i = leads_to_[i] = leads_to_[leads_to_[i]];  // the way is shorter next time
    return i;
  }
  std::map<std::string, int> number_;
  std::vector<int> leads_to_;
};

/// Whether a constraint is part of one of these joints: "elbow.point[1]" and "elbow[1]" of "elbow", or of the family
/// "elbow[3].point[1]".
bool belongs_to_joint(const std::string& name, const std::set<std::string>& joints) {
  for (std::size_t end = name.find_first_of(".["); end != std::string::npos; end = name.find_first_of(".[", end + 1))
    if (joints.contains(name.substr(0, end))) return true;
  return false;
}

/// Whether all constraints are those of joints that make no loop, and of quaternions.
bool makes_open_chains(const Equations& e) {
  if (e.joints.empty() || !e.k.empty()) return false;
  ConnectedBodies bodies;
  std::set<std::string> names;
  for (const JointReaction& joint : e.joints) {
    if (!bodies.connect(joint.body, joint.other)) return false;
    names.insert(joint.name);
  }
  return std::all_of(e.g_names.begin(), e.g_names.end(),
                     [&](const std::string& name) { return name.ends_with(".unit") || belongs_to_joint(name, names); });
}

}  // namespace

Exprs along_motion(const Equations& e, const Exprs& functions, const Exprs& z_dot) {
  Exprs x = joined<Expr>(e.t, e.y);
  if (!z_dot.empty()) append(x, e.z);
  return directional(functions, x, joined<Expr>(e.graph->constant(1), e.v, z_dot));
}

Equations derive(const Model& model, const DeriveOptions& options, const std::vector<std::string>& settled) {
  Equations e;
  e.graph = std::make_shared<Graph>();
  e.form = model.form;
  declare(model, e);
  Carrier carry(model, e, options, settled);
  e.y_start = carry(model.q_start);
  e.z_start = carry(model.z_start);
  for (const Prescribed& one : model.prescribed)
    e.prescribed_start.push_back(one.start_expression ? carry(one.start_expression) : e.graph->constant(0));
  e.zero_tests = carry(model.zero_tests);
  e.parameter_values = carry(model.parameter_symbols);
  e.first_order = static_cast<int>(model.first_order.size());
  if (model.form == Form::lagrangian) e.v = joined<Expr>(e.z, carry(model.first_order));
  if (model.multibody) e.v = joined<Expr>(carry(model.coordinate_rate), carry(model.first_order));
  derive_auxiliary(model, e, carry);
  Exprs constraints;
  for (const Constraint& c : model.constraints) constraints.push_back(c.value);
  constraints = carry(constraints);
  for (int i : e.g_constraint) e.g.push_back(constraints[i]);
  for (int i : e.k_constraint) e.k.push_back(constraints[i]);

  derive_form(model, e, options, carry);
  e.rayleigh = carry(model.rayleigh);
  e.forces = model.force.empty() ? Exprs(e.z.size(), e.graph->constant(0)) : carry(model.force);
  e.invariants = carry(model.invariant_values);
  for (const Contact& contact : model.contacts) e.contacts.push_back(contact_functions(contact, carry));
  e.friction_powers = carry(model.friction_powers);
  e.observed = carry(model.observed_values);
  for (const std::vector<Event>* events : {&model.events, &model.contact_events})
    for (const Event& event : *events)
      for (const Action& action : event.actions) e.actions.push_back(carry(action.value));
  for (const Prescribed& one : model.prescribed) e.prescribed.push_back(carry(one.value));
  for (const TableUse& use : model.tables) e.tables.push_back(carry(use.argument));
  for (const Event& event : model.events) e.events.push_back(carry(event.value));
  e.density = carry(model.density);
  e.joints = joint_reactions(model.joints, carry);

  e.open_chains = makes_open_chains(e);

  e.g_dot = along_motion(e, e.g, {});
  reduce(e);
  e.constant_mass = mass_is_constant(e);
  return e;
}

Exprs mechanical_rates(const Equations& e) {
  Exprs rates = e.v;
  const std::size_t last = e.y.size() - e.auxiliary.size();
  const std::size_t first = last - static_cast<std::size_t>(e.first_order);
  for (std::size_t i = first; i < last && i < rates.size(); ++i) rates[i] = e.graph->constant(0);
  return rates;
}

Exprs inertia(const Equations& e) {
  if (e.port) return Exprs(e.z.size(), e.graph->constant(0));
  return along_motion(e, e.p, {});
}

Expr power(const Equations& e) {
  if (e.port) return e.port->supplied - e.port->dissipated;
  // For y' = v(t, y, z) and an energy with E_z = w^T p_z (w = v in the Lagrangian and Hamiltonian forms, z in the
  // multibody form): dE/dt = E_t + E_y v + w^T (f + N + r - p_t - p_y v).
  const bool multibody = e.form == Form::general || !e.auxiliary.empty();
  const Exprs& w = multibody ? e.z : e.v;
  const Exprs inert = inertia(e), E_y = gradient(e.energy, e.y);
  Exprs terms = {gradient(e.energy, Exprs{e.t})[0]};
  if (!multibody) {
    // Equal pieces of f and E_y vanish exactly when summed in this order.
    const std::size_t moving = e.z.size();
    for (std::size_t i = 0; i < moving; ++i) terms.push_back(w[i] * ((e.f[i] - inert[i]) + E_y[i] + (e.N[i] + e.r[i])));
    // Auxiliary variables follow the coordinates.
    for (std::size_t i = moving; i < e.v.size(); ++i) terms.push_back(e.v[i] * E_y[i]);
    return sum(*e.graph, terms);
  }
  // Z^T E_y, z^T of which is E_y v but for what moves by itself
  const Exprs back = transposed_product(mechanical_rates(e), e.z, E_y);
  const std::size_t states = e.y.size() - e.auxiliary.size();
  for (std::size_t i = states - static_cast<std::size_t>(e.first_order); i < states; ++i)
    terms.push_back(E_y[i] * e.v[i]);
  for (std::size_t i = states; i < e.y.size(); ++i)
    terms.push_back(E_y[i] * substitute(e.v[i], e.z, Exprs(e.z.size(), e.graph->constant(0)), *e.graph));
  for (std::size_t i = 0; i < w.size(); ++i)
    terms.push_back(w[i] * ((e.f[i] - inert[i]) + back[i] + (e.N[i] + e.r[i])));
  return sum(*e.graph, terms);
}

Exprs at(const Equations& e, const Exprs& function, const Point& x) { return at(e, function, x, {}, {}); }

Exprs at(const Equations& e, const Exprs& function, const Point& x, const Exprs& lambda, const Exprs& psi) {
  if (function.empty()) return {};
  check(x.y.size() == e.y.size() && x.z.size() == e.z.size(), "at(): sizes of the point");
  check(lambda.empty() || lambda.size() == e.lambda.size(), "at(): size of lambda");
  check(psi.empty() || psi.size() == e.psi.size(), "at(): size of psi");
  Exprs from = {e.t}, to = {x.t};
  const auto put = [&](const Exprs& symbols, const Exprs& values) {
    from.insert(from.end(), symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(values.size()));
    to.insert(to.end(), values.begin(), values.end());
  };
  put(e.y, x.y);
  put(e.z, x.z);
  put(e.lambda, lambda);
  put(e.psi, psi);
  return substitute(function, from, to, x.t.graph());
}

}  // namespace alembert::internal
