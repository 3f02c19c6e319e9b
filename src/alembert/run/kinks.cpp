#include "alembert/run/kinks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {

namespace {

/// x - c, or its negative: which x, and c. Places that are equal but for rounding in more digits than those of a double
/// are one.
std::optional<std::pair<std::uint32_t, Quad>> threshold(Expr function) {
  Graph& graph = function.graph();
  const Node node = graph.node(function.id());
  if (node.op != Op::subtract && node.op != Op::add) return {};
  for (const auto& [x, c] : {std::pair(node.a, node.b), std::pair(node.b, node.a)}) {
    const Expr constant(&graph, c);
    if (!is_constant(constant)) continue;
    const Quad at = node.op == Op::add ? -constant_value(constant) : constant_value(constant);
    const std::optional<std::pair<std::uint32_t, Quad>> inner = threshold(Expr(&graph, x));
    if (!inner) return std::pair(x, at);
    // (x - d) - c; a difference the other way round is another x.
    const Node of = graph.node(x);
    if (of.op == Op::subtract && is_constant(Expr(&graph, of.a))) return std::pair(x, at);
    return std::pair(inner->first, inner->second + at);
  }
  return {};
}

/// The table of a node, where it has kinks that the motion may pass.
void add_table(Expr node, const Equations& e, const Exprs& arguments, Kinks& found) {
  Graph& graph = node.graph();
  const KinkedTable table{Expr(&graph, graph.node(node.id()).a), &piecewise_of(node).kinks()};
  if (table.places->empty() || !depends(table.argument, arguments) || depends(table.argument, e.z_dot)) return;
  // Slopes have kinks where their table has them.
  const auto same = [&](const KinkedTable& other) {
    return other.argument == table.argument && *other.places == *table.places;
  };
  if (std::none_of(found.tables.begin(), found.tables.end(), same)) found.tables.push_back(table);
}

bool may_bend(Op op) {
  return op == Op::piecewise || op == Op::min || op == Op::max || op == Op::abs || op == Op::sign || op == Op::positive;
}

/// Of all expressions that were ever made: looking at each once is quicker than finding out which belong to a list.
bool anything_bends(const Graph& graph) {
  for (std::uint32_t id = 0; id < graph.size(); ++id)
    if (may_bend(graph.node(id).op)) return true;
  return false;
}

Kinks switching_functions(const Equations& e, const Exprs& all) {
  if (all.empty() || !anything_bends(*e.graph)) return {};
  Graph& graph = *e.graph;
  const Exprs arguments = joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi);
  Kinks found;
  std::set<std::uint32_t> seen;
  std::set<std::pair<std::uint32_t, double>> thresholds;
  for (const std::uint32_t id : reachable(all)) {
    const Node node = graph.node(id);  // a copy: new nodes may move the graph's
    if (!may_bend(node.op)) continue;
    Expr function;
    if (node.op == Op::piecewise) {
      add_table(Expr(&graph, id), e, arguments, found);
      continue;
    }
    if (node.op == Op::min || node.op == Op::max) {
      // As their derivatives write it.
      function = Expr(&graph, node.b) - Expr(&graph, node.a);
    } else {
      function = Expr(&graph, node.a);
    }
    if (graph.node(function.id()).op == Op::negate) function = Expr(&graph, graph.node(function.id()).a);
    if (!depends(function, arguments) || depends(function, e.z_dot)) continue;
    if (seen.contains((-function).id())) continue;
    const auto place = threshold(function);
    if (place && !thresholds.insert({place->first, static_cast<double>(place->second)}).second) continue;
    if (seen.insert(function.id()).second) found.functions.push_back(function);
  }
  return found;
}

}  // namespace

Kinks kinks(const Equations& e) {
  return switching_functions(e, joined<Expr>(e.v, e.p, e.f, e.N, e.r, e.g, e.g_dot, e.k, e.reduced));
}

bool constraints_have_kinks(const Equations& e) {
  return !switching_functions(e, joined<Expr>(e.g, e.g_dot, e.k)).empty();
}

bool have_kinks_in_time(const Equations& e) {
  const Kinks all = kinks(e);
  const Exprs state = joined<Expr>(e.y, e.z, e.lambda, e.psi);
  return std::any_of(all.functions.begin(), all.functions.end(), [&](Expr f) { return !depends(f, state); }) ||
         std::any_of(all.tables.begin(), all.tables.end(),
                     [&](const KinkedTable& table) { return !depends(table.argument, state); });
}

double just_behind(double t, double direction) {
  constexpr double next_to_zero = 1e-300;  // its square vanishes, a quotient by it does not overflow
  if (t == 0) return std::copysign(next_to_zero, direction);
  constexpr double beyond_rounding = 16 * std::numeric_limits<double>::epsilon();  // of t minus the place of a kink
  return t + std::copysign(beyond_rounding * t, direction);
}

}  // namespace alembert::internal
