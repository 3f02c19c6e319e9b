// The sparse Jacobian. Two ways lead to a row: forward, where every node carries the list of its derivatives, which all
// rows share; and reverse, which costs one sweep over the row's own nodes however many variables it depends on.
// Each row takes the cheaper one.

#include <algorithm>
#include <iterator>
#include <span>

#include "alembert/error.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/sweep.h"

namespace alembert::internal {
namespace {

constexpr std::uint32_t none = Marks::none;
// A node that depends on more variables than this carries no list: a sum of 10^5 terms must not cost 10^10.
constexpr std::size_t longest_list = 64;

/// Decides for each function whether its row comes forward or reverse.
class Plan {
 public:
  Plan(const Active& active, ExprSpan f)
      : forward_row(f.size(), false),
        carried(active.nodes.size(), false),
        active_(active),
        swept_(active.nodes.size(), 0),
        seen_(active.nodes.size(), 0) {
    count_columns();
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (active.holds(f[i])) forward_row[i] = decide(active.position(f[i]));
    }
  }

  std::vector<bool> forward_row;
  std::vector<bool> carried;  // nodes whose list is needed

 private:
  const Active& active_;
  std::vector<std::uint32_t> length_;  // number of columns per node; none beyond longest_list
  std::vector<std::uint32_t> swept_;   // operations that reverse sweeps spend on this node so far
  std::vector<std::uint32_t> seen_;    // stamp of the last walk
  std::uint32_t stamp_ = 0;

  // The lists of all nodes lie one behind the other. What depends on too many variables has none, and so has all that
  // is made of it.
  void count_columns() {
    const std::vector<ActiveNode>& nodes = active_.nodes;
    length_.assign(nodes.size(), none);
    std::vector<std::uint32_t> columns;
    std::vector<std::size_t> begin(nodes.size());
    const auto list = [&](std::uint32_t i) { return std::span(columns).subspan(begin[i], length_[i]); };
    std::vector<std::uint32_t> own;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const ActiveNode& n = nodes[i];
      own.clear();
      if (n.column != none) {
        own.push_back(n.column);
      } else if ((n.a != none && length_[n.a] == none) || (n.b != none && length_[n.b] == none)) {
        continue;
      } else if (n.a == none || n.b == none) {  // the same list
        const std::uint32_t operand = n.a != none ? n.a : n.b;
        begin[i] = begin[operand];
        length_[i] = length_[operand];
        continue;
      } else {
        const auto a = list(n.a), b = list(n.b);
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(own));
      }
      if (own.size() > longest_list) continue;
      begin[i] = columns.size();
      length_[i] = std::uint32_t(own.size());
      columns.insert(columns.end(), own.begin(), own.end());
    }
  }

  // Operations that carrying the list of this node costs, and that one reverse sweep over it costs.
  std::uint64_t forward_cost(std::uint32_t i) const {
    const ActiveNode& n = active_.nodes[i];
    if (n.column != none) return 0;
    const std::uint64_t a = n.a == none ? 0 : length_[n.a], b = n.b == none ? 0 : length_[n.b];
    const std::uint64_t common = a + b - length_[i];
    const bool linear = n.op == Op::add || n.op == Op::subtract || n.op == Op::negate;
    return 1 + common + (linear ? 0 : a + b);
  }
  std::uint64_t reverse_cost(std::uint32_t i) const {
    const ActiveNode& n = active_.nodes[i];
    if (n.column != none) return 0;
    const bool linear = n.op == Op::add || n.op == Op::subtract || n.op == Op::negate;
    return linear ? 1 : n.a != none && n.b != none ? 3 : 2;
  }

  template <class Visit>
  void walk(std::uint32_t root, Visit visit) {
    ++stamp_;
    std::vector<std::uint32_t> open = {root};
    seen_[root] = stamp_;
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      if (!visit(i)) return;
      for (const std::uint32_t operand : {active_.nodes[i].a, active_.nodes[i].b}) {
        if (operand == none || seen_[operand] == stamp_) continue;
        seen_[operand] = stamp_;
        open.push_back(operand);
      }
    }
  }

  bool decide(std::uint32_t root) {
    if (carried[root]) return true;
    if (length_[root] == none) return false;
    // As with renting or buying: what reverse sweeps already spent on a node counts towards carrying its list, so that
    // the whole costs at most twice the better of both, without looking ahead.
    std::uint64_t forward = 0, reverse = 0;
    std::vector<std::uint32_t> fresh, swept;
    collect(root, fresh);
    for (const std::uint32_t i : fresh) {
      const std::uint64_t cost = forward_cost(i);
      forward += cost - std::min<std::uint64_t>(cost, swept_[i]);
    }
    walk(root, [&](std::uint32_t i) {
      reverse += reverse_cost(i);
      swept.push_back(i);
      return reverse < forward;
    });
    if (reverse >= forward) {
      for (const std::uint32_t i : fresh) carried[i] = true;
      return true;
    }
    for (const std::uint32_t i : swept) swept_[i] += std::uint32_t(reverse_cost(i));
    return false;
  }

  // The nodes below root that carry no list yet.
  void collect(std::uint32_t root, std::vector<std::uint32_t>& fresh) {
    ++stamp_;
    seen_[root] = stamp_;
    fresh.push_back(root);
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      for (const std::uint32_t operand : {active_.nodes[fresh[k]].a, active_.nodes[fresh[k]].b}) {
        if (operand == none || carried[operand] || seen_[operand] == stamp_) continue;
        seen_[operand] = stamp_;
        fresh.push_back(operand);
      }
    }
  }
};

using Entries = std::vector<Entry>;

void append(Entries& entries, std::uint32_t column, Expr value) {
  if (!is_zero(value)) entries.push_back({column, value});
}

Entries scaled(const Entries& list, Expr slope) {
  Entries result;
  result.reserve(list.size());
  for (const Entry& entry : list) append(result, entry.column, slope * entry.value);
  return result;
}

Entries kept_where(const Entries& list, Expr condition) {
  Entries result;
  result.reserve(list.size());
  for (const Entry& entry : list) append(result, entry.column, where(condition, entry.value));
  return result;
}

Entries merged(const Entries& p, const Entries& q) {
  Entries result;
  result.reserve(p.size() + q.size());
  std::size_t i = 0, j = 0;
  while (i < p.size() || j < q.size()) {
    if (j == q.size() || (i < p.size() && p[i].column < q[j].column)) {
      result.push_back(p[i++]);
    } else if (i == p.size() || q[j].column < p[i].column) {
      result.push_back(q[j++]);
    } else {
      append(result, p[i].column, p[i].value + q[j].value);
      ++i, ++j;
    }
  }
  return result;
}

/// The lists of all nodes that carry one, freed after their last use; `keep` are the positions wanted in the end.
std::vector<Entries> carry(const Active& active, const Plan& plan, const std::vector<bool>& keep) {
  const std::vector<ActiveNode>& nodes = active.nodes;
  Graph& graph = *active.graph;
  std::vector<std::uint32_t> last_use(nodes.size(), none);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!plan.carried[i]) continue;
    if (nodes[i].a != none) last_use[nodes[i].a] = std::uint32_t(i);
    if (nodes[i].b != none) last_use[nodes[i].b] = std::uint32_t(i);
  }
  std::vector<Entries> lists(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!plan.carried[i]) continue;
    const ActiveNode& n = nodes[i];
    const Expr node(&graph, n.id);
    if (n.column != none) {
      lists[i] = {{n.column, graph.constant(1)}};
      continue;
    }
    if (n.a != none) lists[i] = scaled(lists[n.a], partial(node, 0));
    if (n.b != none) {
      const Entries other = n.op == Op::where ? kept_where(lists[n.b], Expr(&graph, graph.node(n.id).a))
                                              : scaled(lists[n.b], partial(node, 1));
      lists[i] = n.a == none ? other : merged(lists[i], other);
    }
    for (const std::uint32_t operand : {n.a, n.b}) {
      if (operand != none && last_use[operand] == i && !keep[operand]) Entries().swap(lists[operand]);
    }
  }
  return lists;
}

}  // namespace

SparseExprs jacobian(ExprSpan f, ExprSpan x) {
  SparseExprs result;
  result.rows = int(f.size());
  result.columns = int(x.size());
  result.row_start.push_back(0);
  const Active active(f, x);
  if (active.nodes.empty()) {
    result.row_start.resize(f.size() + 1, 0);
    return result;
  }
  const Plan plan(active, f);
  std::vector<bool> keep(active.nodes.size(), false);
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (plan.forward_row[i]) keep[active.position(f[i])] = true;
  }
  const std::vector<Entries> lists = carry(active, plan, keep);
  ReverseSweep sweep(active);
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (active.holds(f[i])) {
      const std::uint32_t position = active.position(f[i]);
      Entries swept;
      if (!plan.forward_row[i]) {
        sweep.add(position, active.graph->constant(1));
        sweep.run();
        swept = sweep.take();
      }
      for (const Entry& entry : plan.forward_row[i] ? lists[position] : swept) {
        result.column.push_back(int(entry.column));
        result.value.push_back(entry.value);
      }
    }
    result.row_start.push_back(int(result.column.size()));
  }
  return result;
}

std::vector<Exprs> dense(const SparseExprs& matrix, Graph& graph) {
  std::vector<Exprs> result(std::size_t(matrix.rows), Exprs(std::size_t(matrix.columns), graph.constant(0)));
  for (int i = 0; i < matrix.rows; ++i) {
    for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) result[i][matrix.column[k]] = matrix.value[k];
  }
  return result;
}

}  // namespace alembert::internal
