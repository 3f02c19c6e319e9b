#pragma once

// The order in which the outputs of a large kernel are computed, and what they are computed from.

#include <cstdint>
#include <span>
#include <vector>

#include "alembert/code/kernel.h"

namespace alembert::internal {

/// Below this many outputs everything stays in the caches whatever the order.
inline constexpr std::size_t many_outputs = 1000;

/// Neighbours in a large system share inputs and intermediate values, so outputs follow the first input that they
/// depend on; inputs that nearly all need (time, step) do not count.
struct OutputOrder {
  std::vector<std::uint32_t> outputs;  // numbers of the outputs, in the order
  std::vector<std::uint32_t> first;    // in the same order: number of that first input; 0xffffffff where there is none
};
OutputOrder order_outputs(std::span<const Expr> inputs, std::span<const Expr> outputs);

/// As make_tape(), where the inputs are any expressions, each once, whose values are at hand.
Tape make_tape_from(std::span<const Expr> inputs, std::span<const Expr> outputs);

}  // namespace alembert::internal
