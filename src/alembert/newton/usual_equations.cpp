#include "alembert/newton/usual_equations.h"

#include <utility>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"
#include "alembert/newton/tail.h"

namespace alembert::internal {

namespace {

// Beyond it straight-line code stops paying off.
constexpr int most_unknowns = 60;
// After a correction that is as large as this a new matrix always pays.
constexpr double nowhere_near = 1e-3;
// Added where sizes may be exactly zero.
constexpr double tiny = 1e-300;

/// Equations and values of a part of the unknowns.
struct System {
  SparseExprs matrix;
  Exprs equations;
  std::vector<bool> preferred;  // no multipliers
};

struct Problem {
  const StepEquations& e;
  Exprs all;  // inputs, then unknowns
  const std::vector<double>& typical;
  std::vector<int> group;  // of each unknown; -1: multipliers
  std::size_t most_operations;

  std::vector<double> values(const Exprs& of) const {
    const Kernel<double> probe(all, of, interpreted);
    std::vector<double> result(of.size()), space(probe.work());
    probe(typical.data(), result.data(), space.data());
    return result;
  }
  std::optional<SymbolicFactors> factors(const SparseExprs& matrix, const std::vector<bool>& preferred) const {
    std::vector<double> entries = values(matrix.value);
    scale(matrix, equilibrate(matrix, entries, preferred), entries);
    const std::optional<PivotOrder> order = choose_pivots(matrix, entries, preferred);
    if (!order || order->operations > most_operations) return {};
    return factorise(matrix, *order);
  }
  System part(const SparseExprs& J, const std::vector<int>& places) const {
    System system{part_of(J, places), {}, {}};
    for (const int i : places) {
      system.equations.push_back(e.equations[i]);
      system.preferred.push_back(group[i] >= 0);
    }
    return system;
  }
};

/// How to iterate with a matrix that is factorised once.
struct Way {
  NamedEntries entries;
  Exprs correction;
  double renewed_above = 0;
};

std::optional<Way> way_of(const Problem& problem, const System& core) {
  if (core.equations.empty()) return Way{};
  std::optional<SymbolicFactors> factors = problem.factors(core.matrix, core.preferred);
  if (!factors) return {};
  Way way;
  way.entries = name_entries(*factors, *problem.e.graph);
  way.correction = solve(*factors, core.equations);
  const std::size_t once = make_tape(problem.all, way.entries.values).code.size();
  const std::size_t each = make_tape(joined<Expr>(problem.all, way.entries.symbols), way.correction).code.size();
  if (once + each > problem.most_operations) return {};
  way.renewed_above = once <= each ? far_correction : once <= 2 * each ? very_far_correction : nowhere_near;
  return way;
}

/// The new values of these unknowns, the size of the correction as CorrectionNorm measures it, and the sum of all
/// corrections, which is finite where they all are.
Exprs corrected(const Problem& problem, const std::vector<int>& places, const Exprs& correction) {
  Graph& graph = *problem.e.graph;
  Exprs out;
  const std::size_t groups = problem.e.groups.size();
  Exprs sizes(groups), changes(groups);
  Expr sum = graph.constant(0);
  for (std::size_t k = 0; k < places.size(); ++k) {
    out.push_back(problem.e.unknowns[places[k]] - correction[k]);
    sum = sum + correction[k];
    if (problem.group[places[k]] < 0) continue;
    Expr& size = sizes[problem.group[places[k]]];
    Expr& change = changes[problem.group[places[k]]];
    const Expr moved = graph.make(Op::abs, correction[k]), now = graph.make(Op::abs, out.back());
    size = size ? graph.make(Op::max, size, now) : now;
    change = change ? graph.make(Op::max, change, moved) : moved;
  }
  Expr norm = graph.constant(0);
  for (std::size_t g = 0; g < groups; ++g) {
    if (!sizes[g]) continue;
    const Expr size = graph.make(Op::max, problem.e.groups[g].scale, sizes[g] + graph.constant(tiny));
    norm = graph.make(Op::max, norm, changes[g] / size);
  }
  return joined<Expr>(out, norm, sum);
}

Exprs in_terms_of(const Exprs& values, const Exprs& from, const Exprs& to, Graph& graph) {
  return from.empty() ? values : substitute(values, from, to, graph);
}

}  // namespace

std::optional<UsualEquations> usual_equations(const StepEquations& e, const std::vector<double>& typical,
                                              std::size_t most_operations) {
  const int n = static_cast<int>(e.unknowns.size());
  if (n == 0 || n > most_unknowns) return {};
  Problem problem{e, joined<Expr>(e.t0, e.h, e.state, e.unknowns), typical, std::vector<int>(n, -1),
                  most_operations};
  for (std::size_t g = 0; g < e.groups.size(); ++g)
    for (int i = e.groups[g].first; e.groups[g].scale && i < e.groups[g].first + e.groups[g].count; ++i)
      problem.group[i] = static_cast<int>(g);
  const SparseExprs J = jacobian(e.equations, e.unknowns);
  TailSplit split = split_tail(e.equations, J, e.unknowns);
  const System core = problem.part(J, split.core), tail = problem.part(J, split.tail);
  std::optional<Way> way = way_of(problem, core);
  const std::optional<SymbolicFactors> tail_factors = problem.factors(tail.matrix, tail.preferred);
  if (!way || !tail_factors) return {};
  UsualEquations result;
  result.all = problem.all;
  result.renewed_above = way->renewed_above;
  result.iterated = corrected(problem, split.core, way->correction);
  result.factors = std::move(way->entries);
  result.settled = corrected(problem, split.tail, solve(*tail_factors, tail.equations));
  Exprs old;
  for (const int i : split.tail) old.push_back(e.unknowns[i]);
  const Exprs now(result.settled.begin(), result.settled.begin() + static_cast<long>(old.size()));
  result.increments = in_terms_of(increments_of(e), old, now, *e.graph);
  result.balance = in_terms_of(balance_of(e), old, now, *e.graph);
  for (int i = 0; i < n; ++i)
    if (problem.group[i] < 0) result.multipliers.push_back(i);
  result.core = std::move(split.core);
  result.tail = std::move(split.tail);
  return result;
}

}  // namespace alembert::internal
