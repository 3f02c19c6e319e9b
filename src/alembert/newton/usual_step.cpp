#include "alembert/newton/usual_step.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "alembert/base/lists.h"
#include "alembert/linear/elimination.h"
#include "alembert/newton/branch.h"
#include "alembert/newton/increments.h"
#include "alembert/newton/tail.h"

namespace alembert::internal {

namespace {

// Beyond these sizes straight-line code stops paying off: its compilation grows faster than the system.
constexpr int most_unknowns = 60;
constexpr std::size_t most_operations = 6000;
// A correction above this would be followed by two more with the same matrix, by one with a new one; one that is much
// larger by three and two.
constexpr double far = 1e-8, very_far = 1e-5;
// After one that is as large as this a new matrix always pays.
constexpr double nowhere_near = 1e-3;
// The tail is solved again where more than this may be left of it.
constexpr double left_over = 0x1p-50;
constexpr int most_repeats = 4;
// Where it needs more, the general Newton knows better.
constexpr int most_iterations = 6;
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
  double renewed_above = 0;  // corrections after which a new matrix costs less than more iterations
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
  if (once + each > most_operations) return {};
  way.renewed_above = once <= each ? far : once <= 2 * each ? very_far : nowhere_near;
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

/// With all unknowns in their order, those of the tail as they were.
Exprs iteration(const Problem& problem, const std::vector<int>& core, const Exprs& correction) {
  const Exprs changed = corrected(problem, core, correction);
  Exprs out = problem.e.unknowns;
  for (std::size_t k = 0; k < core.size(); ++k) out[core[k]] = changed[k];
  return joined<Expr>(out, changed[core.size()], changed[core.size() + 1]);
}

Exprs in_terms_of(const Exprs& values, const Exprs& from, const Exprs& to, Graph& graph) {
  return from.empty() ? values : substitute(values, from, to, graph);
}

}  // namespace

std::unique_ptr<UsualStep> UsualStep::make(const StepEquations& e, const std::vector<double>& typical,
                                           const NewtonOptions& options) {
  const bool plain = options.linear == LinearSolver::automatic && options.tolerance == 0;
  const int n = static_cast<int>(e.unknowns.size());
  if (!plain || n == 0 || n > most_unknowns || e.inclusions) return nullptr;
  Problem problem{e, joined<Expr>(e.t0, e.h, e.state, e.unknowns), typical, std::vector<int>(n, -1)};
  for (std::size_t g = 0; g < e.groups.size(); ++g)
    for (int i = e.groups[g].first; e.groups[g].scale && i < e.groups[g].first + e.groups[g].count; ++i)
      problem.group[i] = static_cast<int>(g);
  const SparseExprs J = jacobian(e.equations, e.unknowns);
  TailSplit split = split_tail(e.equations, J, e.unknowns);
  const System core = problem.part(J, split.core), tail = problem.part(J, split.tail);
  const std::optional<Way> way = way_of(problem, core);
  const std::optional<SymbolicFactors> tail_factors = problem.factors(tail.matrix, tail.preferred);
  if (!way || !tail_factors) return nullptr;
  std::unique_ptr<UsualStep> step(new UsualStep);
  step->inputs_ = static_cast<int>(2 + e.state.size());
  step->states_ = static_cast<int>(e.state.size());
  step->own_ = problem.all.size();
  step->factors_ = way->entries.values.size();
  step->renewed_above_ = way->renewed_above;
  step->factor_ = Kernel<double>(problem.all, way->entries.values, options.kernel);
  step->iterate_ = Kernel<double>(joined<Expr>(problem.all, way->entries.symbols),
                                  iteration(problem, split.core, way->correction), options.kernel);
  const Exprs settled = corrected(problem, split.tail, internal::solve(*tail_factors, tail.equations));
  Exprs old;
  for (const int i : split.tail) old.push_back(e.unknowns[i]);
  const Exprs now(settled.begin(), settled.begin() + static_cast<long>(old.size()));
  step->finish_ = Kernel<double>(
      problem.all,
      joined<Expr>(settled, in_terms_of(joined<Expr>(increments_of(e), balance_of(e)), old, now, *e.graph)),
      options.kernel);
  step->iterates_ = !split.core.empty();
  for (int i = 0; i < n; ++i)
    if (problem.group[i] < 0) step->multipliers_.push_back(i);
  step->tail_ = std::move(split.tail);
  step->next_.resize(step->iterate_.outputs());
  step->end_.resize(step->finish_.outputs());
  step->work_.resize(std::max({step->factor_.work(), step->iterate_.work(), step->finish_.work()}));
  step->statistics_.factorization_sizes = {n};
  return step;
}

bool UsualStep::iterate(double* x, NewtonResult& result) noexcept {
  double* const unknowns = x + inputs_;
  const std::size_t count = own_ - inputs_;
  bool here = true, doubt = false;
  const auto at_rounding = [&] {
    doubt = true;
    return false;
  };
  convergence_.begin();
  while (result.iterations < most_iterations) {
    if (here) {
      factor_(x, x + own_, work_.data());
      convergence_.new_matrix();
      ++statistics_.factorizations;
    }
    iterate_(x, next_.data(), work_.data());
    ++result.iterations;
    const double sum = next_[count + 1];
    if (sum - sum != 0) return false;
    std::copy_n(next_.data(), count, unknowns);
    result.correction = next_[count];
    if (result.iterations == 1) result.first_correction = result.correction;
    const Verdict verdict = convergence_.simplified(result.correction, {false, here}, at_rounding);
    if (verdict == Verdict::converged) return !doubt;
    if (doubt || (verdict != Verdict::proceed && verdict != Verdict::renew)) return false;
    here = verdict == Verdict::renew || result.correction > renewed_above_;
  }
  return false;
}

/// One linear system, solved from the guess; again where rounding may have left something.
bool UsualStep::finish(double* x, NewtonResult& result) noexcept {
  const std::size_t count = tail_.size();
  double before = 0;
  for (int repeat = 0; repeat < most_repeats; ++repeat) {
    finish_(x, end_.data(), work_.data());
    const double correction = end_[count], sum = end_[count + 1];
    if (sum - sum != 0) return false;
    for (std::size_t k = 0; k < count; ++k) x[inputs_ + tail_[k]] = end_[k];
    if (repeat > 0 && before > far) tail_error_ = std::max(tail_error_, correction / before);
    if (!iterates_) {
      ++result.iterations;
      if (repeat == 0) result.first_correction = correction;
    }
    if (correction * tail_error_ <= left_over && (repeat > 0 || correction <= far)) return true;
    before = correction;
  }
  return false;
}

bool UsualStep::solve(double* x, NewtonResult& result) noexcept {
  result = {};
  const bool arrived = (!iterates_ || iterate(x, result)) && finish(x, result);
  statistics_.iterations += result.iterations;
  statistics_.evaluations += result.iterations;
  result.moved = convergence_.moved();
  result.contraction = convergence_.contraction();
  return arrived;
}

double UsualStep::largest_multiplier(const double* unknowns) const noexcept {
  double most = 0;
  for (const int i : multipliers_) most = std::max(most, std::abs(unknowns[i]));
  return most;
}

bool UsualStep::advance(double t, double h, double* x, Predictor<double>& predictor, double* __restrict state,
                        double* __restrict compensation, NewtonResult& result) noexcept {
  double* const unknowns = x + inputs_;
  x[0] = t;
  x[1] = h;
  std::copy_n(state, states_, x + 2);
  predictor.predict(unknowns);
  const double expected = largest_multiplier(unknowns);
  if (!solve(x, result) || !certain(result)) return false;
  if (largest_multiplier(unknowns) > wild_multipliers * expected) return false;
  predictor.learn(unknowns);
  add_compensated(increments(), states_, state, compensation);
  return true;
}

std::unique_ptr<UsualStep> UsualStep::clone() const {
  std::unique_ptr<UsualStep> other(new UsualStep(*this));
  other->statistics_ = {.factorization_sizes = statistics_.factorization_sizes};
  return other;
}

void UsualStep::bind(const double* parameters) noexcept {
  for (Kernel<double>* kernel : {&factor_, &iterate_, &finish_}) kernel->bind(parameters);
}

void UsualStep::save(ByteWriter& out) const {
  statistics_.save(out);
  out.write(tail_error_);
}
void UsualStep::load(ByteReader& in) {
  statistics_.load(in);
  in.read(tail_error_);
}

}  // namespace alembert::internal
