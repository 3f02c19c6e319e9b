#include "alembert/code/kernel.h"

#include <stdexcept>

#include "alembert/code/lanes.h"
#include "alembert/error.h"

namespace alembert::internal {

bool native_available() {
#if ALEMBERT_LLVM
  return true;
#else
  return false;
#endif
}

namespace detail {

void check_tape(const Tape& tape) {
  check(tape.inputs >= 0, "a tape has a negative number of inputs");
  check(tape.registers() < (std::size_t{1} << 32), "a tape has more registers than 32 bits can number");
  std::size_t ready = tape.first_result();
  for (const Tape::Instruction& step : tape.code) {
    check(step.a < ready && step.b < ready, "a tape reads a register before it is computed");
    check(operand_count(step.op) > 0, "a tape's instruction is not an operation");
    ++ready;
  }
  for (const std::uint32_t source : tape.outputs) check(source < ready, "a tape's output is not a register");
}

NativeCode make_native(const Tape& tape, std::span<const double> constants, const KernelOptions& options) {
  if (options.backend == Backend::interpreter) return {};
  if (!native_available()) {
    check(options.backend != Backend::native, "native code is asked for, but this build has no compiler");
    return {};
  }
  // Interpreting starts at once, unoptimised code after some milliseconds, optimised code pays off in long runs.
  constexpr double worth_compiling = 4000, worth_optimising = 300000;
  const bool automatic = options.backend == Backend::automatic;
  if (automatic && options.calls < worth_compiling) return {};
  const bool optimise = options.optimise && (!automatic || options.calls > worth_optimising);
  try {
    return compile_native(tape, constants, optimise && tape.code.size() <= largest_optimised);
  } catch (const std::runtime_error&) {
    if (options.backend == Backend::native) throw;
    return {};  // a machine that forbids new code still computes
  }
}

NativeCode try_native(const Tape& tape, std::span<const double> constants, const KernelOptions& options) noexcept {
  try {
    return make_native(tape, constants, options);
  } catch (const std::exception&) { return {}; }
}

void refuse_native(const KernelOptions& options) {
  check(options.backend != Backend::native, "native code is asked for in a scalar type other than double");
}

#if !ALEMBERT_LLVM
NativeCode compile_native(const Tape&, std::span<const double>, bool) {
  throw std::logic_error("this build has no compiler");
}
NativeProgram compile_program(const Program&, int) { throw std::logic_error("this build has no compiler"); }
#endif

}  // namespace detail

#if !ALEMBERT_LLVM
bool has_vector_functions() { return false; }
#endif

template class Kernel<double>;
template class Kernel<long double>;
template class Kernel<Quad>;

}  // namespace alembert::internal
