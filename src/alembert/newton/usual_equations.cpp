#include "alembert/newton/usual_equations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_set>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"
#include "alembert/expr/gather.h"
#include "alembert/newton/leading_matrix.h"
#include "alembert/newton/tail.h"

namespace alembert::internal {

namespace {

// Beyond it straight-line code stops paying off.
constexpr int most_unknowns = 60;
// After a correction that is as large as this a new matrix always pays.
constexpr double nowhere_near = 1e-3;
// A matrix that leaves something out must contract at least like this, and is not believed to do so faster.
constexpr double slowest_leading = 0.02, fastest_leading = 1e-5;
// What is usually left for the first correction, and for the last.
constexpr double usual_first_correction = 1e-9, usual_last_correction = 1e-16;
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
  std::vector<int> group;  // of each unknown; -1: it does not count
  std::vector<bool> multiplier;
  std::vector<Expr> effect;  // of those that are measured with the first group
  std::size_t most_operations;
  std::vector<ExplicitUnknown> core_explicit, tail_explicit;

  std::vector<double> values(const Exprs& of) const {
    const Kernel<double> probe(all, of, interpreted);
    std::vector<double> result(of.size()), space(probe.work());
    probe(typical.data(), result.data(), space.data());
    return result;
  }
  std::optional<SymbolicFactors> factors(const SparseExprs& matrix, const std::vector<bool>& preferred,
                                         bool gather = false) const {
    std::vector<double> entries = values(matrix.value);
    scale(matrix, equilibrate(matrix, entries, preferred), entries);
    const std::optional<PivotOrder> order = choose_pivots(matrix, entries, preferred);
    if (!order || order->operations > most_operations) return {};
    return factorise(matrix, *order, gather);
  }
  Exprs unknowns(const std::vector<int>& places) const {
    Exprs list;
    for (const int i : places) list.push_back(e.unknowns[i]);
    return list;
  }
  /// Equations and derivatives for these unknowns, others given but for explicit ones.
  System part(const std::vector<int>& places, const std::vector<ExplicitUnknown>& dependent, bool keep_symbols) const {
    System system;
    for (const int i : places) {
      system.equations.push_back(e.equations[i]);
      system.preferred.push_back(!multiplier[i]);
    }
    const Exprs own = unknowns(places);
    if (keep_symbols) {
      system.matrix = derivatives(system.equations, own, dependent);
    } else {
      system.equations = put_in(system.equations, dependent, {}, {});
      system.matrix = jacobian(system.equations, own);
    }
    return system;
  }
  /// List with explicit unknowns in terms of the others, of which `from` are replaced by `to`.
  Exprs put_in(const Exprs& list, const std::vector<ExplicitUnknown>& dependent, Exprs from, Exprs to) const {
    for (const ExplicitUnknown& unknown : dependent) {
      to.push_back(from.empty() ? unknown.open : substitute(Exprs{unknown.open}, from, to, *e.graph)[0]);
      from.push_back(e.unknowns[unknown.number]);
    }
    return from.empty() ? list : substitute(list, from, to, *e.graph);
  }

 private:
  /// Total ones, through the explicit unknowns, which stay symbols.
  SparseExprs derivatives(const Exprs& equations, const Exprs& own,
                          const std::vector<ExplicitUnknown>& dependent) const {
    if (dependent.empty()) return jacobian(equations, own);
    Exprs symbols, closed;
    for (const ExplicitUnknown& unknown : dependent) {
      symbols.push_back(e.unknowns[unknown.number]);
      closed.push_back(unknown.value);
    }
    const SparseExprs direct = jacobian(equations, own), through = jacobian(equations, symbols);
    const SparseExprs inner = jacobian(closed, own);
    SparseExprs total;
    total.rows = total.columns = static_cast<int>(own.size());
    total.row_start.push_back(0);
    for (int i = 0; i < total.rows; ++i) {
      std::map<int, Expr> row;
      const auto add = [&](int column, Expr value) {
        Expr& entry = row[column];
        entry = entry ? entry + value : value;
      };
      for (int k = direct.row_start[i]; k < direct.row_start[i + 1]; ++k) add(direct.column[k], direct.value[k]);
      for (int k = through.row_start[i]; k < through.row_start[i + 1]; ++k) {
        const int via = through.column[k];
        for (int m = inner.row_start[via]; m < inner.row_start[via + 1]; ++m)
          add(inner.column[m], through.value[k] * inner.value[m]);
      }
      for (const auto& [column, value] : row) {
        total.column.push_back(column);
        total.value.push_back(value);
      }
      total.row_start.push_back(static_cast<int>(total.column.size()));
    }
    return total;
  }
};

Exprs in_terms_of(const Exprs& values, const Exprs& from, const Exprs& to, Graph& graph) {
  return from.empty() ? values : substitute(values, from, to, graph);
}

/// How to iterate with a matrix that is factorised once.
struct Way {
  NamedEntries entries;
  Exprs correction;
  double renewed_above = 0;
  double contraction = 0;          // of a matrix that is not Newton's own
  double iterations = 2;           // as they usually are
  std::size_t once = 0, each = 0;  // operations, of the matrix and of an iteration
};

/// Whether an entry is a product of what the equations contain in any case.
std::function<bool(Expr)> products_of(const Exprs& equations) {
  const std::vector<std::uint32_t> order = reachable(equations);
  return [known = std::unordered_set<std::uint32_t>(order.begin(), order.end())](Expr entry) {
    const std::vector<ProductTerm> terms = terms_of_sum(entry);
    return terms.size() == 1 && std::all_of(terms[0].factors.begin(), terms[0].factors.end(),
                                            [&](std::uint32_t id) { return known.count(id) > 0; });
  };
}

/// own: the matrix is Newton's own, else its simple entries are those of the present iterate, which costs nothing.
std::optional<Way> way_with(const Problem& problem, const System& core, const SparseExprs& matrix, bool own) {
  std::optional<SymbolicFactors> factors = problem.factors(matrix, core.preferred, !own);
  if (!factors) return {};
  Way way;
  Graph& graph = *problem.e.graph;
  if (own) {
    way.entries = name_entries(*factors, graph);
    way.correction = solve(*factors, core.equations);
  } else {
    way.entries = name_entries(*factors, graph, products_of(core.equations));
    way.correction = solve_gathered(*factors, core.equations, graph);
  }
  way.once = make_tape(problem.all, way.entries.values).code.size();
  way.each = make_tape(joined<Expr>(problem.all, way.entries.symbols), way.correction).code.size();
  if (way.once + way.each > problem.most_operations) return {};
  way.renewed_above = way.once <= way.each       ? far_correction
                      : way.once <= 2 * way.each ? very_far_correction
                                                 : nowhere_near;
  return way;
}

/// approximate: what a step multiplies by its size may be left out of the matrix, where that is cheaper.
std::optional<Way> way_of(const Problem& problem, const System& core, const Exprs& unknowns, bool approximate) {
  if (core.equations.empty()) return Way{};
  std::optional<Way> own = way_with(problem, core, core.matrix, true);
  if (!approximate) return own;
  LeadingProblem leading{core.equations, unknowns, {}, problem.e.h, problem.all, problem.typical};
  for (const ExplicitUnknown& unknown : problem.core_explicit)
    leading.inner.push_back({problem.e.unknowns[unknown.number], unknown.value});
  const std::optional<LeadingMatrix> less = leading_matrix(leading);
  if (!less || !(less->contraction <= slowest_leading)) return own;
  std::optional<Way> other = way_with(problem, core, less->matrix, false);
  if (!other) return own;
  other->contraction = std::max(less->contraction, fastest_leading);
  other->iterations =
      1 + std::ceil(std::log(usual_last_correction / usual_first_correction) / std::log(other->contraction));
  const auto cost = [](const Way& way) {
    return static_cast<double>(way.once) + way.iterations * static_cast<double>(way.each);
  };
  return own && cost(*own) <= cost(*other) ? own : other;
}

Expr size_of_group(const Problem& problem, std::size_t group, Expr largest) {
  Graph& graph = *problem.e.graph;
  return graph.make(Op::max, problem.e.groups[group].scale, largest + graph.constant(tiny));
}

/// The new values of these unknowns and of those that follow from them.
struct Corrected {
  Exprs own, dependent;
  Expr size;   // of the correction, as CorrectionNorm measures it
  Expr sum;    // of all corrections, which is finite where they all are
  Expr whole;  // the size of the new values, likewise
};

/// old: values of the dependent ones before. inverse: of the groups, one over their sizes; empty: taken here.
Corrected corrected(const Problem& problem, const std::vector<int>& places, const Exprs& correction,
                    const std::vector<ExplicitUnknown>& dependent, const Exprs& old, const Exprs& inverse) {
  Graph& graph = *problem.e.graph;
  Corrected result;
  const std::size_t groups = problem.e.groups.size();
  Exprs sizes(groups), changes(groups);
  const auto count = [&](int group, Expr moved_by, Expr there) {
    Expr& size = sizes[group];
    Expr& change = changes[group];
    const Expr moved = graph.make(Op::abs, moved_by), now = graph.make(Op::abs, there);
    size = size ? graph.make(Op::max, size, now) : now;
    change = change ? graph.make(Op::max, change, moved) : moved;
  };
  result.sum = graph.constant(0);
  for (std::size_t k = 0; k < places.size(); ++k) {
    result.own.push_back(problem.e.unknowns[places[k]] - correction[k]);
    result.sum = result.sum + correction[k];
    const Expr effect = problem.effect[places[k]];
    if (problem.group[places[k]] < 0) continue;
    if (effect) count(problem.group[places[k]], effect * correction[k], effect * result.own.back());
    else count(problem.group[places[k]], correction[k], result.own.back());
  }
  Exprs symbols;
  for (const ExplicitUnknown& unknown : dependent) symbols.push_back(problem.e.unknowns[unknown.number]);
  result.dependent = problem.put_in(symbols, dependent, problem.unknowns(places), result.own);
  for (std::size_t k = 0; k < dependent.size(); ++k)
    count(dependent[k].group, old[k] - result.dependent[k], result.dependent[k]);
  for (std::size_t g = 0; g < groups; ++g) {
    if (!sizes[g]) continue;
    const auto relative = [&](Expr value) {
      return inverse.empty() ? value / size_of_group(problem, g, sizes[g]) : value * inverse[g];
    };
    const auto raise = [&](Expr& size, Expr by) { size = size ? graph.make(Op::max, size, by) : by; };
    raise(result.size, relative(changes[g]));
    raise(result.whole, relative(sizes[g]));
  }
  for (Expr* size : {&result.size, &result.whole})
    if (!*size) *size = graph.constant(0);
  return result;
}

/// One over the sizes of the groups that the core has, at a guess.
Exprs inverse_sizes(const Problem& problem, const std::vector<int>& core, const Exprs& values) {
  Graph& graph = *problem.e.graph;
  Exprs sizes(problem.e.groups.size());
  const auto count = [&](int group, Expr value) {
    Expr& size = sizes[group];
    size = size ? graph.make(Op::max, size, graph.make(Op::abs, value)) : graph.make(Op::abs, value);
  };
  for (const int i : core)
    if (problem.group[i] >= 0)
      count(problem.group[i], problem.effect[i] ? problem.effect[i] * problem.e.unknowns[i] : problem.e.unknowns[i]);
  for (std::size_t k = 0; k < values.size(); ++k) count(problem.core_explicit[k].group, values[k]);
  for (std::size_t g = 0; g < sizes.size(); ++g)
    sizes[g] = sizes[g] ? 1 / size_of_group(problem, g, sizes[g]) : graph.constant(0);
  return sizes;
}

/// Those of the groups of the tail that the core has as well, or others with the same scale; nothing where one has
/// none.
Exprs inverse_sizes_of_tail(const Problem& problem, const TailSplit& parts, const Exprs& inverse) {
  const std::vector<UnknownGroup>& groups = problem.e.groups;
  std::vector<bool> known(groups.size(), false), wanted = known;
  const auto note = [&](std::vector<bool>& list, int group) {
    if (group >= 0) list[group] = true;
  };
  for (const int i : parts.core) note(known, problem.group[i]);
  for (const ExplicitUnknown& unknown : problem.core_explicit) note(known, unknown.group);
  for (const int i : parts.tail) note(wanted, problem.group[i]);
  for (const ExplicitUnknown& unknown : problem.tail_explicit) note(wanted, unknown.group);
  Exprs result = inverse;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!wanted[g] || known[g]) continue;
    std::size_t other = 0;
    while (other < groups.size() && !(known[other] && groups[other].scale.id() == groups[g].scale.id())) ++other;
    if (other == groups.size()) return {};
    result[g] = inverse[other];
  }
  return result;
}

/// Explicit unknowns with the same formula become one: the stages of a step often agree.
StepEquations merge_equal(const StepEquations& e, ReducedStep& reduced) {
  std::map<std::uint32_t, Expr> first;
  std::vector<ExplicitUnknown> distinct;
  Exprs from, to;
  for (const ExplicitUnknown& unknown : reduced.eliminated) {
    const auto [known, fresh] = first.try_emplace(unknown.value.id(), e.unknowns[unknown.number]);
    if (fresh) {
      distinct.push_back(unknown);
      continue;
    }
    from.push_back(e.unknowns[unknown.number]);
    to.push_back(known->second);
  }
  StepEquations result = e;
  if (from.empty()) return result;
  for (Exprs* list : {&result.equations, &result.next, &result.discrete, &result.work})
    *list = substitute(*list, from, to, *e.graph);
  for (Expr* one : {&result.energy_change, &result.dissipated, &result.supplied})
    if (*one) *one = substitute(Exprs{*one}, from, to, *e.graph)[0];
  for (ExplicitUnknown& unknown : distinct) unknown.open = substitute(Exprs{unknown.open}, from, to, *e.graph)[0];
  reduced.eliminated = std::move(distinct);
  return result;
}

/// Numbers of unknowns that are solved for, in two parts, and the explicit ones that follow from either.
TailSplit split(Problem& problem, const ReducedStep* reduced) {
  const StepEquations& e = reduced ? reduced->equations : problem.e;
  const SparseExprs J = jacobian(e.equations, e.unknowns);
  TailSplit parts = split_tail(e.equations, J, e.unknowns);
  if (!reduced) return parts;
  for (std::vector<int>* list : {&parts.core, &parts.tail})
    for (int& i : *list) i = reduced->kept[i];
  const Exprs tail = problem.unknowns(parts.tail);
  for (const ExplicitUnknown& unknown : reduced->eliminated)
    (depends(unknown.value, tail) ? problem.tail_explicit : problem.core_explicit).push_back(unknown);
  return parts;
}

}  // namespace

std::optional<UsualEquations> usual_equations(const StepEquations& given, const std::vector<double>& typical,
                                              std::size_t most_operations, bool approximate,
                                              const ReducedStep* reduced) {
  StepEquations merged;
  ReducedStep distinct;
  if (reduced) {
    distinct = *reduced;
    merged = merge_equal(given, distinct);
    reduced = &distinct;
  }
  const StepEquations& e = reduced ? merged : given;
  const int n = static_cast<int>(e.unknowns.size());
  if (n == 0 || n > most_unknowns) return {};
  Problem problem{e,
                  joined<Expr>(e.t0, e.h, e.state, e.unknowns),
                  typical,
                  std::vector<int>(n, -1),
                  std::vector<bool>(n, false),
                  Exprs(n),
                  most_operations,
                  {},
                  {}};
  for (std::size_t g = 0; g < e.groups.size(); ++g)
    for (int i = e.groups[g].first; i < e.groups[g].first + e.groups[g].count; ++i) {
      if (e.groups[g].counts()) problem.group[i] = e.groups[g].effect ? 0 : static_cast<int>(g);
      problem.effect[i] = e.groups[g].effect;
      problem.multiplier[i] = e.groups[g].multipliers();
    }
  TailSplit parts = split(problem, reduced);
  const System core = problem.part(parts.core, problem.core_explicit, true);
  const System tail = problem.part(parts.tail, problem.tail_explicit, false);
  std::optional<Way> way = way_of(problem, core, problem.unknowns(parts.core), approximate);
  const std::optional<SymbolicFactors> tail_factors = problem.factors(tail.matrix, tail.preferred);
  if (!way || !tail_factors) return {};
  UsualEquations result;
  result.all = problem.all;
  result.renewed_above = way->renewed_above;
  result.contraction = way->contraction;
  result.iterations = way->iterations;
  result.factors = std::move(way->entries);
  Exprs symbols;
  for (const ExplicitUnknown& unknown : problem.core_explicit) {
    symbols.push_back(e.unknowns[unknown.number]);
    result.core_explicit.push_back(unknown.number);
  }
  result.start = problem.put_in(symbols, problem.core_explicit, {}, {});
  if (reduced) {
    result.inverse_sizes = inverse_sizes(problem, parts.core, result.start);
    for (std::size_t g = 0; g < e.groups.size(); ++g) result.inverse_symbols.push_back(e.graph->symbol("1/size"));
  }
  const Corrected iterated =
      corrected(problem, parts.core, way->correction, problem.core_explicit, symbols, result.inverse_symbols);
  result.iterated = joined<Expr>(iterated.own, iterated.dependent, iterated.size, iterated.sum);
  Exprs late;
  for (const ExplicitUnknown& unknown : problem.tail_explicit) late.push_back(e.unknowns[unknown.number]);
  const Corrected settled =
      corrected(problem, parts.tail, solve(*tail_factors, tail.equations), problem.tail_explicit,
                problem.put_in(late, problem.tail_explicit, {}, {}),
                reduced ? inverse_sizes_of_tail(problem, parts, result.inverse_symbols) : Exprs());
  result.settled = joined<Expr>(settled.own, settled.size, settled.sum);
  result.whole_tail = settled.whole;
  const Exprs old = joined<Expr>(problem.unknowns(parts.tail), late),
              now = joined<Expr>(settled.own, settled.dependent);
  result.increments = in_terms_of(increments_of(e), old, now, *e.graph);
  result.balance = in_terms_of(balance_of(e), old, now, *e.graph);
  for (int i = 0; i < n; ++i)
    if (problem.multiplier[i]) result.multipliers.push_back(i);
  result.core = std::move(parts.core);
  result.tail = std::move(parts.tail);
  return result;
}

}  // namespace alembert::internal
