#include "alembert/linear/minimum_norm_system.h"

namespace alembert::internal {

template <class T>
MinimumNormSystem<T>::MinimumNormSystem(WideKernel<T> equations, JacobianValues<T> matrix, std::vector<bool> multiplier)
    : equations_(std::move(equations)),
      matrix_(std::move(matrix)),
      factors_(std::move(multiplier)),
      full_(static_cast<std::size_t>(matrix_.size()) * matrix_.size()),
      work_(equations_.work()) {}

template <class T>
bool MinimumNormSystem<T>::factor(const T* x, Cut cut) noexcept {
  matrix_.take(x);
  matrix_.assemble(full_);
  return factors_.factor(full_.data(), cut);
}

template <class T>
void MinimumNormSystem<T>::solve(const T* x, T* d) noexcept {
  equations_(x, d, work_.data());
  factors_.solve(d, x + matrix_.inputs());
}

template <class T>
void MinimumNormSystem<T>::bind(const T* parameters) noexcept {
  equations_.bind(parameters);
  matrix_.bind(parameters);
}

template <class T>
void MinimumNormSystem<T>::save(ByteWriter& out) const {
  factors_.save(out);
  out.write(full_);
}

template <class T>
void MinimumNormSystem<T>::load(ByteReader& in) {
  factors_.load(in);
  in.refill(full_);
}

template class MinimumNormSystem<double>;
template class MinimumNormSystem<Quad>;

}  // namespace alembert::internal
