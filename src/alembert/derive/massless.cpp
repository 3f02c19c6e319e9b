#include "alembert/derive/massless.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

using Matrix = std::vector<std::vector<double>>;

/// Null vectors of a square matrix by elimination with full pivoting; light and heavy rows are judged alike.
Matrix null_vectors(Matrix a) {
  const int n = static_cast<int>(a.size());
  std::vector<double> unit(n, 0);
  for (int i = 0; i < n; ++i) {
    for (const double value : a[i]) unit[i] = std::max(unit[i], std::abs(value));
    unit[i] = unit[i] > 0 ? 1 / std::sqrt(unit[i]) : 1;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] *= unit[i] * unit[j];
  std::vector<int> pivot_of(n, -1);  // column -> row
  std::vector<bool> used(n, false);
  for (int round = 0; round < n; ++round) {
    int p = -1, c = -1;
    double largest = 1e-13;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n && !used[i]; ++j)
        if (pivot_of[j] < 0 && std::abs(a[i][j]) > largest) largest = std::abs(a[i][j]), p = i, c = j;
    if (p < 0) break;
    used[p] = true, pivot_of[c] = p;
    for (int i = 0; i < n; ++i) {
      const double factor = i == p ? 0 : a[i][c] / a[p][c];
      for (int j = 0; j < n && factor != 0; ++j) a[i][j] -= factor * a[p][j];
    }
  }
  Matrix result;
  for (int free = 0; free < n; ++free) {
    if (pivot_of[free] >= 0) continue;
    std::vector<double> x(n, 0);
    for (int j = 0; j < n; ++j)
      if (pivot_of[j] >= 0) x[j] = -unit[j] * a[pivot_of[j]][free] / a[pivot_of[j]][j];
    x[free] = unit[free];
    double most = 0;
    for (const double value : x) most = std::max(most, std::abs(value));
    for (double& value : x) value = std::abs(value) < 1e-10 * most ? 0 : value / most;
    result.push_back(std::move(x));
  }
  return result;
}

}  // namespace

Massless massless(const Equations& e) {
  const SparseExprs M = jacobian(e.p, e.z);
  const int n = M.columns;
  std::vector<bool> row(n, false), column(n, false);
  bool constant = true;
  for (int i = 0; i < M.rows; ++i)
    for (int k = M.row_start[i]; k < M.row_start[i + 1]; ++k) {
      row[i] = column[M.column[k]] = true;
      constant = constant && is_constant(M.value[k]);
    }
  Massless result;
  const auto rest = [&] {  // the rows without accelerations
    const Exprs zeros(e.z.size(), e.graph->constant(0));
    return substitute(Exprs(e.reduced.begin(), e.reduced.begin() + n), e.z_dot, zeros, *e.graph);
  };
  constexpr int most = 200;  // of a full matrix
  const bool vanishing = std::find(row.begin(), row.end(), false) != row.end();
  const bool diagonal = static_cast<int>(M.value.size()) <= n;
  if (n == 0 || (!vanishing && (!constant || diagonal || n > most))) return result;
  if (!constant || diagonal || n > most) {
    const Exprs left = rest();
    for (int i = 0; i < n; ++i) {
      if (!column[i]) result.z.push_back(i);
      if (row[i]) continue;
      result.rows.push_back(left[i]);
      result.names.push_back("motion of " + e.z_names[i]);
      if (result.reason.empty()) result.reason = "there is no kinetic energy in " + e.z_names[i];
    }
    return result;
  }
  Matrix a(n, std::vector<double>(n, 0)), transposed = a;
  for (int i = 0; i < n; ++i)
    for (int k = M.row_start[i]; k < M.row_start[i + 1]; ++k) {
      const int j = M.column[k];
      a[i][j] = transposed[j][i] = static_cast<double>(e.graph->value(M.value[k].id()));
    }
  const Matrix right = null_vectors(a), left_null = null_vectors(transposed);
  if (right.empty()) return result;
  const Exprs left = rest();
  for (int j = 0; j < n; ++j)
    if (std::any_of(right.begin(), right.end(), [&](const auto& x) { return x[j] != 0; })) result.z.push_back(j);
  for (const auto& x : left_null) {
    Exprs terms;
    std::string names;
    for (int i = 0; i < n; ++i) {
      if (x[i] == 0) continue;
      terms.push_back(Quad(x[i]) * left[i]);
      names += (names.empty() ? "" : ", ") + e.z_names[i];
    }
    result.rows.push_back(sum(*e.graph, terms));
    result.names.push_back("motion of " + names);
    if (!result.reason.empty()) continue;
    const bool one = names.find(',') == std::string::npos;
    result.reason =
        one ? "there is no kinetic energy in " + names : names + " can change together without kinetic energy";
  }
  return result;
}

}  // namespace alembert::internal
