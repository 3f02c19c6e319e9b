#pragma once

#include "alembert/linear/jacobian_values.h"
#include "alembert/linear/linear.h"
#include "alembert/linear/linear_system.h"

namespace alembert::internal {

/// Newton's matrix with all its zeros, by DenseLu.
template <class T>
class DenseSystem final : public LinearSystem<T> {
 public:
  using Failure = typename LinearSystem<T>::Failure;
  DenseSystem(WideKernel<T> equations, JacobianValues<T> matrix);

  bool factor(const T* x) noexcept override;
  void solve(const T* x, T* d) noexcept override;
  Failure failure() const noexcept override { return {matrix_.finite(), lu_.smallest_pivot_row()}; }
  std::string_view name() const noexcept override { return "dense"; }
  std::vector<int> sizes() const override { return {lu_.size()}; }
  std::unique_ptr<LinearSystem<T>> clone() const override { return std::make_unique<DenseSystem>(*this); }
  void bind(const T* parameters) noexcept override;
  void save(ByteWriter& out) const override { lu_.save(out); }
  void load(ByteReader& in) override { lu_.load(in); }

 private:
  WideKernel<T> equations_;
  JacobianValues<T> matrix_;
  DenseLu<T> lu_;
  std::vector<T> full_, work_;
};

}  // namespace alembert::internal
