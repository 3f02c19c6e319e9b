#include "alembert/linear/rank.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace alembert::internal {
namespace {

constexpr int largest_dense_analysis = 3000;  // rows and columns together

using Entries = std::vector<std::pair<int, double>>;

/// Gaussian elimination row after row. A pivot is taken in the column that no later row, or the nearest one, contains:
/// constraints of a chain or a net then meet hardly any fill.
class SparseElimination {
 public:
  SparseElimination(const SparseRows& rows, double tolerance)
      : tolerance_(tolerance),
        last_row_(rows.columns, -1),
        pivot_row_(rows.columns, -1),
        eliminated_(rows.rows),
        factors_(rows.rows) {
    for (int i = 0; i < rows.rows; ++i) {
      for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) last_row_[rows.column[k]] = i;
    }
  }

  /// Takes row i, scaled to unit length. False when nothing is left of it.
  bool add(int i, std::map<int, double> row) {
    std::map<int, int> waiting;  // pivot row -> its column; earlier rows first, they bring in later ones only
    const auto note = [&](int column) {
      if (pivot_row_[column] >= 0) waiting[pivot_row_[column]] = column;
    };
    for (const auto& [column, value] : row) note(column);
    while (!waiting.empty()) {
      const auto [p, pivot_column] = *waiting.begin();
      waiting.erase(waiting.begin());
      const Entries& other = eliminated_[p];
      const double factor = row[pivot_column] / pivot_value_[p];
      row.erase(pivot_column);
      if (factor == 0) continue;
      factors_[i].emplace_back(p, factor);
      for (const auto& [column, value] : other) {
        if (column == pivot_column) continue;
        row[column] -= factor * value;
        note(column);
      }
    }
    double largest = 0;
    for (const auto& [column, value] : row) largest = std::max(largest, std::abs(value));
    if (largest <= tolerance_) return false;
    int pivot = -1;
    for (const auto& [column, value] : row) {
      if (std::abs(value) < 0.1 * largest) continue;
      if (pivot < 0 || last_row_[column] < last_row_[pivot]) pivot = column;
    }
    for (const auto& [column, value] : row) {
      if (std::abs(value) > 1e-3 * tolerance_) eliminated_[i].emplace_back(column, value);
      // What fills in now will be met as late as the row that brought it.
      last_row_[column] = std::max(last_row_[column], last_row_[pivot]);
    }
    pivot_row_[pivot] = i;
    pivot_value_[i] = row[pivot];
    return true;
  }

  /// The rows of which the dependent row i is a combination.
  std::vector<int> needed(int i) const {
    std::map<int, double, std::greater<>> coefficient(factors_[i].begin(), factors_[i].end());
    std::vector<int> result;
    for (auto it = coefficient.begin(); it != coefficient.end(); ++it) {
      if (std::abs(it->second) > tolerance_) result.push_back(it->first);
      for (const auto& [p, factor] : factors_[it->first]) coefficient[p] -= it->second * factor;
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  double tolerance_;
  std::vector<int> last_row_, pivot_row_;  // of each column
  std::vector<Entries> eliminated_, factors_;
  std::map<int, double> pivot_value_;
};

RankReport analyse_sparse(const SparseRows& rows, double tolerance) {
  RankReport report;
  SparseElimination elimination(rows, tolerance);
  for (int i = 0; i < rows.rows; ++i) {
    double square = 0;
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) square += rows.value[k] * rows.value[k];
    std::map<int, double> row;
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) {
      if (rows.value[k] != 0) row[rows.column[k]] = rows.value[k] / std::sqrt(square);
    }
    if (elimination.add(i, std::move(row))) {
      ++report.rank;
    } else {
      report.dependent_rows.push_back(i);
      report.follows_from.push_back(elimination.needed(i));
    }
  }
  return report;
}

}  // namespace

RankReport analyse_rows(const SparseRows& rows, double tolerance) {
  const bool finite = std::all_of(rows.value.begin(), rows.value.end(), [](double v) { return std::isfinite(v); });
  if (!finite) return {rows.rows, {}, {}};
  if (rows.rows + rows.columns > largest_dense_analysis) return analyse_sparse(rows, tolerance);
  std::vector<double> dense(static_cast<std::size_t>(rows.rows) * rows.columns, 0.0);
  for (int i = 0; i < rows.rows; ++i) {
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) {
      dense[static_cast<std::size_t>(i) * rows.columns + rows.column[k]] += rows.value[k];
    }
  }
  return analyse_rows(rows.rows, rows.columns, dense.data(), tolerance);
}

}  // namespace alembert::internal
