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
#include "alembert/expr/operators.h"

namespace alembert::internal {
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
  std::vector<std::uint32_t> place(size, TapeBuilder::none);  // node -> register
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t id = inputs[i].id();
    check(graph->node(id).op == Op::symbol, "an input of a kernel is not a symbol");
    if (place[id] != TapeBuilder::none)
      throw std::logic_error("the symbol '" + graph->name(id) + "' is twice an input of a kernel");
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
      if (place[id] != TapeBuilder::none) {
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
      if (place[node.a] == TapeBuilder::none) {
        stack.push_back(node.a);
        continue;
      }
      if (fixed_power) {
        place[id] = builder.power(place[node.a], graph->value(node.b));
        if (place[id] != TapeBuilder::none) {
          stack.pop_back();
          continue;
        }
      }
      if (two && place[node.b] == TapeBuilder::none) {
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
