#pragma once

#include "alembert/linear/jacobian_values.h"
#include "alembert/linear/linear.h"
#include "alembert/linear/linear_system.h"

namespace alembert::internal {

/// Newton's matrix by its entries, by SparseLu.
class SparseSystem final : public LinearSystem<double> {
 public:
  SparseSystem(WideKernel<double> equations, JacobianValues<double> matrix);

  bool factor(const double* x) noexcept override;
  void solve(const double* x, double* d) noexcept override;
  void start_afresh() noexcept override { lu_.forget_pivots(); }
  Failure failure() const noexcept override { return {matrix_.finite(), -1}; }
  std::string_view name() const noexcept override { return "sparse"; }
  std::vector<int> sizes() const override { return {lu_.size()}; }
  std::unique_ptr<LinearSystem<double>> clone() const override;
  void bind(const double* parameters) noexcept override;
  void save(ByteWriter& out) const override { lu_.save(out); }
  void load(ByteReader& in) override { lu_.load(in); }

 private:
  WideKernel<double> equations_;
  JacobianValues<double> matrix_;
  SparseLu lu_;
  std::vector<double> work_;
};

}  // namespace alembert::internal
