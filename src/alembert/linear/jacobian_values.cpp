#include "alembert/linear/jacobian_values.h"

#include <algorithm>

namespace alembert::internal {

template <class T>
JacobianValues<T>::JacobianValues(const Exprs& inputs, SparseExprs J, KernelOptions options)
    : inputs_(static_cast<int>(inputs.size()) - J.columns),
      pattern_(std::move(J)),
      kernel_(inputs, pattern_.value, options),
      values_(pattern_.value.size()),
      work_(kernel_.work()) {
  pattern_.value.clear();
}

template <class T>
void JacobianValues<T>::take(const T* x) noexcept {
  kernel_(x, values_.data(), work_.data());
  if (scales_.row.empty()) return;
  for (int i = 0; i < size(); ++i)
    for (int k = row_start()[i]; k < row_start()[i + 1]; ++k)
      values_[k] *= T(scales_.row[i]) * T(scales_.column[column()[k]]);
}

template <class T>
bool JacobianValues<T>::finite() const noexcept {
  return std::all_of(values_.begin(), values_.end(), [](const T& value) { return value - value == 0; });
}

template <class T>
void JacobianValues<T>::assemble(std::vector<T>& full) const noexcept {
  std::fill(full.begin(), full.end(), T(0));
  for (int i = 0; i < size(); ++i)
    for (int k = row_start()[i]; k < row_start()[i + 1]; ++k)
      full[static_cast<std::size_t>(i) * size() + column()[k]] = values_[k];
}

template <class T>
void JacobianValues<T>::scale_rows(T* b) const noexcept {
  for (std::size_t i = 0; i < scales_.row.size(); ++i) b[i] *= T(scales_.row[i]);
}

template <class T>
void JacobianValues<T>::scale_columns(T* d) const noexcept {
  for (std::size_t i = 0; i < scales_.column.size(); ++i) d[i] *= T(scales_.column[i]);
}

template class JacobianValues<double>;
template class JacobianValues<Quad>;

}  // namespace alembert::internal
