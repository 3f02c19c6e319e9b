#include "alembert/newton/inclusions.h"

namespace alembert::internal {

Expr complementary(Expr a, Expr b, Expr w) { return a - max(a - w * b, a.graph().constant(0)); }

Exprs in_disk(const Exprs& force, const Exprs& slip, Expr radius, Expr w) {
  Graph& graph = radius.graph();
  // Below all forces: the derivative of the length stays finite where it is 0.
  constexpr double nothing = 1e-290;
  Exprs tried, squares;
  for (std::size_t i = 0; i < force.size(); ++i) {
    tried.push_back(force[i] - w * slip[i]);
    squares.push_back(tried[i] * tried[i]);
  }
  const Expr bound = max(radius, graph.constant(0));
  const Expr length = force.size() == 1 ? abs(tried[0]) : sqrt(sum(graph, squares) + Quad(nothing));
  const Expr share = bound / max(max(length, bound), graph.constant(nothing));
  Exprs result;
  for (std::size_t i = 0; i < force.size(); ++i) result.push_back(force[i] - share * tried[i]);
  return result;
}

}  // namespace alembert::internal
