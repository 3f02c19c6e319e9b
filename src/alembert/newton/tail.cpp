#include "alembert/newton/tail.h"

#include <algorithm>

#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

using Reach = std::vector<std::vector<bool>>;

Exprs chosen(ExprSpan all, const std::vector<int>& places) {
  Exprs result;
  for (const int i : places) result.push_back(all[i]);
  return result;
}

/// reach[i][j]: unknown i, found from equation i, depends on unknown j in the end.
Reach reach_of(const SparseExprs& J) {
  Reach reach(J.rows, std::vector<bool>(J.rows, false));
  for (int i = 0; i < J.rows; ++i) {
    reach[i][i] = true;
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k) reach[i][J.column[k]] = true;
  }
  for (int via = 0; via < J.rows; ++via)
    for (int i = 0; i < J.rows; ++i)
      for (int j = 0; reach[i][via] && j < J.rows; ++j)
        if (reach[via][j]) reach[i][j] = true;
  return reach;
}

/// The equations with what decides whether they are linear.
struct LinearityTest {
  ExprSpan F;
  const SparseExprs& J;
  ExprSpan unknowns;
  std::vector<Exprs> jumping;  // of each equation: arguments of functions that jump, whose derivatives are 0

  LinearityTest(ExprSpan equations, const SparseExprs& matrix, ExprSpan symbols)
      : F(equations), J(matrix), unknowns(symbols) {
    for (std::size_t i = 0; i < F.size(); ++i) {
      jumping.emplace_back();
      Graph& graph = F[i].graph();
      for (const std::uint32_t id : reachable(F.subspan(i, 1))) {
        const Node node = graph.node(id);
        for (int k = 0; k < operand_count(node.op); ++k)
          if (is_zero(partial(Expr(&graph, id), k))) jumping.back().emplace_back(&graph, k == 0 ? node.a : node.b);
      }
    }
  }

  /// Whether equation i is linear in these unknowns, the others given.
  bool is_linear(int i, const std::vector<int>& in) const {
    const Exprs own = chosen(unknowns, in);
    if (depends(jumping[i], own)) return false;
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k)
      if (std::binary_search(in.begin(), in.end(), J.column[k]) && depends(J.value[k], own)) return false;
    return true;
  }
};

}  // namespace

SparseExprs part_of(const SparseExprs& J, const std::vector<int>& places) {
  std::vector<int> number(J.columns, -1);
  for (std::size_t i = 0; i < places.size(); ++i) number[places[i]] = static_cast<int>(i);
  SparseExprs part;
  part.rows = part.columns = static_cast<int>(places.size());
  part.row_start.push_back(0);
  for (const int i : places) {
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k) {
      if (number[J.column[k]] < 0) continue;
      part.column.push_back(number[J.column[k]]);
      part.value.push_back(J.value[k]);
    }
    part.row_start.push_back(static_cast<int>(part.column.size()));
  }
  return part;
}

TailSplit split_tail(ExprSpan F, const SparseExprs& J, ExprSpan unknowns) {
  const LinearityTest equations(F, J, unknowns);
  const Reach reach = reach_of(J);
  std::vector<bool> in_core(J.rows, false);
  const auto move_to_core = [&](int i) {
    for (int j = 0; j < J.rows; ++j) in_core[j] = in_core[j] || reach[i][j];
  };
  // Unknowns that depend on each other, and not linearly, are the core, with all that they depend on.
  for (int i = 0; i < J.rows; ++i) {
    std::vector<int> together;
    for (int j = 0; j < J.rows; ++j)
      if (reach[i][j] && reach[j][i]) together.push_back(j);
    if (!equations.is_linear(i, together)) move_to_core(i);
  }
  // The rest is solved at once: it must be linear together as well.
  for (bool grown = true; grown;) {
    grown = false;
    TailSplit split;
    for (int i = 0; i < J.rows; ++i) (in_core[i] ? split.core : split.tail).push_back(i);
    for (const int i : split.tail) {
      if (equations.is_linear(i, split.tail)) continue;
      move_to_core(i);
      grown = true;
    }
    if (!grown) return split;
  }
  return {};
}

}  // namespace alembert::internal
