// From expressions to a tape: depth first from each output, so that a value is computed shortly before it is used.

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/code/order.h"
#include "alembert/code/tape_builder.h"
#include "alembert/error.h"
#include "alembert/expr/marks.h"

namespace alembert::internal {

namespace {

/// Null where both lists are empty.
const Graph* common_graph(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  const Graph* graph = nullptr;
  for (const std::span<const Expr> list : {inputs, outputs}) {
    for (const Expr e : list) {
      check(static_cast<bool>(e), "a kernel is given an empty expression");
      if (!graph) graph = &e.graph();
      check(graph == &e.graph(), "a kernel is given expressions of different graphs");
    }
  }
  return graph;
}

}  // namespace

Tape make_tape(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  for (const Expr e : inputs)
    check(e && e.graph().node(e.id()).op == Op::symbol, "an input of a kernel is not a symbol");
  return make_tape_from(inputs, outputs);
}

Tape make_tape_from(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  const Graph* const graph = common_graph(inputs, outputs);
  TapeBuilder builder(static_cast<int>(inputs.size()));
  Marks reached;                         // node -> number in
  std::vector<std::uint32_t> registers;  // the registers of the nodes that were reached
  const auto place = [&](std::uint32_t id) {
    const std::uint32_t number = reached[id];
    return number == Marks::none ? TapeBuilder::none : registers[number];
  };
  const auto put = [&](std::uint32_t id, std::uint32_t in_register) {
    reached.set(id, static_cast<std::uint32_t>(registers.size()));
    registers.push_back(in_register);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t id = inputs[i].id();
    if (reached.has(id)) throw std::logic_error("'" + to_text(inputs[i]) + "' is twice an input of a kernel");
    put(id, static_cast<std::uint32_t>(i));
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
      if (reached.has(id)) {
        stack.pop_back();
        continue;
      }
      const Node& node = graph->node(id);
      if (node.op == Op::symbol) {
        throw std::logic_error("an output of a kernel depends on '" + graph->name(id) + "', which is not an input");
      }
      if (node.op == Op::constant) {
        put(id, builder.constant(graph->value(id)));
        stack.pop_back();
        continue;
      }
      if (node.op == Op::parameter) {
        put(id, builder.parameter(node.a, graph->value(id)));
        stack.pop_back();
        continue;
      }
      const bool two = operand_count(node.op) == 2;
      const bool fixed_power = node.op == Op::power && graph->node(node.b).op == Op::constant;
      // The exponent is visited only where pow() needs it: a constant never used would be copied at every call.
      const std::uint32_t a = place(node.a);
      if (a == TapeBuilder::none) {
        stack.push_back(node.a);
        continue;
      }
      if (fixed_power) {
        const std::uint32_t power = builder.power(a, graph->value(node.b));
        if (power != TapeBuilder::none) {
          put(id, power);
          stack.pop_back();
          continue;
        }
      }
      const std::uint32_t b = two ? place(node.b) : a;
      if (b == TapeBuilder::none) {
        stack.push_back(node.b);
        continue;
      }
      put(id, builder.emit(node.op, a, b));
      stack.pop_back();
    }
    results[which] = place(output.id());
  }
  return builder.finish(results);
}

}  // namespace alembert::internal
