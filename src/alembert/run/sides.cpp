#include "alembert/run/sides.h"

#include <quadmath.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {

namespace {

class OnSides {
 public:
  OnSides(const Equations& e, const Kinks& kinks) : graph_(*e.graph), kinks_(kinks) {
    const Exprs state = joined<Expr>(e.y, e.z, e.lambda, e.psi);
    for (const Switch& one : kinks.switches) {
      const bool table = one.kink >= kinks.functions.size();
      const Expr looks_at =
          table ? kinks.tables[one.kink - kinks.functions.size()].argument : kinks.functions[one.kink];
      if (depends(looks_at, state)) switches_.emplace(one.node, one);
    }
    const std::vector<double> usual = Sides::unknown(kinks);
    for (std::size_t i = 0; i < usual.size(); ++i)
      parameters_.push_back(
          graph_.parameter(static_cast<int>(e.parameters.size() + i), "side " + std::to_string(i + 1), usual[i]));
  }

  void operator()(Exprs& list) {
    if (list.empty()) return;
    for (const std::uint32_t id : reachable(list))
      if (!made_.contains(id)) made_.emplace(id, made(id));
    for (Expr& one : list) one = made_.at(one.id());
  }
  void operator()(Expr& one) {
    if (!one) return;
    Exprs list{one};
    (*this)(list);
    one = list[0];
  }

 private:
  Expr made(std::uint32_t id) {
    const Node node = graph_.node(id);  // a copy: new nodes may move the graph's
    const int operands = operand_count(node.op);
    if (operands == 0) return {&graph_, id};
    const Expr a = made_.at(node.a), b = operands == 2 ? made_.at(node.b) : a;
    const bool same = a.id() == node.a && (operands == 1 || b.id() == node.b);
    const Expr usual = same ? Expr(&graph_, id) : operands == 1 ? graph_.make(node.op, a) : graph_.make(node.op, a, b);
    const auto found = switches_.find(id);
    return found == switches_.end() ? usual : switched(usual, node.op, a, b, found->second);
  }

  Expr switched(Expr usual, Op op, Expr a, Expr b, const Switch& at) {
    if (op == Op::piecewise) return continued(piecewise_of(usual), a, at.kink - kinks_.functions.size());
    const Expr side = parameters_[at.kink];
    const Expr direction = at.direction > 0 ? side : -side, above = (1 + direction) / 2;
    const auto known = [&](Expr one_side) { return choose(side * side, one_side, usual); };
    switch (op) {
      case Op::sign: return known(direction);
      case Op::positive: return known(above);
      case Op::abs: return known(direction * a);
      // Where b < 0 the angle goes on beyond the cut at a = 0, to either side of half a turn.
      case Op::atan2: return known(choose(positive(-b), direction * graph_.constant(acosq(-1)) + atan(a / b), usual));
      case Op::min: return known(choose(above, a, b));
      case Op::max: return known(choose(above, b, a));
      default: return usual;
    }
  }

  /// Beyond the two kinks beside its argument a table goes on as the cubic that it is there.
  Expr continued(const Piecewise& table, Expr x, std::size_t number) {
    const Expr low = parameters_[kinks_.functions.size() + 2 * number];
    const Expr high = parameters_[kinks_.functions.size() + 2 * number + 1];
    const Expr inside = min(max(x, low), high), beyond = x - inside;
    const Piecewise &slope = table.slope(), &second = slope.slope(), &third = second.slope();
    const Expr bend = piecewise(inside, second) + beyond / 3 * piecewise(inside, third);
    return piecewise(inside, table) + beyond * (piecewise(inside, slope) + beyond / 2 * bend);
  }

  Graph& graph_;
  const Kinks& kinks_;
  std::unordered_map<std::uint32_t, Switch> switches_;
  std::unordered_map<std::uint32_t, Expr> made_;
  Exprs parameters_;
};

}  // namespace

std::vector<double> Sides::unknown(const Kinks& kinks) {
  std::vector<double> values(kinks.functions.size(), both);
  for (std::size_t i = 0; i < kinks.tables.size(); ++i) {
    values.push_back(-everywhere);
    values.push_back(everywhere);
  }
  return values;
}

Equations on_sides(const Equations& given, const Kinks& kinks) {
  Equations e = given;
  OnSides put(given, kinks);
  for (Exprs* list : {&e.v, &e.p, &e.f, &e.N, &e.r, &e.g, &e.g_dot, &e.k, &e.applied, &e.forces, &e.friction_powers,
                      &e.inertial, &e.reduced})
    put(*list);
  for (Expr* one : {&e.energy, &e.L, &e.rayleigh}) put(*one);
  if (e.port) {
    PortEquations port = *e.port;
    for (Exprs* list : {&port.algebraic, &port.inputs, &port.outputs, &port.flows, &port.efforts, &port.energies})
      put(*list);
    for (Expr* one : {&port.dissipated, &port.supplied}) put(*one);
    port.system = carried(port.system, [&](const Exprs& list) {
      Exprs changed = list;
      put(changed);
      return changed;
    });
    e.port = std::make_shared<const PortEquations>(std::move(port));
  }
  // Numbers that nobody else may use.
  for (const double value : Sides::unknown(kinks)) e.parameters.push_back({"", value});
  return e;
}

}  // namespace alembert::internal
