#pragma once

// Newton's matrix dF/du at a point: the entries of a pattern that never changes, evaluated by compiled code.

#include <vector>

#include "alembert/code/wide.h"
#include "alembert/expr/derivative.h"
#include "alembert/linear/elimination.h"

namespace alembert::internal {

/// Compressed rows, as in SparseExprs. take() neither allocates nor throws. Instantiated for double and Quad.
template <class T>
class JacobianValues {
 public:
  /// inputs: symbols of everything that J may contain, in the order of the points given to take().
  JacobianValues(const Exprs& inputs, SparseExprs J, KernelOptions options);

  /// From now on rows and columns are scaled (not at all where the scales are empty).
  void equilibrate(Equilibration scales) { scales_ = std::move(scales); }

  void take(const T* x) noexcept;
  bool finite() const noexcept;
  /// The matrix taken last with all its zeros, row after row: n n numbers.
  void assemble(std::vector<T>& full) const noexcept;

  /// What the scales do to the right-hand side of the system, and to its solution.
  void scale_rows(T* b) const noexcept;
  void scale_columns(T* d) const noexcept;

  int size() const { return pattern_.rows; }
  int inputs() const { return inputs_; }  // numbers of a point before its unknowns
  const std::vector<int>& row_start() const { return pattern_.row_start; }
  const std::vector<int>& column() const { return pattern_.column; }
  const std::vector<T>& values() const { return values_; }
  void bind(const T* parameters) noexcept { kernel_.bind(parameters); }

 private:
  int inputs_;
  SparseExprs pattern_;  // without its expressions
  WideKernel<T> kernel_;
  Equilibration scales_;
  std::vector<T> values_, work_;
};

}  // namespace alembert::internal
