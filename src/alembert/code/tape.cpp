// From expressions to a tape: depth first from each output, so that a value is computed shortly before it is used.

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "alembert/code/instruction_table.h"
#include "alembert/code/kernel.h"
#include "alembert/code/order.h"
#include "alembert/error.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {
namespace {

constexpr int largest_power = 64;  // beyond it pow() is as fast and more exact
constexpr std::uint32_t none = 0xffffffffu;
// Constants and parameters are numbered apart until all are known.
constexpr std::uint32_t constant_mark = 0x80000000u, parameter_mark = 0x40000000u;

/// Numbers by keys of 128 bits, in one array.
class NumberTable {
 public:
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
    for (const std::uint32_t r : outputs) tape_.outputs.push_back(place(r));
    return std::move(tape_);
  }

 private:
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

}  // namespace

Tape make_tape(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  const Graph* graph = nullptr;
  std::uint32_t size = 0;
  for (const std::span<const Expr> list : {inputs, outputs}) {
    for (const Expr e : list) {
      check(static_cast<bool>(e), "a kernel is given an empty expression");
      if (!graph) graph = &e.graph();
      check(graph == &e.graph(), "a kernel is given expressions of different graphs");
      size = std::max(size, e.id() + 1);
    }
  }

  TapeBuilder builder(static_cast<int>(inputs.size()));
  std::vector<std::uint32_t> place(size, none);  // node -> register
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t id = inputs[i].id();
    check(graph->node(id).op == Op::symbol, "an input of a kernel is not a symbol");
    if (place[id] != none) throw std::logic_error("the symbol '" + graph->name(id) + "' is twice an input of a kernel");
    place[id] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::uint32_t> stack;
  std::vector<std::uint32_t> results(outputs.size());
  if (outputs.empty()) return builder.finish(results);
  std::vector<std::uint32_t> order(outputs.size());
  std::iota(order.begin(), order.end(), 0u);
  if (outputs.size() >= many_outputs) order = order_outputs(inputs, outputs).outputs;
  for (const std::uint32_t which : order) {
    const Expr output = outputs[which];
    stack.push_back(output.id());
    while (!stack.empty()) {
      const std::uint32_t id = stack.back();
      if (place[id] != none) {
        stack.pop_back();
        continue;
      }
      const Node& node = graph->node(id);
      if (node.op == Op::symbol) {
        throw std::logic_error("an output of a kernel depends on '" + graph->name(id) + "', which is not an input");
      }
      if (node.op == Op::constant) {
        place[id] = builder.constant(graph->value(id));
        stack.pop_back();
        continue;
      }
      if (node.op == Op::parameter) {
        place[id] = builder.parameter(node.a, graph->value(id));
        stack.pop_back();
        continue;
      }
      const bool two = operator_of(node.op).operands == 2;
      const bool fixed_power = node.op == Op::power && graph->node(node.b).op == Op::constant;
      // The exponent is visited only where pow() needs it: a constant never used would be copied at every call.
      if (place[node.a] == none) {
        stack.push_back(node.a);
        continue;
      }
      if (fixed_power) {
        place[id] = builder.power(place[node.a], graph->value(node.b));
        if (place[id] != none) {
          stack.pop_back();
          continue;
        }
      }
      if (two && place[node.b] == none) {
        stack.push_back(node.b);
        continue;
      }
      place[id] = two ? builder.emit(node.op, place[node.a], place[node.b]) : builder.emit(node.op, place[node.a]);
      stack.pop_back();
    }
    results[which] = place[output.id()];
  }
  return builder.finish(results);
}

}  // namespace alembert::internal
