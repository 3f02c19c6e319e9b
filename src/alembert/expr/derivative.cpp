#include "alembert/expr/derivative.h"

#include <algorithm>

#include "alembert/error.h"
#include "alembert/expr/marks.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/sweep.h"

namespace alembert::internal {

Active::Active(ExprSpan f, ExprSpan x) {
  for (const ExprSpan list : {f, x}) {
    for (const Expr e : list) {
      check(bool(e), "an empty expression in a list");
      if (graph == nullptr) graph = &e.graph();
      check(&e.graph() == graph, "expressions of one list belong to different graphs");
    }
  }
  Marks column_of;
  for (std::size_t j = 0; j < x.size(); ++j) {
    check(graph->node(x[j].id()).op == Op::symbol, "only derivatives with respect to symbols");
    check(column_of.insert(x[j].id(), std::uint32_t(j)), "a symbol is differentiated twice");
  }
  for (const std::uint32_t id : reachable(f)) {
    const Node node = graph->node(id);
    const int operands = operand_count(node.op);
    const std::uint32_t a = operands > 0 ? position_[node.a] : Marks::none;
    const std::uint32_t b = operands > 1 ? position_[node.b] : Marks::none;
    const std::uint32_t column = operands == 0 ? column_of[id] : Marks::none;
    if (a == Marks::none && b == Marks::none && column == Marks::none) continue;
    position_.set(id, std::uint32_t(nodes.size()));
    nodes.push_back({id, node.op, a, b, column});
  }
}

namespace {

// factor times the slope of node along an operand; as one division where the slope is a reciprocal.
Expr chain(Expr factor, Expr node, int operand) {
  Graph& graph = node.graph();
  const Op op = graph.node(node.id()).op;
  if (op == Op::add || (op == Op::subtract && operand == 0)) return factor;
  if (op == Op::negate || op == Op::subtract) return -factor;
  if (op == Op::where) return where(Expr(&graph, graph.node(node.id()).a), factor);
  const Expr slope = partial(node, operand);
  const Node n = graph.node(slope.id());
  if (n.op == Op::divide && is_constant(Expr(&graph, n.a), 1)) return factor / Expr(&graph, n.b);
  return factor * slope;
}

}  // namespace

ReverseSweep::ReverseSweep(const Active& active) : active_(active), head_(active.nodes.size(), none) {}

void ReverseSweep::add(std::uint32_t position, Expr weight) {
  if (is_zero(weight)) return;
  if (head_[position] == none) {
    touched_.push_back(position);
    std::push_heap(touched_.begin(), touched_.end());
  }
  shares_.push_back({weight, head_[position]});
  head_[position] = std::uint32_t(shares_.size() - 1);
}

void ReverseSweep::run() {
  Graph& graph = *active_.graph;
  Exprs terms;
  while (!touched_.empty()) {
    std::pop_heap(touched_.begin(), touched_.end());
    const std::uint32_t position = touched_.back();
    touched_.pop_back();
    terms.clear();
    for (std::uint32_t i = head_[position]; i != none; i = shares_[i].next) terms.push_back(shares_[i].weight);
    head_[position] = none;
    std::reverse(terms.begin(), terms.end());
    const Expr weight = sum(graph, terms);
    const ActiveNode& n = active_.nodes[position];
    const Expr node(&graph, n.id);
    if (n.column != Marks::none) {
      if (!is_zero(weight)) entries_.push_back({n.column, weight});
      continue;
    }
    if (n.op == Op::divide) {  // both slopes hold 1/b: divide once
      const Expr share = weight / Expr(&graph, graph.node(n.id).b);
      if (n.a != Marks::none) add(n.a, share);
      if (n.b != Marks::none) add(n.b, -(share * node));
      continue;
    }
    if (n.op == Op::where) {
      sweep_where(n, weight);
      continue;
    }
    if (n.a != Marks::none) add(n.a, chain(weight, node, 0));
    if (n.b != Marks::none) add(n.b, chain(weight, node, 1));
  }
  shares_.clear();
}

// What is not taken may be no number, and its slopes neither: they are cut off whole, not multiplied by 0.
void ReverseSweep::sweep_where(const ActiveNode& node, Expr weight) {
  if (node.b == Marks::none) return;
  Graph& graph = *active_.graph;
  const Expr condition(&graph, graph.node(node.id).a);
  ReverseSweep inner(active_);
  inner.add(node.b, weight);
  inner.run();
  if (column_position_.empty())
    for (std::size_t i = 0; i < active_.nodes.size(); ++i)
      if (active_.nodes[i].column != Marks::none) column_position_[active_.nodes[i].column] = std::uint32_t(i);
  for (const Entry& entry : inner.take()) add(column_position_.at(entry.column), where(condition, entry.value));
}

std::vector<Entry> ReverseSweep::take() {
  std::vector<Entry> entries = std::move(entries_);
  entries_.clear();
  std::sort(entries.begin(), entries.end(), [](const Entry& p, const Entry& q) { return p.column < q.column; });
  return entries;
}

Exprs transposed_product(ExprSpan f, ExprSpan x, ExprSpan w) {
  check(f.size() == w.size(), "as many weights as functions");
  if (x.empty()) return {};
  const Active active(f, x);
  ReverseSweep sweep(active);
  for (std::size_t i = 0; i < f.size(); ++i) {
    check(w[i] && &w[i].graph() == active.graph, "a weight of another graph");
    if (active.holds(f[i])) sweep.add(active.position(f[i]), w[i]);
  }
  sweep.run();
  Exprs result(x.size(), active.graph->constant(0));
  for (const Entry& entry : sweep.take()) result[entry.column] = entry.value;
  return result;
}

Exprs gradient(Expr f, ExprSpan x) {
  check(bool(f), "an empty expression has no gradient");
  const Expr one = f.graph().constant(1);
  return transposed_product(ExprSpan(&f, 1), x, ExprSpan(&one, 1));
}

Exprs directional(ExprSpan f, ExprSpan x, ExprSpan d) {
  check(x.size() == d.size(), "a direction has as many components as there are variables");
  if (f.empty()) return {};
  const Active active(f, x);
  Graph& graph = *active.graph;
  const Expr zero = graph.constant(0);
  Exprs tangent(active.nodes.size(), zero);
  for (std::size_t i = 0; i < active.nodes.size(); ++i) {
    const ActiveNode& n = active.nodes[i];
    if (n.column != Marks::none) {
      check(d[n.column] && &d[n.column].graph() == &graph, "a direction of another graph");
      tangent[i] = d[n.column];
      continue;
    }
    const Expr node(&graph, n.id);
    const Expr a = n.a == Marks::none ? zero : tangent[n.a];
    const Expr b = n.b == Marks::none ? zero : tangent[n.b];
    if (n.op == Op::divide) {
      tangent[i] = (a - node * b) / Expr(&graph, graph.node(n.id).b);
      continue;
    }
    // A slope is only made where it is used: the one along a power's constant exponent would be a logarithm for
    // nothing.
    if (!is_zero(a)) tangent[i] = chain(a, node, 0);
    if (!is_zero(b)) tangent[i] = tangent[i] + chain(b, node, 1);
  }
  Exprs result;
  for (const Expr e : f) result.push_back(active.holds(e) ? tangent[active.position(e)] : zero);
  return result;
}

Exprs hessian_vector(Expr f, ExprSpan x, ExprSpan d) {
  // In this order d may depend on x: it is not differentiated.
  return directional(gradient(f, x), x, d);
}

}  // namespace alembert::internal
