#include "alembert/linear/dense_system.h"

namespace alembert::internal {

template <class T>
DenseSystem<T>::DenseSystem(WideKernel<T> equations, JacobianValues<T> matrix)
    : equations_(std::move(equations)),
      matrix_(std::move(matrix)),
      lu_(matrix_.size()),
      full_(static_cast<std::size_t>(matrix_.size()) * matrix_.size()),
      work_(equations_.work()) {}

template <class T>
bool DenseSystem<T>::factor(const T* x) noexcept {
  matrix_.take(x);
  matrix_.assemble(full_);
  return lu_.factor(full_.data());
}

template <class T>
void DenseSystem<T>::solve(const T* x, T* d) noexcept {
  equations_(x, d, work_.data());
  matrix_.scale_rows(d);
  lu_.solve(d);
  matrix_.scale_columns(d);
}

template <class T>
void DenseSystem<T>::bind(const T* parameters) noexcept {
  equations_.bind(parameters);
  matrix_.bind(parameters);
}

template class DenseSystem<double>;
template class DenseSystem<Quad>;

}  // namespace alembert::internal
