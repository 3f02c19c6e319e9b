#pragma once

#include "alembert/code/kernel.h"
#include "alembert/linear/linear_system.h"

namespace alembert::internal {

/// Small systems: equations, matrix and elimination are one compiled function without branches (elimination.h). It
/// remembers nothing, and it cannot fail but by a result that is no number.
template <class T>
class UnrolledSystem final : public LinearSystem<T> {
 public:
  /// correction: d as a function of inputs and unknowns.
  explicit UnrolledSystem(Kernel<T> correction) : correction_(std::move(correction)), work_(correction_.work()) {}

  bool factor(const T*) noexcept override { return true; }
  void solve(const T* x, T* d) noexcept override { correction_(x, d, work_.data()); }
  MatrixKind kind() const noexcept override { return MatrixKind::at_every_solve; }
  std::string_view name() const noexcept override { return "unrolled"; }
  std::vector<int> sizes() const override { return {correction_.outputs()}; }
  std::unique_ptr<LinearSystem<T>> clone() const override { return std::make_unique<UnrolledSystem>(*this); }
  void bind(const T* parameters) noexcept override { correction_.bind(parameters); }
  void save(ByteWriter&) const override {}
  void load(ByteReader&) override {}

 private:
  Kernel<T> correction_;
  std::vector<T> work_;
};

}  // namespace alembert::internal
