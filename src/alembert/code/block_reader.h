#pragma once

// Formulas as texts: equal ones at other places read the same. Private to code/.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "alembert/expr.h"
#include "alembert/expr/marks.h"

namespace alembert::internal {

// Larger formulas are none that repeat: a sum over the whole system is read once.
inline constexpr std::size_t largest_formula = 5000;

/// Outputs that are computed together, written so that equal formulas at different places read the same.
struct BlockText {
  std::u32string text;                // operations and operands, numbered from within
  std::vector<std::uint32_t> inputs;  // numbers of the inputs, in the order in which the text meets them
};

class BlockReader {
 public:
  BlockReader(const Graph& graph, std::span<const Expr> inputs) : graph_(graph) {
    for (std::size_t i = 0; i < inputs.size(); ++i) input_.set(inputs[i].id(), static_cast<std::uint32_t>(i));
  }

  /// False where the block is too large.
  bool read(std::span<const Expr> outputs, std::span<const std::uint32_t> which, BlockText& block) {
    block.text.clear();
    block.inputs.clear();
    Marks local;  // numbers within the block, of the nodes that were seen
    std::uint32_t count = 0;
    for (const std::uint32_t output : which) {
      stack_.push_back(outputs[output].id());
      while (!stack_.empty()) {
        const std::uint32_t id = stack_.back();
        if (local.has(id)) {
          stack_.pop_back();
          continue;
        }
        const Node& node = graph_.node(id);
        const int operands = operand_count(node.op);
        const std::uint32_t a = operands > 0 ? local[node.a] : 0;
        if (a == Marks::none) {
          stack_.push_back(node.a);
          continue;
        }
        const std::uint32_t b = operands > 1 ? local[node.b] : 0;
        if (b == Marks::none) {
          stack_.push_back(node.b);
          continue;
        }
        stack_.pop_back();
        local.set(id, count++);
        if (count > largest_formula) {
          stack_.clear();
          return false;
        }
        block.text.push_back(static_cast<std::uint32_t>(node.op) | a << operator_bits);
        if (node.op == Op::symbol) block.inputs.push_back(input_[id]);
        if (node.op == Op::constant) block.text.push_back(id);
        if (node.op == Op::parameter) block.text.push_back(node.a);
        if (operands > 1) block.text.push_back(b);
      }
      block.text.push_back(end_of_output);
      block.text.push_back(local[outputs[output].id()]);
    }
    return true;
  }

 private:
  static constexpr int operator_bits = 8;  // there are fewer than 256 operators
  static_assert(largest_formula < 1u << (32 - operator_bits));
  static constexpr char32_t end_of_output = 0xffffffffu;  // no operation is written so

  const Graph& graph_;
  Marks input_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace alembert::internal
