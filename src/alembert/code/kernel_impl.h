#pragma once

// Template bodies of kernel.h. A scalar type of your own needs a constructor from double (or from Quad), arithmetic,
// and what evaluate<T> asks for.

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "alembert/code/kernel.h"
#include "alembert/code/native.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {

/// A Quad as T: directly where T knows Quad, else as the exact sum of three doubles.
template <class T>
T from_quad(Quad value) {
  if constexpr (std::is_constructible_v<T, Quad>) {
    return static_cast<T>(value);
  } else {
    const double high = static_cast<double>(value);
    if (!std::isfinite(high)) return T(high);
    const double middle = static_cast<double>(value - high);
    const double low = static_cast<double>(value - high - middle);
    return T(high) + T(middle) + T(low);
  }
}

namespace detail {

/// a + b, a - b or a * b without a branch on which: a tape mixes them, and a wrong guess costs more than both.
inline double sum_or_product(Op op, double a, double b) {
  static_assert(sizeof(double) == sizeof(std::uint64_t));
  const std::uint64_t flip = std::uint64_t{op == Op::subtract} << 63;
  const std::uint64_t mask = -std::uint64_t{op == Op::multiply};
  const double sum = a + std::bit_cast<double>(std::bit_cast<std::uint64_t>(b) ^ flip);
  const double product = a * b;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(sum) & ~mask) |
                               (std::bit_cast<std::uint64_t>(product) & mask));
}

template <class T>
void run_tape(const Tape& tape, const T* in, T* out, T* work) {
  T* result = work + tape.first_result();
  for (int i = 0; i < tape.inputs; ++i) work[i] = in[i];
  for (const Tape::Instruction& step : tape.code) {
    const T& a = work[step.a];
    const T& b = work[step.b];
    if constexpr (std::is_same_v<T, double>) {
      if (step.op == Op::add || step.op == Op::subtract || step.op == Op::multiply) {
        *result++ = sum_or_product(step.op, a, b);
        continue;
      }
    }
    switch (step.op) {
      // The usual ones inline; the others are long enough for a call not to matter.
      case Op::add: *result = a + b; break;
      case Op::subtract: *result = a - b; break;
      case Op::multiply: *result = a * b; break;
      case Op::divide: *result = a / b; break;
      case Op::negate: *result = -a; break;
      default: *result = evaluate<T>(step.op, a, b); break;
    }
    ++result;
  }
  for (const std::uint32_t source : tape.outputs) *out++ = work[source];
}

}  // namespace detail

template <class T>
void interpret(const Tape& tape, const T* in, T* out, T* work) {
  T* known = work + tape.inputs;
  for (const Quad value : tape.usual) *known++ = from_quad<T>(value);
  for (const Quad value : tape.constants) *known++ = from_quad<T>(value);
  detail::run_tape(tape, in, out, work);
}

template <class T>
Kernel<T>::Kernel(std::span<const Expr> inputs, std::span<const Expr> outputs, KernelOptions options)
    : Kernel(make_tape(inputs, outputs), options) {}

template <class T>
Kernel<T>::Kernel(Tape tape, KernelOptions options) {  // NOLINT(performance-unnecessary-value-param): moved
  auto program = std::make_shared<Program>();
  program->tape = std::move(tape);
  detail::check_tape(program->tape);
  program->constants.reserve(program->tape.constants.size());
  for (const Quad value : program->tape.constants) program->constants.push_back(from_quad<T>(value));
  for (std::size_t i = 0; i < program->tape.parameters.size(); ++i) {
    const std::uint32_t place = program->tape.parameters[i];
    if (program->usual.size() <= place) program->usual.resize(place + 1);
    program->usual[place] = from_quad<T>(program->tape.usual[i]);
  }
  work_ = program->tape.registers();
  if constexpr (std::is_same_v<T, double>) {
    detail::KernelCode code = detail::make_code(program, program->tape, program->constants, options);
    late_ = std::move(code.later);
    if (code.now.function) {
      code_ = std::move(code.now.owner);
      native_ = code.now.function;
      work_ = code.now.work;
    }
  } else {
    detail::refuse_native(options);
  }
  program_ = std::move(program);
}

template <class T>
void Kernel<T>::interpret(const T* in, T* out, T* work, const T* parameters) const noexcept {
  const Program& program = *program_;
  T* known = work + program.tape.inputs;
  for (const std::uint32_t place : program.tape.parameters) *known++ = parameters[place];
  for (const T& value : program.constants) *known++ = value;
  detail::run_tape(program.tape, in, out, work);
}

extern template class Kernel<double>;
extern template class Kernel<long double>;
extern template class Kernel<Quad>;

}  // namespace alembert::internal
