#pragma once

// Lists of expressions evaluated together with their sparse derivatives, for work that is done once (interpreted).

#include <memory>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/code/wide.h"
#include "alembert/expr/derivative.h"
#include "alembert/linear/sparse_rows.h"

namespace alembert::internal {

/// The values of a kernel at a point; work space is made for the call.
std::vector<double> evaluated(const Kernel<double>& kernel, const std::vector<double>& in);

/// A list of expressions with its sparse derivative, made once and evaluated at many points (interpreted). Copies share
/// the code; evaluating changes nothing, so that threads may share one.
class DifferentiableList {
 public:
  /// inputs: every symbol that may occur, x among them.
  DifferentiableList(const Exprs& inputs, const Exprs& functions, const Exprs& x);
  std::vector<double> values(const std::vector<double>& in) const;
  /// Also what rounding can do to them.
  std::vector<double> values(const std::vector<double>& in, std::vector<double>& levels) const;
  SparseRows derivative(const std::vector<double>& in) const;
  const SparseExprs& derivative_expressions() const { return *expressions_; }
  /// From now on parameters are read from this table, which must outlive the list; null: their usual values.
  void bind(const double* parameters);

 private:
  Kernel<double> values_;
  WideKernel<double> entries_;
  const double* parameters_ = nullptr;
  std::shared_ptr<const SparseExprs> expressions_;
};

}  // namespace alembert::internal
