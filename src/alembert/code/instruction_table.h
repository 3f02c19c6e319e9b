#pragma once

// What a tape is built with: tapes have millions of instructions, and most of them are looked up once.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "alembert/expr.h"
#include "alembert/expr/places.h"

namespace alembert::internal {

/// Numbers of instructions, each distinct one once.
class InstructionTable {
 public:
  /// The number of the instruction, which becomes `fresh` where it is new. Whether it was.
  std::pair<std::uint32_t, bool> number(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t fresh) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find(op, a, b);
    if (slot.number != none) return {slot.number, false};
    slot = {a, b, fresh, op};
    ++count_;
    return {fresh, true};
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;  // no number: there are fewer
  struct Slot {
    std::uint32_t a = 0, b = 0;
    std::uint32_t number = none;  // none: the slot is free
    Op op{};
  };
  static constexpr std::size_t line_slots = 4;  // a cache line

  Slot& find(Op op, std::uint32_t a, std::uint32_t b) {
    Places<line_slots> place(neighbouring_hash(static_cast<std::uint8_t>(op), a, b), slots_.size());
    for (;; ++place) {
      Slot& slot = slots_[*place];
      if (slot.number == none || (slot.a == a && slot.b == b && slot.op == op)) return slot;
    }
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != none) find(slot.op, slot.a, slot.b) = slot;
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t count_ = 0;
};

}  // namespace alembert::internal
