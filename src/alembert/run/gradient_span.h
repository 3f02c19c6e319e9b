#pragma once

// How far the gradients of many constraints are from dependence, by numbers: for few of them a determinant is written
// out instead (watch.h).

#include <span>
#include <vector>

#include "alembert/expr/derivative.h"
#include "alembert/linear/sparse_ldl.h"

namespace alembert::internal {

/// Takes time in proportion to the number of gradients where each meets few others, as in chains and trees.
class GradientSpan {
 public:
  /// The pattern of the gradients, a row for each constraint.
  explicit GradientSpan(const SparseExprs& gradients);
  /// Not where very many gradients meet in one coordinate: all their products would be needed.
  static bool affordable(const SparseExprs& gradients);

  /// The smallest distance of a gradient from the span of those before it (in an order of its own), each relative to
  /// its longest length: 0 where one follows from others. Never allocates.
  double smallest_distance(std::span<const double> values, std::span<const double> longest);

  /// How far, in the measure of `change`, gradients can still go until a distance may be much smaller than it was when
  /// smallest_distance() was last called. change: how far they went between its last call before horizon() and that.
  /// 0 at the first time. Never allocates.
  double horizon(double change);
  /// The next horizon() is the first.
  void forget() noexcept { kept_ = false; }

  template <class A>
  void archive(A& fields) {
    fields(distance_, distance_kept_, kept_);
  }

 private:
  std::vector<int> row_start_, column_;
  std::vector<int> gram_start_, gram_column_;  // pairs of gradients with a common column, by rows, the lower triangle
  std::vector<double> row_, gram_;             // a gradient, dense; the products of these pairs
  SparseLdl factors_;                          // of the Gram matrix
  std::vector<double> distance_, distance_kept_;  // of all gradients, at the last call and at the last horizon()
  bool kept_ = false;
};

}  // namespace alembert::internal
