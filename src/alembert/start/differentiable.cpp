#include "alembert/start/differentiable.h"

#include "alembert/newton/rounding.h"

namespace alembert::internal {

std::vector<double> evaluated(const Kernel<double>& kernel, const std::vector<double>& in) {
  std::vector<double> out(kernel.outputs());
  std::vector<double> work(kernel.work());
  kernel(in.data(), out.data(), work.data());
  return out;
}

DifferentiableList::DifferentiableList(const Exprs& inputs, const Exprs& functions, const Exprs& x)
    : values_(inputs, functions, interpreted),
      expressions_(std::make_shared<const SparseExprs>(jacobian(functions, x))) {
  entries_ = WideKernel<double>(inputs, expressions_->value, interpreted);
}

std::vector<double> DifferentiableList::values(const std::vector<double>& in) const { return evaluated(values_, in); }

std::vector<double> DifferentiableList::values(const std::vector<double>& in, std::vector<double>& levels) const {
  std::vector<double> result(values_.outputs());
  levels.resize(result.size());
  rounding_levels(values_.tape(), in.data(), result.data(), levels.data(), parameters_);
  return result;
}

SparseRows DifferentiableList::derivative(const std::vector<double>& in) const {
  SparseRows result{expressions_->rows, expressions_->columns, expressions_->row_start, expressions_->column, {}};
  result.value.resize(entries_.outputs());
  std::vector<double> work(entries_.work());
  entries_(in.data(), result.value.data(), work.data());
  return result;
}

void DifferentiableList::bind(const double* parameters) {
  parameters_ = parameters;
  values_.bind(parameters);
  entries_.bind(parameters);
}

}  // namespace alembert::internal
