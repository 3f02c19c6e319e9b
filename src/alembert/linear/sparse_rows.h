#pragma once

// Matrices of numbers by compressed rows, and the metrics made of them.

#include <vector>

namespace alembert::internal {

/// A matrix of numbers by compressed rows.
struct SparseRows {
  int rows = 0, columns = 0;
  std::vector<int> row_start{0}, column;
  std::vector<double> value;
};
SparseRows identity_rows(int n);

/// The symmetric positive definite matrix itself, or its inverse; empty (rows = 0) when it is not one. The inverse is
/// taken block by block of those that the pattern separates; of a block of thousands only the diagonal is used.
SparseRows metric_from(const SparseRows& matrix, bool invert);

}  // namespace alembert::internal
