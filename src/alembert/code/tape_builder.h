#pragma once

// A tape while it is written. Private to code/.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "alembert/code/instruction_table.h"
#include "alembert/code/kernel.h"
#include "alembert/error.h"

namespace alembert::internal {

/// Numbers by keys of 128 bits, in one array.
class NumberTable {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;  // no number: there are fewer

  /// The number of the key, which becomes `fresh` where it is new. Whether it was.
  std::pair<std::uint32_t, bool> number(std::uint64_t low, std::uint64_t high, std::uint32_t fresh) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find(low, high);
    if (slot.number != none) return {slot.number, false};
    slot = {low, high, fresh};
    ++count_;
    return {fresh, true};
  }

 private:
  struct Slot {
    std::uint64_t low = 0, high = 0;
    std::uint32_t number = none;  // none: the slot is free
  };

  Slot& find(std::uint64_t low, std::uint64_t high) {
    std::uint64_t x = (low ^ (high * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 31)) * 0x94d049bb133111ebu;
    for (std::size_t i = x >> 20;; ++i) {
      Slot& slot = slots_[i & (slots_.size() - 1)];
      if (slot.number == none || (slot.low == low && slot.high == high)) return slot;
    }
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, 4 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != none) find(slot.low, slot.high) = slot;
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t count_ = 0;
};

/// Appends instructions, each distinct one once.
class TapeBuilder {
 public:
  static constexpr std::uint32_t none = NumberTable::none;
  // Constants and parameters are numbered apart until all are known.
  static constexpr std::uint32_t constant_mark = 0x80000000u, parameter_mark = 0x40000000u;

  explicit TapeBuilder(int inputs) { tape_.inputs = inputs; }

  std::uint32_t constant(Quad value) {
    std::uint64_t bits[2];
    static_assert(sizeof bits == sizeof value);
    std::memcpy(bits, &value, sizeof value);
    const auto [place, fresh] = constants_.number(bits[0], bits[1], static_cast<std::uint32_t>(tape_.constants.size()));
    if (fresh) tape_.constants.push_back(value);
    return constant_mark | place;
  }

  std::uint32_t parameter(std::uint32_t place, Quad usual) {
    tape_.parameters.push_back(place);
    tape_.usual.push_back(usual);
    return parameter_mark | static_cast<std::uint32_t>(tape_.parameters.size() - 1);
  }

  std::uint32_t emit(Op op, std::uint32_t a) { return emit(op, a, a); }
  std::uint32_t emit(Op op, std::uint32_t a, std::uint32_t b) {
    const bool swap = (op == Op::add || op == Op::multiply) && b < a;  // for the key only; values do not change
    const auto [place, fresh] =
        known_.number(op, swap ? b : a, swap ? a : b, static_cast<std::uint32_t>(tape_.inputs + tape_.code.size()));
    if (fresh) {
      check(place < parameter_mark - 1, "an expression has too many operations for one kernel");
      tape_.code.push_back({op, a, b});
    }
    return place;
  }

  /// base^exponent as products and square roots where the exponent is half of a small whole number, else none.
  std::uint32_t power(std::uint32_t base, Quad exponent) {
    const Quad twice = exponent + exponent;
    if (!(twice >= -2 * largest_power && twice <= 2 * largest_power)) return none;
    const int halves = static_cast<int>(twice);
    if (halves != twice) return none;
    const int size = halves < 0 ? -halves : halves;
    std::uint32_t result = whole_power(base, size / 2);
    if (size % 2 != 0) {
      const std::uint32_t root = emit(Op::sqrt, base);
      result = size == 1 ? root : emit(Op::multiply, result, root);
    }
    return halves < 0 ? emit(Op::divide, constant(1), result) : result;
  }

  Tape finish(std::span<const std::uint32_t> outputs) {
    const std::uint32_t inputs = tape_.inputs, parameters = tape_.parameters.size(), constants = tape_.constants.size();
    const auto place = [&](std::uint32_t r) {
      if (r & constant_mark) return inputs + parameters + (r & ~constant_mark);
      if (r & parameter_mark) return inputs + (r & ~parameter_mark);
      return r < inputs ? r : r + parameters + constants;
    };
    for (Tape::Instruction& step : tape_.code) {
      step.a = place(step.a);
      step.b = place(step.b);
    }
    tape_.code.shrink_to_fit();  // tapes of large systems are kept
    tape_.outputs.reserve(outputs.size());
    for (const std::uint32_t r : outputs) tape_.outputs.push_back(place(r));
    return std::move(tape_);
  }

 private:
  static constexpr int largest_power = 64;  // beyond it pow() is as fast and more exact

  // Binary powers; the parts are shared through emit(), so x^2 serves x^4 and x^5 too.
  std::uint32_t whole_power(std::uint32_t base, int n) {
    if (n == 0) return constant(1);
    std::uint32_t result = base;
    for (int bit = static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 2; bit >= 0; --bit) {
      result = emit(Op::multiply, result, result);
      if ((n >> bit) & 1) result = emit(Op::multiply, result, base);
    }
    return result;
  }

  Tape tape_;
  NumberTable constants_;
  InstructionTable known_;
};

}  // namespace alembert::internal
