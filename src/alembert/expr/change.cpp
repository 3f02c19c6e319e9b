#include "alembert/expr/change.h"

#include <quadmath.h>

#include <unordered_map>

#include "alembert/error.h"
#include "alembert/expr/secant.h"

namespace alembert::internal {

namespace {

bool has_short_slope(Op op, Expr exponent) {
  if (op == Op::power) return is_constant(exponent) && constant_value(exponent) == floorq(constant_value(exponent));
  return op == Op::add || op == Op::subtract || op == Op::negate || op == Op::multiply || op == Op::divide ||
         op == Op::sqrt;
}

}  // namespace

std::optional<Exprs> change_between(ExprSpan f, ExprSpan x, ExprSpan x0, ExprSpan x1, ExprSpan dx, Graph& target) {
  check(x.size() == x0.size() && x.size() == x1.size() && x.size() == dx.size(), "change_between(): sizes");
  if (f.empty()) return Exprs();
  Graph& graph = f[0].graph();
  Exprs nodes;
  std::unordered_map<std::uint32_t, std::size_t> place;  // of a node among those that occur
  for (const std::uint32_t id : reachable(f)) {
    place[id] = nodes.size();
    nodes.push_back({&graph, id});
  }
  const Exprs n0 = substitute(nodes, x, x0, target), n1 = substitute(nodes, x, x1, target);
  Exprs change(nodes.size(), target.constant(0));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const auto found = place.find(x[i].id()); found != place.end()) change[found->second] = dx[i];
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node node = graph.node(nodes[k].id());
    const int operands = operand_count(node.op);
    if (operands == 0) continue;
    const std::size_t a = place.at(node.a), b = operands == 2 ? place.at(node.b) : a;
    const bool moves_a = !is_zero(change[a]), moves_b = operands == 2 && !is_zero(change[b]);
    if (!moves_a && !moves_b) continue;
    if (!has_short_slope(node.op, n0[b])) return {};
    const Slopes slope = slopes(node.op, n0[a], n1[a], n0[b], n1[b], n0[k], n1[k]);
    if (moves_a) change[k] = slope.a * change[a];
    if (moves_b) change[k] = moves_a ? change[k] + slope.b * change[b] : slope.b * change[b];
  }
  Exprs result;
  for (const Expr one : f) result.push_back(change[place.at(one.id())]);
  return result;
}

}  // namespace alembert::internal
