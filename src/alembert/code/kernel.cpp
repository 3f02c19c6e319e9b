#include "alembert/code/kernel.h"

#include <stdexcept>
#include <utility>

#include "alembert/base/profile.h"
#include "alembert/code/compile_plan.h"
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
  const Walk& walk = tape.walk;
  if (walk.empty()) return;
  check(walk.from.size() == static_cast<std::size_t>(tape.inputs) && walk.from_step.size() == walk.from.size() &&
            walk.to.size() == tape.outputs.size() && walk.to_step.size() == walk.to.size(),
        "a walk says where every input and output is");
  check(tape.code.size() <= longest_walk, "a walk repeats a short tape");
}

KernelCode make_code(std::shared_ptr<const void> owner, const Tape& tape, std::span<const double> constants,
                     const KernelOptions& options) {
  KernelCode code;
  if (options.backend == Backend::interpreter) return code;
  const During compiling(Activity::compiling);
  if (!native_available()) {
    check(options.backend != Backend::native, "native code is asked for, but this build has no compiler");
    return code;
  }
  if (options.backend == Backend::native) {
    code.now = compile_native(tape, constants, options.optimise && tape.code.size() <= largest_optimised);
    return code;
  }
  const CompilePlan plan = compile_plan(tape.code.size(), options);
  bool best = false;
  if (plan.look) {
    try {
      code.now = stored_native(tape, constants, true);
      best = code.now.function || !plan.optimise;
      if (!code.now.function) code.now = stored_native(tape, constants, false);
    } catch (const std::runtime_error&) { code.now = {}; }  // a machine that forbids new code still computes
  }
  if (code.now.function && best) return code;
  code.later = std::make_shared<LateCode>(std::move(owner), tape, constants, plan.optimise, plan.patience);
  if (code.now.function) code.later->publish(std::exchange(code.now, {}));
  if (plan.compile) LateCode::request(code.later);
  return code;
}

void refuse_native(const KernelOptions& options) {
  check(options.backend != Backend::native, "native code is asked for in a scalar type other than double");
}

#if !ALEMBERT_LLVM
NativeCode compile_native(const Tape&, std::span<const double>, bool, const Wanted&) {
  throw std::logic_error("this build has no compiler");
}
NativeCode stored_native(const Tape&, std::span<const double>, bool) { return {}; }
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
