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
  std::vector<std::uint32_t> open_, fresh_, swept_now_;  // of one decision; kept for the next

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
    open_.assign(1, root);
    seen_[root] = stamp_;
    while (!open_.empty()) {
      const std::uint32_t i = open_.back();
      open_.pop_back();
      if (!visit(i)) return;
      for (const std::uint32_t operand : {active_.nodes[i].a, active_.nodes[i].b}) {
        if (operand == none || seen_[operand] == stamp_) continue;
        seen_[operand] = stamp_;
        open_.push_back(operand);
      }
    }
  }

  bool decide(std::uint32_t root) {
    if (carried[root]) return true;
    if (length_[root] == none) return false;
    // As with renting or buying: what reverse sweeps already spent on a node counts towards carrying its list, so that
    // the whole costs at most twice the better of both, without looking ahead.
    std::uint64_t forward = 0, reverse = 0;
    swept_now_.clear();
    collect(root);
    for (const std::uint32_t i : fresh_) {
      const std::uint64_t cost = forward_cost(i);
      forward += cost - std::min<std::uint64_t>(cost, swept_[i]);
    }
    walk(root, [&](std::uint32_t i) {
      reverse += reverse_cost(i);
      swept_now_.push_back(i);
      return reverse < forward;
    });
    if (reverse >= forward) {
      for (const std::uint32_t i : fresh_) carried[i] = true;
      return true;
    }
    for (const std::uint32_t i : swept_now_) swept_[i] += std::uint32_t(reverse_cost(i));
    return false;
  }

  // The nodes below root that carry no list yet.
  void collect(std::uint32_t root) {
    ++stamp_;
    seen_[root] = stamp_;
    fresh_.assign(1, root);
    for (std::size_t k = 0; k < fresh_.size(); ++k) {
      for (const std::uint32_t operand : {active_.nodes[fresh_[k]].a, active_.nodes[fresh_[k]].b}) {
        if (operand == none || carried[operand] || seen_[operand] == stamp_) continue;
        seen_[operand] = stamp_;
        fresh_.push_back(operand);
      }
    }
  }
};

/// The derivatives of one node, columns ascending, none of them zero.
struct Slope {
  std::uint32_t column;
  std::uint32_t value;  // its node
};
using SlopeList = std::vector<Slope>;

/// The lists of all nodes that carry one, one behind the other.
class CarriedLists {
 public:
  CarriedLists(const Active& active, const Plan& plan) : graph_(*active.graph) {
    places_.resize(active.nodes.size());
    for (std::uint32_t i = 0; i < active.nodes.size(); ++i) {
      if (!plan.carried[i]) continue;
      made_.clear();
      make(active.nodes[i]);
      places_[i] = {all_.size(), made_.size()};
      all_.insert(all_.end(), made_.begin(), made_.end());
    }
  }

  std::span<const Slope> operator[](std::uint32_t position) const {
    return {all_.data() + places_[position].begin, places_[position].size};
  }

 private:
  void make(const ActiveNode& n) {
    const Expr node(&graph_, n.id);
    if (n.column != none) {
      made_.push_back({n.column, graph_.constant(1).id()});
      return;
    }
    if (n.a != none) scale((*this)[n.a], partial(node, 0), made_);
    if (n.b == none) return;
    other_.clear();
    if (n.op == Op::where) keep_where((*this)[n.b], Expr(&graph_, graph_.node(n.id).a), other_);
    else scale((*this)[n.b], partial(node, 1), other_);
    if (n.a == none) {
      made_.swap(other_);
      return;
    }
    first_.swap(made_);
    made_.clear();
    merge();
  }

  void append(std::uint32_t column, Expr value, SlopeList& to) const {
    if (!is_zero(value)) to.push_back({column, value.id()});
  }
  void scale(std::span<const Slope> list, Expr slope, SlopeList& to) const {
    const bool as_it_is = is_constant(slope, 1);
    for (const Slope& entry : list) {
      const Expr value(&graph_, entry.value);
      append(entry.column, as_it_is && !is_constant(value) ? value : slope * value, to);
    }
  }
  void keep_where(std::span<const Slope> list, Expr condition, SlopeList& to) const {
    for (const Slope& entry : list) append(entry.column, where(condition, Expr(&graph_, entry.value)), to);
  }
  /// first_ and other_ into made_.
  void merge() {
    const SlopeList &p = first_, &q = other_;
    std::size_t i = 0, j = 0;
    while (i < p.size() || j < q.size()) {
      if (j == q.size() || (i < p.size() && p[i].column < q[j].column)) {
        made_.push_back(p[i++]);
      } else if (i == p.size() || q[j].column < p[i].column) {
        made_.push_back(q[j++]);
      } else {
        append(p[i].column, Expr(&graph_, p[i].value) + Expr(&graph_, q[j].value), made_);
        ++i, ++j;
      }
    }
  }

  struct Range {
    std::size_t begin = 0, size = 0;
  };
  Graph& graph_;
  std::vector<Range> places_;
  SlopeList all_, made_, first_, other_;
};

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
  const CarriedLists lists(active, plan);
  ReverseSweep sweep(active);
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (active.holds(f[i])) {
      const std::uint32_t position = active.position(f[i]);
      if (plan.forward_row[i]) {
        for (const Slope& entry : lists[position]) {
          result.column.push_back(int(entry.column));
          result.value.push_back(Expr(active.graph, entry.value));
        }
      } else {
        sweep.add(position, active.graph->constant(1));
        sweep.run();
        for (const Entry& entry : sweep.take()) {
          result.column.push_back(int(entry.column));
          result.value.push_back(entry.value);
        }
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
