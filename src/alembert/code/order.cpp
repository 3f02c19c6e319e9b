#include "alembert/code/order.h"

#include <algorithm>
#include <numeric>

namespace alembert::internal {

OutputOrder order_outputs(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  constexpr std::uint32_t none = 0xffffffffu;
  OutputOrder order;
  order.outputs.resize(outputs.size());
  std::iota(order.outputs.begin(), order.outputs.end(), 0u);
  if (outputs.empty()) return order;
  for (const std::span<const Expr> list : {inputs, outputs})
    for (const Expr e : list) order.size = std::max(order.size, e.id() + 1);
  const Graph& graph = outputs.front().graph();
  std::vector<std::uint32_t> users(order.size, 0), first(order.size, none);
  for (std::uint32_t id = 0; id < order.size; ++id) {
    const Node& node = graph.node(id);
    const int operands = operand_count(node.op);
    if (operands > 0) ++users[node.a];
    if (operands > 1) ++users[node.b];
  }
  std::uint32_t least = order.size;  // nodes only have operands of smaller numbers: before it nothing depends on inputs
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    least = std::min(least, inputs[i].id());
    if (users[inputs[i].id()] < outputs.size() / 4) first[inputs[i].id()] = static_cast<std::uint32_t>(i);
  }
  for (std::uint32_t id = least; id < order.size; ++id) {
    const Node& node = graph.node(id);
    const int operands = operand_count(node.op);
    if (operands > 0) first[id] = first[node.a];
    if (operands > 1) first[id] = std::min(first[id], first[node.b]);
  }
  std::stable_sort(order.outputs.begin(), order.outputs.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return first[outputs[a].id()] < first[outputs[b].id()]; });
  for (const std::uint32_t output : order.outputs) order.first.push_back(first[outputs[output].id()]);
  return order;
}

}  // namespace alembert::internal
