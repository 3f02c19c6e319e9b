#pragma once

#include "alembert/linear/jacobian_values.h"
#include "alembert/linear/linear_system.h"
#include "alembert/linear/minimum_norm.h"

namespace alembert::internal {

/// Newton's matrix where it has lost rank: redundant constraints, singular positions. See MinimumNorm.
template <class T>
class MinimumNormSystem final : public LinearSystem<T> {
 public:
  using Failure = typename LinearSystem<T>::Failure;
  using Cut = typename MinimumNorm<T>::Cut;
  /// multiplier[j]: unknown j is a multiplier. The matrix must not be equilibrated: the weights would be others.
  MinimumNormSystem(WideKernel<T> equations, JacobianValues<T> matrix, std::vector<bool> multiplier);

  bool factor(const T* x) noexcept override { return factor(x, Cut::rounding); }
  bool factor(const T* x, Cut cut) noexcept;
  void solve(const T* x, T* d) noexcept override;
  Failure failure() const noexcept override { return {matrix_.finite(), -1}; }
  std::string_view name() const noexcept override { return "minimum norm"; }
  std::vector<int> sizes() const override { return {matrix_.size()}; }
  std::unique_ptr<LinearSystem<T>> clone() const override { return std::make_unique<MinimumNormSystem>(*this); }
  void bind(const T* parameters) noexcept override;
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

  const MinimumNorm<T>& factors() const { return factors_; }
  /// The matrix that was factorised last, row after row.
  const std::vector<T>& matrix() const { return full_; }

 private:
  WideKernel<T> equations_;
  JacobianValues<T> matrix_;
  MinimumNorm<T> factors_;
  std::vector<T> full_, work_;
};

}  // namespace alembert::internal
