#pragma once

#include "alembert/code/kernel.h"
#include "alembert/linear/linear_system.h"

namespace alembert::internal {

/// Small systems: equations, matrix and elimination are one compiled function without branches (elimination.h). It
/// remembers nothing, and it cannot fail but by a result that is no number. Code that was not worth compiling, and is
/// called more often than one thought, is compiled when that is seen.
template <class T>
class UnrolledSystem final : public LinearSystem<T> {
 public:
  /// correction: d as a function of inputs and unknowns.
  explicit UnrolledSystem(Kernel<T> correction, Backend backend = Backend::native)
      : correction_(std::move(correction)), work_(correction_.work()) {
    if (backend == Backend::automatic && !correction_.native()) later_ = worth_compiling;
  }

  bool factor(const T*) noexcept override { return true; }
  void solve(const T* x, T* d) noexcept override {
    if (later_ > 0 && --later_ == 0) {
      correction_.compile(false);
      if (correction_.work() > work_.size()) work_.resize(correction_.work());
    }
    correction_(x, d, work_.data());
  }
  MatrixKind kind() const noexcept override { return MatrixKind::at_every_solve; }
  std::string_view name() const noexcept override { return "unrolled"; }
  std::vector<int> sizes() const override { return {correction_.outputs()}; }
  std::unique_ptr<LinearSystem<T>> clone() const override { return std::make_unique<UnrolledSystem>(*this); }
  void bind(const T* parameters) noexcept override { correction_.bind(parameters); }
  void save(ByteWriter&) const override {}
  void load(ByteReader&) override {}

 private:
  // Calls after which compiling has paid off for certain: it takes as long as some ten thousand.
  static constexpr long worth_compiling = 10000;

  Kernel<T> correction_;
  long later_ = 0;  // calls until it is compiled; 0: never
  std::vector<T> work_;
};

}  // namespace alembert::internal
