#include "alembert/code/order.h"

#include <algorithm>
#include <numeric>

#include "alembert/expr/derivative.h"
#include "alembert/expr/marks.h"

namespace alembert::internal {

OutputOrder order_outputs(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  constexpr std::uint32_t none = Marks::none;
  OutputOrder order;
  order.outputs.resize(outputs.size());
  std::iota(order.outputs.begin(), order.outputs.end(), 0u);
  if (outputs.empty()) return order;
  const Graph& graph = outputs.front().graph();
  const std::vector<std::uint32_t> nodes = reachable(outputs);
  Marks users;  // but one
  const auto use = [&](std::uint32_t id) { users.set(id, users[id] + 1); };
  for (const std::uint32_t id : nodes) {
    const Node& node = graph.node(id);
    const int operands = operand_count(node.op);
    if (operands > 0) use(node.a);
    if (operands > 1) use(node.b);
  }
  Marks first;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t id = inputs[i].id();
    if (users[id] + 1 < outputs.size() / 4) first.set(id, static_cast<std::uint32_t>(i));
  }
  for (const std::uint32_t id : nodes) {
    const Node& node = graph.node(id);
    const int operands = operand_count(node.op);
    if (operands == 0) continue;
    const std::uint32_t least = operands == 1 ? first[node.a] : std::min(first[node.a], first[node.b]);
    if (least != none) first.set(id, least);
  }
  std::vector<std::uint32_t> of_output(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) of_output[i] = first[outputs[i].id()];
  std::stable_sort(order.outputs.begin(), order.outputs.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return of_output[a] < of_output[b]; });
  order.first.reserve(outputs.size());
  for (const std::uint32_t output : order.outputs) order.first.push_back(of_output[output]);
  return order;
}

}  // namespace alembert::internal
