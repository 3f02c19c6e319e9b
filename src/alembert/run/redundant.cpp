#include "alembert/run/redundant.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"
#include "alembert/newton/fewer_equations.h"
#include "alembert/run/motion.h"

namespace alembert::internal {

namespace {

template <class List>
void leave_out(List& list, const std::vector<int>& which, std::size_t first = 0) {
  for (auto i = which.rbegin(); i != which.rend(); ++i)
    if (first + *i < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(first + *i));
}

Exprs chosen_symbols(const Exprs& symbols, const std::vector<int>& which) {
  Exprs result;
  for (const int i : which) result.push_back(symbols[i]);
  return result;
}

/// The equations of the model without these constraints.
Equations without(const Equations& all, const Redundant& redundant) {
  const std::vector<int>&g = redundant.left_out_holonomic, &k = redundant.left_out_nonholonomic;
  Equations e = all;
  const Exprs gone = joined<Expr>(chosen_symbols(e.lambda, g), chosen_symbols(e.psi, k));
  const Exprs zeros(gone.size(), e.graph->constant(0));
  for (Exprs* list : {&e.N, &e.r, &e.reduced})
    if (!list->empty()) *list = substitute(*list, gone, zeros, *e.graph);
  leave_out(e.reduced, k, e.z.size() + e.g.size());
  leave_out(e.reduced, g, e.z.size());
  for (Exprs* list : {&e.lambda, &e.g, &e.g_dot}) leave_out(*list, g);
  leave_out(e.g_names, g);
  leave_out(e.g_constraint, g);
  for (Exprs* list : {&e.psi, &e.k}) leave_out(*list, k);
  leave_out(e.k_names, k);
  leave_out(e.k_constraint, k);
  leave_out(e.psi_constraint, k);
  leave_out(e.psi_names, k);
  e.joints.clear();
  e.open_chains = false;
  return e;
}

/// Whether multipliers act by ideal reactions alone.
bool without_influence(const Equations& e) {
  const Exprs multipliers = joined<Expr>(e.lambda, e.psi);
  return e.ideal && !e.port && e.auxiliary.empty() && e.k.size() == e.psi.size() &&
         !depends(joined<Expr>(e.f, e.applied, e.forces), multipliers);
}

/// The gradients at the start, each of length 1, and which of them are the same everywhere.
struct UnitGradients {
  std::vector<std::vector<double>> rows;
  std::vector<bool> constant;
};

UnitGradients unit_gradients(const Equations& e, const InitialValues& initial, double t0) {
  const SparseExprs G = jacobian(joined<Expr>(e.g_dot, e.k), e.z);
  const Exprs arguments = state_arguments(e);
  const Kernel<double> kernel(arguments, G.value, interpreted);
  const std::vector<double> in = joined<double>(t0, initial.y, initial.z);
  std::vector<double> values(kernel.outputs()), work(kernel.work());
  kernel(in.data(), values.data(), work.data());
  UnitGradients result{std::vector(G.rows, std::vector<double>(G.columns, 0)), std::vector<bool>(G.rows, true)};
  for (int i = 0; i < G.rows; ++i) {
    double square = 0;
    for (int k = G.row_start[i]; k < G.row_start[i + 1]; ++k) square += values[k] * values[k];
    for (int k = G.row_start[i]; k < G.row_start[i + 1]; ++k) {
      if (square > 0) result.rows[i][G.column[k]] += values[k] / std::sqrt(square);
      if (depends(G.value[k], arguments)) result.constant[i] = false;
    }
  }
  return result;
}

/// Which rows stay: first those that are constant, for they stay independent, then the others as they were written,
/// each where it is well away from those before; in the end always the one that is farthest.
class Selection {
 public:
  explicit Selection(UnitGradients gradients) : left_(std::move(gradients.rows)), constant_(gradients.constant) {}

  /// So many of the rows from..to are left out, numbered from `from`.
  std::vector<int> left_out(int from, int to, std::size_t count) {
    constexpr double well = 0.1;  // of a unit gradient: what is left of it is no rounding of the others
    std::vector<int> open(to - from);
    std::iota(open.begin(), open.end(), from);
    for (const bool constant : {true, false})
      for (std::size_t k = 0; k < open.size() && open.size() > count;) {
        if (constant_[open[k]] == constant && length(open[k]) > well) take(open, k);
        else ++k;
      }
    while (open.size() > count) {
      const auto far = std::max_element(open.begin(), open.end(), [&](int a, int b) { return length(a) < length(b); });
      take(open, far - open.begin());
    }
    for (int& i : open) i -= from;
    return open;
  }

 private:
  double length(int i) const {
    return std::sqrt(std::inner_product(left_[i].begin(), left_[i].end(), left_[i].begin(), 0.0));
  }
  /// What all rows have along this one is subtracted from them.
  void take(std::vector<int>& open, std::size_t k) {
    const std::vector<double> taken = left_[open[k]];
    const double size = length(open[k]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
    for (std::vector<double>& row : left_) {
      const double share =
          size > 0 ? std::inner_product(row.begin(), row.end(), taken.begin(), 0.0) / (size * size) : 0;
      for (std::size_t j = 0; j < row.size(); ++j) row[j] -= share * taken[j];
    }
  }

  std::vector<std::vector<double>> left_;  // of each row what is not along those taken
  std::vector<bool> constant_;
};

/// As many as follow from others, chosen so that the rest determines the motion as well as can be.
Redundant choose_redundant(const Equations& e, const InitialValues& initial, double t0) {
  const int n_g = static_cast<int>(e.g.size()), n_k = static_cast<int>(e.k.size());
  const auto holonomic =
      std::count_if(initial.redundant_rows.begin(), initial.redundant_rows.end(), [&](int row) { return row < n_g; });
  Selection selection(unit_gradients(e, initial, t0));
  Redundant redundant{n_g, n_k, {}, {}};
  redundant.left_out_holonomic = selection.left_out(0, n_g, holonomic);
  redundant.left_out_nonholonomic = selection.left_out(n_g, n_g + n_k, initial.redundant_rows.size() - holonomic);
  return redundant;
}

}  // namespace

StepPlan with_fewer_equations(const StepPlan& plan, const Method& method, const Equations& e,
                              const InitialValues& initial, double t0, double h) {
  const bool usual =
      !initial.redundant.empty() && !initial.singular_position && initial.hidden.empty() && initial.powerless.empty();
  if (!usual || !without_influence(e)) return plan;
  const Redundant redundant = choose_redundant(e, initial, t0);
  const StepPlan fewer = step_plan(method, without(e, redundant));
  StepPlan result = plan;
  const std::vector<double> inputs = joined<double>(t0, h, initial.y, initial.z);
  for (std::size_t i = 0; i < plan.parts.size() && i < fewer.parts.size(); ++i)
    if (plan.parts[i].carried.empty())
      result.parts[i].fewer = match_fewer(plan.parts[i], fewer.parts[i], redundant, inputs);
  return result;
}

}  // namespace alembert::internal
