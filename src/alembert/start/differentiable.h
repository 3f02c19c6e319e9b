#pragma once

// Lists of expressions evaluated together with their sparse derivatives, for work that is done once (interpreted).

#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"

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

/// A list of expressions with its sparse derivative, made once and evaluated at many points (interpreted).
class DifferentiableList {
 public:
  /// inputs: every symbol that may occur, x among them.
  DifferentiableList(const Exprs& inputs, const Exprs& functions, const Exprs& x);
  std::vector<double> values(const std::vector<double>& in) const;
  /// Also what rounding can do to them.
  std::vector<double> values(const std::vector<double>& in, std::vector<double>& levels) const;
  SparseRows derivative(const std::vector<double>& in) const;
  const SparseExprs& derivative_expressions() const { return expressions_; }

 private:
  Kernel<double> values_, entries_;
  SparseExprs expressions_;
  SparseRows pattern_;
};

}  // namespace alembert::internal
