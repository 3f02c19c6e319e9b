// What occurs in expressions, and replacing it: reachable, free_symbols, depends, substitute.

#include <algorithm>

#include "alembert/error.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/marks.h"

namespace alembert::internal {
namespace {

Graph* common_graph(ExprSpan f, Graph* graph = nullptr) {
  for (const Expr e : f) {
    check(bool(e), "an empty expression in a list");
    if (graph == nullptr) graph = &e.graph();
    check(&e.graph() == graph, "expressions of one list belong to different graphs");
  }
  return graph;
}

}  // namespace

std::vector<std::uint32_t> reachable(ExprSpan f) {
  std::vector<std::uint32_t> found;
  const Graph* graph = common_graph(f);
  if (graph == nullptr) return found;
  Marks seen;
  std::uint32_t first = Marks::none, last = 0;
  // A node has two operands at most: with two places left nobody has to ask for room.
  std::size_t count = 0;
  found.resize(f.size() + 2);
  const auto visit = [&](std::uint32_t id) {
    if (!seen.insert(id)) return;
    found[count++] = id;
    first = std::min(first, id);
    last = std::max(last, id);
  };
  for (const Expr e : f) visit(e.id());
  for (std::size_t i = 0; i < count; ++i) {
    if (count + 2 > found.size()) found.resize(2 * found.size());
    const Node& node = graph->node(found[i]);
    const int operands = operand_count(node.op);
    if (operands > 0) visit(node.a);
    if (operands > 1) visit(node.b);
  }
  found.resize(count);
  // Ascending numbers are an order where operands come first; counting is faster than sorting when most are there.
  if (std::size_t(last - first) < 8 * found.size()) {
    std::uint32_t* next = found.data();
    for (std::uint32_t id = first; id <= last; ++id) {
      if (seen.has(id)) *next++ = id;
    }
  } else {
    std::sort(found.begin(), found.end());
  }
  return found;
}

Exprs free_symbols(ExprSpan f) {
  Exprs result;
  for (const std::uint32_t id : reachable(f)) {
    if (f[0].graph().node(id).op == Op::symbol) result.push_back({&f[0].graph(), id});
  }
  return result;
}

bool depends(ExprSpan f, ExprSpan x) {
  const Graph* graph = common_graph(x, common_graph(f));
  if (f.empty() || x.empty()) return false;
  Marks wanted;
  std::uint32_t least = Marks::none;
  for (const Expr e : x) {
    wanted.set(e.id(), 0);
    least = std::min(least, e.id());
  }
  Marks seen;
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t id) {
    // A node only has operands of smaller numbers: below all of x there is nothing to find.
    if (id >= least && seen.insert(id)) open.push_back(id);
  };
  for (const Expr e : f) visit(e.id());
  while (!open.empty()) {
    const std::uint32_t id = open.back();
    open.pop_back();
    if (wanted.has(id)) return true;
    const Node& node = graph->node(id);
    const int operands = operand_count(node.op);
    if (operands > 0) visit(node.a);
    if (operands > 1) visit(node.b);
  }
  return false;
}

bool depends(Expr f, ExprSpan x) { return depends(ExprSpan(&f, 1), x); }

Exprs substitute(ExprSpan f, ExprSpan from, ExprSpan to, Graph& target) {
  check(from.size() == to.size(), "substitute needs as many replacements as symbols");
  common_graph(to, &target);
  Graph* source = common_graph(from, common_graph(f));
  Marks replaced;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Op op = source->node(from[i].id()).op;
    check(op == Op::symbol || op == Op::parameter, "only symbols and parameters can be substituted");
    check(replaced.insert(from[i].id(), std::uint32_t(i)), "a symbol is substituted twice");
  }
  const std::vector<std::uint32_t> order = reachable(f);
  Marks position;
  Exprs image(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t id = order[i];
    position.set(id, std::uint32_t(i));
    const Node node = source->node(id);
    const int operands = operand_count(node.op);
    if (node.op == Op::constant) {
      image[i] = target.constant(source->value(id));
    } else if (node.op == Op::parameter && replaced[id] == Marks::none) {
      image[i] = target.parameter(static_cast<int>(node.a), source->name(id), source->value(id));
    } else if (operands == 0) {
      const std::uint32_t number = replaced[id];
      check(number != Marks::none || source == &target, "a symbol of another graph is not replaced");
      image[i] = number == Marks::none ? Expr(source, id) : to[number];
    } else {
      const Expr a = image[position[node.a]];
      const Expr b = operands == 2 ? image[position[node.b]] : a;
      const bool kept = source == &target && a.id() == node.a && (operands == 1 || b.id() == node.b);
      image[i] = kept ? Expr(source, id) : operands == 1 ? target.make(node.op, a) : target.make(node.op, a, b);
    }
  }
  Exprs result;
  for (const Expr e : f) result.push_back(image[position[e.id()]]);
  return result;
}

Expr substitute(Expr f, ExprSpan from, ExprSpan to, Graph& target) {
  return substitute(ExprSpan(&f, 1), from, to, target)[0];
}

}  // namespace alembert::internal
