#pragma once

// Sparse derivatives of expressions whose values are not needed, for work that is done once (interpreted).

#include <vector>

#include "alembert/code/wide.h"
#include "alembert/expr/derivative.h"
#include "alembert/linear/sparse_rows.h"

namespace alembert::internal {

/// Made once and evaluated at many points. Copies share the code; evaluating changes nothing, so that threads may share
/// one.
class SparseDerivative {
 public:
  /// inputs: every symbol that may occur, x among them.
  SparseDerivative(const Exprs& inputs, const Exprs& functions, const Exprs& x)
      : SparseDerivative(inputs, jacobian(functions, x)) {}

  SparseRows operator()(const std::vector<double>& in) const {
    SparseRows result = pattern_;
    result.value.resize(entries_.outputs());
    std::vector<double> work(entries_.work());
    entries_(in.data(), result.value.data(), work.data());
    return result;
  }
  /// From now on parameters are read from this table, which must outlive the object; null: their usual values.
  void bind(const double* parameters) { entries_.bind(parameters); }

 private:
  SparseDerivative(const Exprs& inputs, const SparseExprs& expressions)
      : entries_(inputs, expressions.value, interpreted),
        pattern_{expressions.rows, expressions.columns, expressions.row_start, expressions.column, {}} {}

  WideKernel<double> entries_;
  SparseRows pattern_;
};

}  // namespace alembert::internal
