#include "alembert/derive/work.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/derive/split.h"

namespace alembert::internal {

namespace {

bool none_acts(const Exprs& forces) {
  return std::all_of(forces.begin(), forces.end(), [](Expr force) { return is_zero(force); });
}

/// Whether the velocity of the motion is one that the constraint admits at frozen time.
bool admits_motion(Expr k, const Exprs& z) {
  const std::optional<double> degree = homogeneous_degree(k, z);
  return degree && *degree > 0;
}

/// What moves by a law of its own, and not with the mechanics: the time, first-order states.
struct OwnMotion {
  Exprs x, rates;
};
OwnMotion own_motion(const Equations& e) {
  OwnMotion own{{e.t}, {e.graph->constant(1)}};
  const std::size_t last = e.y.size() - e.auxiliary.size();
  for (std::size_t i = last - static_cast<std::size_t>(e.first_order); i < last; ++i) {
    own.x.push_back(e.y[i]);
    own.rates.push_back(e.v[i]);
  }
  return own;
}

/// Whether nonholonomic constraints are functions of the velocities themselves.
bool same_velocities(const Equations& e) { return e.k.empty() || e.v == e.z || e.form == Form::general; }

}  // namespace

bool conserves_energy(const Equations& e) {
  if (!e.energy || e.port || !e.ideal) return false;
  const Exprs own = own_motion(e).x;
  if (!none_acts(e.applied) || !none_acts(e.forces) || e.rayleigh) return false;
  if (depends(e.energy, own) || depends(e.g, own) || depends(e.k, Exprs{e.t})) return false;
  return std::all_of(e.k.begin(), e.k.end(), [&](Expr k) { return admits_motion(k, e.z); });
}

namespace {

/// The power of ideal reactions: what moving constraints and those that forbid the motion itself supply.
Exprs reaction_power(const Equations& e, const Exprs& w) {
  Exprs terms;
  const OwnMotion own = own_motion(e);
  for (std::size_t i = 0; i < e.g.size(); ++i)
    if (depends(e.g[i], own.x)) terms.push_back(e.lambda[i] * dot(gradient(e.g[i], own.x), own.rates));
  for (std::size_t i = 0; i < e.k.size(); ++i)
    if (!admits_motion(e.k[i], e.z)) terms.push_back(-(e.psi[i] * dot(gradient(e.k[i], e.z), w)));
  return terms;
}

}  // namespace

WorkRates work_rates(const Equations& e) {
  if (e.port) return {e.port->dissipated, e.port->supplied};
  const bool multibody = e.form == Form::general;
  // Auxiliary variables stand at the end of y and have no velocities of their own.
  const Exprs w = multibody ? e.z : Exprs(e.v.begin(), e.v.begin() + static_cast<std::ptrdiff_t>(e.z.size()));
  WorkRates rates{e.graph->constant(0), Expr()};
  if (e.rayleigh) rates.dissipated = dot(w, gradient(e.rayleigh, e.z));
  for (const Expr power : e.friction_powers) rates.dissipated = rates.dissipated + power;
  if (!e.ideal || !same_velocities(e)) {
    rates.supplied = power(e) + rates.dissipated;
    return rates;
  }
  Equations free = e;
  free.N.assign(e.N.size(), e.graph->constant(0));
  free.r.assign(e.r.size(), e.graph->constant(0));
  const Exprs reactions = reaction_power(e, w);
  rates.supplied = power(free) + rates.dissipated + sum(*e.graph, reactions);
  return rates;
}

Exprs work_powers(const Equations& e) {
  const WorkRates rates = work_rates(e);
  return joined<Expr>(rates.dissipated, rates.supplied, e.friction_powers);
}

Exprs time_functions(const Equations& e) {
  const Exprs all = joined<Expr>(e.v, e.p, e.f, e.N, e.r, e.g, e.k);
  const Exprs time{e.t};
  if (all.empty() || !depends(all, time)) return {};
  Graph& graph = all[0].graph();
  // Of every node whether it depends on time, and whether on anything else that changes.
  std::vector<bool> timed(graph.size(), false), moved(graph.size(), false), wanted(graph.size(), false);
  const auto alone = [&](std::uint32_t id) { return timed[id] && !moved[id] && id != e.t.id(); };
  for (const std::uint32_t id : reachable(all)) {
    const Node node = graph.node(id);
    if (node.op == Op::symbol) (id == e.t.id() ? timed : moved)[id] = true;
    const int operands = operand_count(node.op);
    const auto take = [&](std::uint32_t operand) {
      timed[id] = timed[id] || timed[operand];
      moved[id] = moved[id] || moved[operand];
    };
    if (operands > 0) take(node.a);
    if (operands > 1) take(node.b);
    if (operands == 0 || !moved[id]) continue;
    if (alone(node.a)) wanted[node.a] = true;
    if (operands > 1 && alone(node.b)) wanted[node.b] = true;
  }
  for (const Expr root : all)
    if (alone(root.id())) wanted[root.id()] = true;
  Exprs found;
  for (std::uint32_t id = 0; id < wanted.size(); ++id)
    if (wanted[id]) found.emplace_back(&graph, id);
  return found;
}

}  // namespace alembert::internal
