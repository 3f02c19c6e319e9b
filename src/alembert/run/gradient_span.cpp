#include "alembert/run/gradient_span.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alembert::internal {

namespace {

// Pivots that are rounding against the length of their gradient: nothing is subtracted along them.
constexpr double vanished = 1e-14;
// Distances are taken again when gradients went this part of the smallest one. A distance changes like the angle by
// which the gradients that it is made of turn against each other, a few of them at most in the mechanisms of the
// gallery; what is made of more shows in how it changed before.
constexpr double share_of_distance = 1.0 / 8;
// And when a distance that goes on as it did has used up this part of itself.
constexpr double share_of_way = 1.0 / 4;

// Products of gradients, 160 MB of them.
constexpr double most_products = 2e7;

}  // namespace

bool GradientSpan::affordable(const SparseExprs& g) {
  std::vector<double> in_column(g.columns, 0);
  for (const int column : g.column) ++in_column[column];
  double products = 0;
  for (const double count : in_column) products += count * count / 2;
  return products <= most_products;
}

GradientSpan::GradientSpan(const SparseExprs& g)
    : row_start_(g.row_start),
      column_(g.column),
      gram_start_{0},
      row_(g.columns),
      distance_(g.rows),
      distance_kept_(g.rows) {
  std::vector<std::vector<int>> earlier(g.columns);  // rows that have an entry in the column
  std::vector<int> met;
  for (int i = 0; i < g.rows; ++i) {
    met = {i};
    for (int k = g.row_start[i]; k < g.row_start[i + 1]; ++k) {
      std::vector<int>& others = earlier[g.column[k]];
      met.insert(met.end(), others.begin(), others.end());
      others.push_back(i);
    }
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    gram_column_.insert(gram_column_.end(), met.begin(), met.end());
    gram_start_.push_back(static_cast<int>(gram_column_.size()));
  }
  gram_.resize(gram_column_.size());
  factors_ = SparseLdl(g.rows, gram_start_, gram_column_);
}

double GradientSpan::smallest_distance(std::span<const double> values, std::span<const double> longest) {
  const int n = static_cast<int>(distance_.size());
  for (int i = 0; i < n; ++i) {
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) row_[column_[k]] += values[k];
    for (int m = gram_start_[i]; m < gram_start_[i + 1]; ++m) {
      const int j = gram_column_[m];
      double sum = 0;
      for (int k = row_start_[j]; k < row_start_[j + 1]; ++k) sum += values[k] * row_[column_[k]];
      gram_[m] = sum;
    }
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) row_[column_[k]] = 0;
  }
  factors_.factor(gram_.data(), vanished);
  double smallest = 1;
  for (int i = 0; i < n; ++i) {
    distance_[i] = longest[i] > 0 ? std::sqrt(std::max(factors_.pivot(i), 0.0)) / longest[i] : 0;
    if (!(distance_[i] >= smallest)) smallest = distance_[i];
  }
  return smallest;
}

double GradientSpan::horizon(double change) {
  double smallest = 1, way = 1;
  for (std::size_t i = 0; i < distance_.size(); ++i) {
    const double now = distance_[i], fallen = distance_kept_[i] - now;
    smallest = std::min(smallest, now);
    if (fallen * way > now * change) way = now * change / fallen;
  }
  distance_.swap(distance_kept_);
  if (!std::exchange(kept_, true)) return 0;
  return std::min(share_of_distance * smallest, share_of_way * way);
}

}  // namespace alembert::internal
