#pragma once

// A kernel of many outputs. In large systems most of them are the same formula at other places (the rods of a chain):
// such formulas are compiled once and called for each place, so that code and its compilation do not grow with the
// system.

#include <cstdint>
#include <memory>
#include <vector>

#include "alembert/code/alike.h"
#include "alembert/code/kernel.h"

namespace alembert::internal {

/// As Kernel<T>: a pure function of its arguments, neither allocating nor throwing when called.
template <class T>
class WideKernel {
 public:
  WideKernel() = default;
  WideKernel(std::span<const Expr> inputs, std::span<const Expr> outputs, KernelOptions options = {});
  /// Where it is known what is alike.
  WideKernel(std::span<const Expr> inputs, std::vector<AlikeFormulas> alike, KernelOptions options);

  std::size_t work() const { return body_ ? body_->work : 0; }
  int outputs() const { return body_ ? body_->outputs : 0; }
  /// Formulas that are called at more than one place.
  int repeated() const { return body_ ? static_cast<int>(body_->formulas.size()) : 0; }

  void operator()(const T* in, T* out, T* work) const noexcept {
    if (body_->formulas.empty() && !body_->parts) body_->rest.call(in, out, work, parameters_);
    else call(*body_, in, out, work, parameters_);
  }

  /// As Kernel::bind.
  void bind(const T* parameters) noexcept { parameters_ = parameters; }

 private:
  /// Places one after the other, from each of which to the next every input and output moves by the same: what is not
  /// written down need not be read at every call.
  struct Run {
    std::int64_t places = 0;
    std::vector<std::int64_t> from, to;            // which inputs the first takes, which outputs it gives
    std::vector<std::int64_t> from_step, to_step;  // from place to place
  };
  struct Formula {
    Kernel<T> kernel;
    std::vector<Run> runs;
  };
  struct Body {
    int outputs = 0;
    std::size_t work = 0;
    std::vector<Formula> formulas;
    std::int64_t pieces = 1;            // into which the places of each run are divided
    std::shared_ptr<const Body> parts;  // what long sums are made of: the inputs of `rest`, where there are such sums
    Kernel<T> rest;                     // everything else, called once
    std::vector<std::uint32_t> rest_to;
  };
  static std::shared_ptr<const Body> make(std::span<const Expr> inputs, std::span<const Expr> outputs,
                                          KernelOptions options, bool divide);
  /// The inputs and outputs of a formula, place behind place.
  struct Places {
    const std::vector<std::uint32_t>&from, &to;
    std::size_t count;
  };
  static void add_runs(const Places& all, std::size_t first, std::size_t apart, std::vector<Run>& runs);
  static std::vector<Run> find_runs(const Places& all);
  static void add_places(AlikeFormulas formulas, KernelOptions options, Body& body);
  static void divide(Body& body);
  static void add_formula(Tape tape, std::vector<Run> runs, KernelOptions options, Body& body);
  static void find_formulas(std::span<const Expr> inputs, std::span<const Expr> outputs, KernelOptions options,
                            Body& body, std::vector<std::uint32_t>& alone);
  static void call(const Body& body, const T* in, T* out, T* work, const T* parameters) noexcept;
  static void call_formulas(const Body& body, const T* in, T* out, T* work, const T* parameters) noexcept;
  std::shared_ptr<const Body> body_;
  const T* parameters_ = nullptr;
};

}  // namespace alembert::internal
