#include "alembert/derive/massless.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "alembert/derive/identity.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr int largest_matrix = 200;  // of full elimination, which costs n^3
/// Pivots of a matrix with entries of size 1 that are rounding: some hundred units of it.
constexpr double no_pivot = 1e-13;
/// Entries of a null vector below this share of its largest are rounding of the elimination.
constexpr double no_entry = 1e-10;

/// Square roots of the largest entries of rows, inverted: light and heavy rows are judged alike.
std::vector<double> units(const Matrix& a) {
  std::vector<double> unit;
  for (const std::vector<double>& row : a) {
    double largest = 0;
    for (const double value : row) largest = std::max(largest, std::abs(value));
    unit.push_back(largest > 0 ? 1 / std::sqrt(largest) : 1);
  }
  return unit;
}

/// Gauss-Jordan elimination with full pivoting; the result says for each column the row of its pivot, or -1.
std::vector<int> eliminate(Matrix& a) {
  const int n = static_cast<int>(a.size());
  std::vector<int> pivot_of(n, -1);
  std::vector<bool> used(n, false);
  for (int round = 0; round < n; ++round) {
    int p = -1;
    int c = -1;
    double largest = no_pivot;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n && !used[i]; ++j) {
        if (pivot_of[j] >= 0 || !(std::abs(a[i][j]) > largest)) continue;
        largest = std::abs(a[i][j]);
        p = i;
        c = j;
      }
    }
    if (p < 0) break;
    used[p] = true;
    pivot_of[c] = p;
    for (int i = 0; i < n; ++i) {
      const double factor = i == p ? 0 : a[i][c] / a[p][c];
      for (int j = 0; j < n && factor != 0; ++j) a[i][j] -= factor * a[p][j];
    }
  }
  return pivot_of;
}

/// Null vectors of a square matrix, the largest entry of each being 1 or -1.
Matrix null_vectors(Matrix a) {
  const int n = static_cast<int>(a.size());
  const std::vector<double> unit = units(a);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] *= unit[i] * unit[j];
  const std::vector<int> pivot_of = eliminate(a);
  Matrix result;
  for (int free = 0; free < n; ++free) {
    if (pivot_of[free] >= 0) continue;
    std::vector<double> x(n, 0);
    for (int j = 0; j < n; ++j)
      if (pivot_of[j] >= 0) x[j] = -unit[j] * a[pivot_of[j]][free] / a[pivot_of[j]][j];
    x[free] = unit[free];
    double most = 0;
    for (const double value : x) most = std::max(most, std::abs(value));
    for (double& value : x) value = std::abs(value) < no_entry * most ? 0 : value / most;
    result.push_back(std::move(x));
  }
  return result;
}

/// The numbers that expressions are whatever the state is, parameters having their usual values; nothing where they
/// depend on symbols. parameters: whether there are any.
std::optional<std::vector<double>> numbers(const Exprs& list, bool& parameters) {
  parameters = false;
  std::vector<double> result;
  if (list.empty()) return result;
  const Graph& graph = list[0].graph();
  std::unordered_map<std::uint32_t, double> known;
  for (const std::uint32_t id : reachable(list)) {
    const Node& node = graph.node(id);
    if (node.op == Op::symbol) return {};
    parameters = parameters || node.op == Op::parameter;
    known[id] = operand_count(node.op) == 0 ? static_cast<double>(graph.value(id))
                                            : evaluate<double>(node.op, known[node.a], known[node.b]);
  }
  for (const Expr e : list) result.push_back(known[e.id()]);
  return result;
}

Matrix dense(const SparseExprs& M, const std::vector<double>& value, bool transposed) {
  Matrix a(M.rows, std::vector<double>(M.rows, 0));
  for (int i = 0; i < M.rows; ++i)
    for (int k = M.row_start[i]; k < M.row_start[i + 1]; ++k)
      (transposed ? a[M.column[k]][i] : a[i][M.column[k]]) = value[k];
  return a;
}

/// Whether x^T M (left) or M x vanishes for all values of the parameters.
bool vanishes(const SparseExprs& M, const std::vector<double>& x, bool left, Graph& graph) {
  std::vector<Exprs> terms(M.rows);
  for (int i = 0; i < M.rows; ++i)
    for (int k = M.row_start[i]; k < M.row_start[i + 1]; ++k) {
      const int j = M.column[k];
      terms[left ? j : i].push_back(Quad(x[left ? i : j]) * M.value[k]);
    }
  Exprs sums;
  for (const Exprs& one : terms) sums.push_back(sum(graph, one));
  return equal_functions(sums, Exprs(sums.size(), graph.constant(0)));
}

/// The equations of motion without their accelerations.
Exprs without_accelerations(const Equations& e) {
  const Exprs motion(e.reduced.begin(), e.reduced.begin() + static_cast<long>(e.z.size()));
  return substitute(motion, e.z_dot, Exprs(e.z.size(), e.graph->constant(0)), *e.graph);
}

/// Rows of M without entries.
Massless by_empty_rows(const Equations& e, const SparseExprs& M) {
  std::vector<bool> column(M.columns, false);
  for (const int j : M.column) column[j] = true;
  std::vector<int> empty;
  for (int i = 0; i < M.rows; ++i)
    if (M.row_start[i] == M.row_start[i + 1]) empty.push_back(i);
  Massless result;
  if (empty.empty()) return result;
  const Exprs rows = without_accelerations(e);
  for (int j = 0; j < M.columns; ++j)
    if (!column[j]) result.z.push_back(j);
  for (const int i : empty) {
    result.rows.push_back(rows[i]);
    result.names.push_back("motion of " + e.z_names[i]);
  }
  result.reason = "there is no kinetic energy in " + e.z_names[empty.front()];
  return result;
}

/// right: M x = 0, left: x^T M = 0.
Massless by_null_vectors(const Equations& e, const Matrix& right, const Matrix& left) {
  Massless result;
  const int n = static_cast<int>(e.z.size());
  const Exprs rows = without_accelerations(e);
  for (int j = 0; j < n; ++j)
    if (std::any_of(right.begin(), right.end(), [&](const auto& x) { return x[j] != 0; })) result.z.push_back(j);
  for (const std::vector<double>& x : left) {
    Exprs terms;
    std::string names;
    for (int i = 0; i < n; ++i) {
      if (x[i] == 0) continue;
      terms.push_back(Quad(x[i]) * rows[i]);
      names += (names.empty() ? "" : ", ") + e.z_names[i];
    }
    result.rows.push_back(sum(*e.graph, terms));
    result.names.push_back("motion of " + names);
    if (!result.reason.empty()) continue;
    result.reason = terms.size() == 1 ? "there is no kinetic energy in " + names
                                      : names + " can change together without kinetic energy";
  }
  return result;
}

}  // namespace

Massless massless(const Equations& e) {
  const SparseExprs M = jacobian(e.p, e.z);
  const int n = M.columns;
  const bool diagonal = static_cast<int>(M.value.size()) <= n;
  bool parameters = false;
  const std::optional<std::vector<double>> value =
      diagonal || n > largest_matrix ? std::nullopt : numbers(M.value, parameters);
  if (!value) return by_empty_rows(e, M);
  const Matrix right = null_vectors(dense(M, *value, false));
  const Matrix left = null_vectors(dense(M, *value, true));
  if (right.empty()) return {};
  // Singular at the usual values of parameters only: that is not singular whatever they are.
  const auto always = [&](const Matrix& vectors, bool of_rows) {
    return std::all_of(vectors.begin(), vectors.end(),
                       [&](const auto& x) { return vanishes(M, x, of_rows, *e.graph); });
  };
  if (parameters && !(always(right, false) && always(left, true))) return by_empty_rows(e, M);
  return by_null_vectors(e, right, left);
}

}  // namespace alembert::internal
