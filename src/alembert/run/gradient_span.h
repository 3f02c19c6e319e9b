#pragma once

// How far the gradients of many constraints are from dependence, by numbers: for few of them a determinant is written
// out instead (watch.h).

#include <span>
#include <vector>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

class GradientSpan {
 public:
  /// The pattern of the gradients, a row for each constraint.
  explicit GradientSpan(const SparseExprs& gradients);

  /// Multiplications of smallest_distance, nearly.
  double cost() const;
  /// Raises each entry to the length of its gradient where that is larger.
  void raise_lengths(std::span<const double> values, std::span<double> longest) const;
  /// The smallest distance of a gradient from the span of those before it, each relative to its longest length: 0 where
  /// one follows from others. Never allocates.
  double smallest_distance(std::span<const double> values, std::span<const double> longest);

 private:
  double length2(std::span<const double> values, int row) const;

  std::vector<int> row_start_, column_;
  std::vector<int> first_, begin_;  // of each row of the Gram matrix: its first entry that may differ from 0; its place
  std::vector<double> row_, gram_, inverse_;  // a gradient, dense; L D L^T of the Gram matrix row by row; 1/D
};

}  // namespace alembert::internal
