#include "alembert/newton/lean_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alembert/linear/linear.h"

namespace alembert::internal {

SparseExprs lean_matrix(const SparseExprs& J, const std::vector<int>& group, Expr h) {
  SparseExprs lean;
  lean.rows = J.rows;
  lean.columns = J.columns;
  lean.row_start.push_back(0);
  Graph& graph = h.graph();
  const Exprs from{h}, to{graph.constant(0)};
  for (int i = 0; i < J.rows; ++i) {
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k) {
      const int j = J.column[k];
      const bool small = group[i] >= 0 && group[j] >= group[i];
      const Expr value = small ? substitute(J.value[k], from, to, graph) : J.value[k];
      if (is_zero(value)) continue;
      lean.column.push_back(j);
      lean.value.push_back(value);
    }
    lean.row_start.push_back(static_cast<int>(lean.column.size()));
  }
  return lean;
}

double contraction_of(const std::vector<double>& A, const std::vector<double>& J, int n) {
  constexpr int settling = 10, counted = 20;  // iterations: the largest eigenvalue shows after some
  DenseLu<double> factors(n);
  if (!factors.factor(A.data())) return std::numeric_limits<double>::infinity();
  std::vector<double> v(n), next(n);
  for (int i = 0; i < n; ++i) v[i] = std::cos(1.0 + 2.0 * i);  // along no eigenvector
  double logarithms = 0;
  for (int round = 0; round < settling + counted; ++round) {
    for (int i = 0; i < n; ++i) {
      next[i] = 0;
      for (int j = 0; j < n; ++j)
        next[i] += (A[static_cast<std::size_t>(i) * n + j] - J[static_cast<std::size_t>(i) * n + j]) * v[j];
    }
    factors.solve(next.data());
    double before = 0, after = 0;
    for (int i = 0; i < n; ++i) {
      before = std::max(before, std::abs(v[i]));
      after = std::max(after, std::abs(next[i]));
    }
    if (!(after <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    if (after == 0) return 0;
    if (round >= settling) logarithms += std::log(after / before);
    for (int i = 0; i < n; ++i) v[i] = next[i] / after;
  }
  return std::exp(logarithms / counted);
}

}  // namespace alembert::internal
