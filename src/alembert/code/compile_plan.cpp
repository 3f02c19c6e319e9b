#include "alembert/code/compile_plan.h"

#include <algorithm>
#include <cmath>

#include "alembert/code/kernel.h"

namespace alembert::internal::detail {

namespace {

// CPU seconds, measured by bench/compile_bench with 30 to 10,000 operations on one recent core.
constexpr double interpreted_operation = 3e-9, fast_operation = 0.3e-9;
// What optimising saves of an operation: nothing where functions dominate, up to a fifth elsewhere.
constexpr double saved_by_optimising = 0.04e-9;
constexpr double fast_start = 1.5e-3, fast_compiling = 3e-6;  // a kernel, an operation of it
constexpr double optimised_start = 2.5e-3, optimised_compiling = 24e-6;
constexpr double look_start = 0.25e-3;  // reading a file and linking it

}  // namespace

CompilePlan compile_plan(std::size_t operations, const KernelOptions& options) {
  // An empty kernel costs its call.
  const auto size = static_cast<double>(std::max<std::size_t>(operations, 1));
  const double saved = size * (interpreted_operation - fast_operation);  // by a call
  const double cost = fast_start + size * fast_compiling;
  CompilePlan plan;
  plan.look = options.calls * saved > look_start;
  plan.compile = options.calls * saved > cost;
  plan.optimise = plan.compile && options.optimise && operations <= largest_optimised &&
                  options.calls * size * saved_by_optimising > optimised_start + size * optimised_compiling;
  plan.patience = static_cast<long>(std::ceil(cost / saved));
  return plan;
}

bool fast_code_first(std::size_t operations) {
  // Below it optimised code takes some 10 ms.
  constexpr std::size_t small = 300;
  return operations > small;
}

}  // namespace alembert::internal::detail
