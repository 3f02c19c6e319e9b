#include "alembert/newton/explicit_unknowns.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

// As for pivots of an elimination (linear/elimination.cpp).
constexpr double least_factor = 0.05;

/// x of factor*x + rest = 0; divisions are dear, and of a constant there is none.
Expr solved_for(Expr rest, Expr factor) { return -rest * (Quad(1) / factor); }

/// The state of the reduction: all lists are over the unknowns of the given step.
class Reduction {
 public:
  Reduction(const StepEquations& e, const std::vector<double>& typical)
      : e_(e), graph_(*e.graph), typical_(typical), equations_(e.equations), values_(e.unknowns.size()) {
    group_.assign(e.unknowns.size(), -1);
    for (std::size_t g = 0; g < e.groups.size(); ++g)
      for (int i = e.groups[g].first; !e.groups[g].multipliers() && i < e.groups[g].first + e.groups[g].count; ++i)
        group_[i] = static_cast<int>(g);
  }

  /// Takes out as many at once as do not need each other. Whether there were any.
  bool pass() {
    const std::vector<int> open = remaining();
    const SparseExprs J = jacobian(equations_of(open), unknowns_of(open));
    const std::vector<double> numbers = values_of(J.value);
    std::vector<bool> taken(open.size(), false);
    std::vector<int> chosen;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const int entry = own_entry(J, static_cast<int>(i));
      if (group_[open[i]] < 0 || entry < 0 || depends(J.value[entry], e_.unknowns)) continue;
      double largest = 0;
      bool free = true;
      for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k) {
        free = free && !taken[J.column[k]];
        if (group_[open[J.column[k]]] >= 0) largest = std::max(largest, std::abs(numbers[k]));
      }
      if (!free || !(std::abs(numbers[entry]) >= least_factor * largest) || !(largest > 0)) continue;
      if (needed_by(J, chosen, static_cast<int>(i))) continue;
      taken[i] = true;
      chosen.push_back(static_cast<int>(i));
    }
    if (chosen.empty()) return false;
    eliminate(open, J, chosen);
    return true;
  }

  ReducedStep finish() const {
    ReducedStep result{e_, remaining(), {}};
    StepEquations& r = result.equations;
    r.unknowns = unknowns_of(result.kept);
    r.equations = equations_of(result.kept);
    Exprs from, to;
    for (const int i : order_) {
      from.push_back(e_.unknowns[i]);
      to.push_back(values_[i]);
      result.eliminated.push_back({i, group_[i], values_[i], open_form(i)});
    }
    const auto put_in = [&](Exprs& list) { list = substitute(list, from, to, graph_); };
    for (Exprs* list : {&r.next, &r.internal, &r.carried_next, &r.discrete, &r.work}) put_in(*list);
    for (Expr* one : {&r.energy_change, &r.dissipated, &r.supplied})
      if (*one) *one = substitute(Exprs{*one}, from, to, graph_)[0];
    r.labels.clear();
    r.guess.clear();
    for (const int i : result.kept) {
      r.labels.push_back(e_.labels.empty() ? "" : e_.labels[i]);
      r.guess.push_back(e_.guess[i]);
    }
    int first = 0;
    for (std::size_t g = 0; g < r.groups.size(); ++g) {
      const UnknownGroup& all = e_.groups[g];
      const auto inside = [&](int i) { return i >= all.first && i < all.first + all.count; };
      r.groups[g].first = first;
      r.groups[g].count = static_cast<int>(std::count_if(result.kept.begin(), result.kept.end(), inside));
      first += r.groups[g].count;
    }
    r.stages = nullptr;
    r.fewer = nullptr;
    r.series.clear();
    r.end_conditions.clear();
    return result;
  }

 private:
  /// From its own equation as it was given, where explicit unknowns in it do not depend on this one.
  Expr open_form(int i) const {
    const Exprs own{e_.unknowns[i]}, equation{e_.equations[i]};
    const auto at = std::find(order_.begin(), order_.end(), i);
    for (auto later = at; later != order_.end(); ++later)
      if (*later != i && depends(equation[0], Exprs{e_.unknowns[*later]})) return values_[i];
    for (auto before = order_.begin(); before != at; ++before)
      if (depends(equation[0], Exprs{e_.unknowns[*before]}) && depends(values_[*before], own)) return values_[i];
    const SparseExprs factor = jacobian(equation, own);
    if (factor.value.size() != 1 || depends(factor.value[0], e_.unknowns)) return values_[i];
    return solved_for(substitute(equation, own, Exprs{graph_.constant(0)}, graph_)[0], factor.value[0]);
  }

  std::vector<int> remaining() const {
    std::vector<int> open;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!values_[i]) open.push_back(static_cast<int>(i));
    return open;
  }
  Exprs unknowns_of(const std::vector<int>& places) const {
    Exprs list;
    for (const int i : places) list.push_back(e_.unknowns[i]);
    return list;
  }
  Exprs equations_of(const std::vector<int>& places) const {
    Exprs list;
    for (const int i : places) list.push_back(equations_[i]);
    return list;
  }
  std::vector<double> values_of(const Exprs& list) const {
    const Kernel<double> probe(joined<Expr>(e_.t0, e_.h, e_.state, e_.unknowns), list, interpreted);
    std::vector<double> result(list.size()), work(probe.work());
    probe(typical_.data(), result.data(), work.data());
    return result;
  }
  static int own_entry(const SparseExprs& J, int i) {
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k)
      if (J.column[k] == i) return k;
    return -1;
  }
  /// Whether an equation that was chosen contains unknown i.
  static bool needed_by(const SparseExprs& J, const std::vector<int>& chosen, int i) {
    return std::any_of(chosen.begin(), chosen.end(), [&](int row) {
      return std::find(J.column.begin() + J.row_start[row], J.column.begin() + J.row_start[row + 1], i) !=
             J.column.begin() + J.row_start[row + 1];
    });
  }

  void eliminate(const std::vector<int>& open, const SparseExprs& J, const std::vector<int>& chosen) {
    Exprs from, to;
    const Expr zero = graph_.constant(0);
    for (const int i : chosen) {
      const Expr unknown = e_.unknowns[open[i]];
      const Expr rest = substitute(Exprs{equations_[open[i]]}, Exprs{unknown}, Exprs{zero}, graph_)[0];
      from.push_back(unknown);
      to.push_back(solved_for(rest, J.value[own_entry(J, i)]));
    }
    equations_ = substitute(equations_, from, to, graph_);
    for (Expr& value : values_)
      if (value) value = substitute(Exprs{value}, from, to, graph_)[0];
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      values_[open[chosen[k]]] = to[k];
      order_.push_back(open[chosen[k]]);
    }
  }

  const StepEquations& e_;
  Graph& graph_;
  const std::vector<double>& typical_;
  Exprs equations_;
  Exprs values_;            // of those that are taken out; empty for the others
  std::vector<int> order_;  // of those, as they were taken out
  std::vector<int> group_;  // -1: multipliers
};

}  // namespace

ReducedStep without_explicit_unknowns(const StepEquations& equations, const std::vector<double>& typical) {
  Reduction reduction(equations, typical);
  while (reduction.pass()) continue;
  return reduction.finish();
}

}  // namespace alembert::internal
