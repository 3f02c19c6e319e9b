#pragma once

// Long tapes are compiled as a row of short functions, because a compiler's time grows faster than the length of a
// function. Values that one chunk computes and a later one reads go through the work array; the others do not.

#include <cstdint>
#include <vector>

#include "alembert/code/kernel.h"

namespace alembert::internal::detail {

struct Chunks {
  static constexpr std::uint32_t local = 0xffffffffu;  // no slot: the value never leaves its chunk
  std::size_t length = 0;                              // instructions in a chunk; the last one may have fewer
  std::size_t count = 0;                               // 0 only for a tape without instructions
  std::vector<std::uint32_t> slot;                     // per instruction: its place in the work array, or local
  std::size_t slots = 0;                               // size of the work array
};

/// Equal chunks of at most `longest` instructions. A slot is used again once no later chunk reads it.
Chunks split(const Tape& tape, std::size_t longest);

}  // namespace alembert::internal::detail
