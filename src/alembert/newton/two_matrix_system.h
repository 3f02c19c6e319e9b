#pragma once

#include "alembert/code/wide.h"
#include "alembert/linear/linear_system.h"
#include "alembert/newton/two_matrix.h"

namespace alembert::internal {

/// SPARK steps of large systems: two small matrices stand for Newton's own, see TwoMatrix.
class TwoMatrixSystem final : public LinearSystem<double> {
 public:
  /// matrices: of the same inputs and unknowns as the equations.
  TwoMatrixSystem(WideKernel<double> equations, std::unique_ptr<TwoMatrix> matrices)
      : equations_(std::move(equations)), matrices_(std::move(matrices)), work_(equations_.work()) {}

  bool factor(const double* x) noexcept override { return matrices_->factor(x); }
  void solve(const double* x, double* d) noexcept override {
    equations_(x, d, work_.data());
    matrices_->solve(d);
  }
  MatrixKind kind() const noexcept override { return MatrixKind::approximate; }
  std::string_view name() const noexcept override { return "two-matrix"; }
  std::vector<int> sizes() const override { return matrices_->sizes(); }
  int factorizations() const noexcept override { return matrices_->factorizations(); }
  std::unique_ptr<LinearSystem<double>> clone() const override {
    return std::make_unique<TwoMatrixSystem>(equations_, matrices_->clone());
  }
  void bind(const double* parameters) noexcept override {
    equations_.bind(parameters);
    matrices_->bind(parameters);
  }
  void save(ByteWriter& out) const override { matrices_->save(out); }
  void load(ByteReader& in) override { matrices_->load(in); }

 private:
  WideKernel<double> equations_;
  std::unique_ptr<TwoMatrix> matrices_;
  std::vector<double> work_;
};

}  // namespace alembert::internal
