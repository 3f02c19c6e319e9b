#include "alembert/run/gradient_span.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

// Pivots that are rounding against the length of their gradient: nothing is subtracted along them.
constexpr double vanished = 1e-14;

}  // namespace

GradientSpan::GradientSpan(const SparseExprs& g) : row_start_(g.row_start), column_(g.column), row_(g.columns) {
  std::vector<int> earliest(g.columns, g.rows);
  int entries = 0;
  for (int i = 0; i < g.rows; ++i) {
    int first = i;
    for (int k = g.row_start[i]; k < g.row_start[i + 1]; ++k) {
      earliest[g.column[k]] = std::min(earliest[g.column[k]], i);
      first = std::min(first, earliest[g.column[k]]);
    }
    first_.push_back(first);
    begin_.push_back(entries);
    entries += i - first + 1;
  }
  gram_.resize(entries);
  inverse_.resize(g.rows);
}

double GradientSpan::cost() const {
  double sum = 0;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const double width = static_cast<double>(i) - first_[i] + 1;
    sum += width * width / 2 + width * (row_start_[i + 1] - row_start_[i]);
  }
  return sum;
}

double GradientSpan::length2(std::span<const double> values, int row) const {
  double sum = 0;
  for (int k = row_start_[row]; k < row_start_[row + 1]; ++k) sum += values[k] * values[k];
  return sum;
}

void GradientSpan::raise_lengths(std::span<const double> values, std::span<double> longest) const {
  for (std::size_t i = 0; i < longest.size(); ++i) {
    const double square = length2(values, static_cast<int>(i));
    if (square > longest[i] * longest[i]) longest[i] = std::sqrt(square);
  }
}

double GradientSpan::smallest_distance(std::span<const double> values, std::span<const double> longest) {
  double smallest = 1;
  for (int i = 0; i < static_cast<int>(first_.size()); ++i) {
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) row_[column_[k]] += values[k];
    double* const entry = gram_.data() + begin_[i] - first_[i];
    for (int j = first_[i]; j <= i; ++j) {
      entry[j] = 0;
      for (int k = row_start_[j]; k < row_start_[j + 1]; ++k) entry[j] += values[k] * row_[column_[k]];
    }
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) row_[column_[k]] = 0;
    const double whole = entry[i];
    // entry[j] becomes L_ij D_j; the pivot what is left of the gradient behind all others.
    for (int j = first_[i]; j < i; ++j) {
      const double* const other = gram_.data() + begin_[j] - first_[j];
      for (int m = std::max(first_[i], first_[j]); m < j; ++m) entry[j] -= entry[m] * inverse_[m] * other[m];
    }
    double left = whole;
    for (int j = first_[i]; j < i; ++j) left -= entry[j] * entry[j] * inverse_[j];
    inverse_[i] = left > vanished * whole ? 1 / left : 0;
    const double most = longest[i] * longest[i];
    if (!(left >= smallest * most)) smallest = most > 0 ? std::max(left, 0.0) / most : 0;
  }
  return std::sqrt(smallest);
}

}  // namespace alembert::internal
