#include "alembert/newton/newton.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "alembert/code/wide.h"
#include "alembert/error.h"
#include "alembert/linear/elimination.h"
#include "alembert/linear/linear.h"
#include "alembert/linear/minimum_norm.h"
#include "alembert/newton/rounding.h"

namespace alembert::internal {

namespace {

// Beyond these sizes unrolled code stops paying off (its compilation and its instruction cache).
constexpr int unrolled_unknowns = 60;
constexpr std::size_t unrolled_operations = 4000;
// From here on a SPARK step is solved with the two small matrices.
constexpr int staged_unknowns = 120;
constexpr int many_unknowns = 2000, scaled_every = 8;
constexpr double closed_share = 0.7;  // of constraints to velocities, from which on a mechanism counts as closed
// From here on the sparse factorisation is the cheaper one.
constexpr int dense_unknowns = 90;

template <class T>
T epsilon() {
  if constexpr (std::is_same_v<T, double>) return 0x1p-52;
  else return T(0x1p-112);
}

template <class T>
T magnitude(T x) {
  return x < 0 ? -x : x;
}

template <class T>
std::vector<double> values_at(const std::vector<T>& typical, const Kernel<T>& probe) {
  std::vector<T> values(probe.outputs()), space(probe.work());
  probe(typical.data(), values.data(), space.data());
  return {values.begin(), values.end()};
}

// A contraction above this makes a kept factorisation worth renewing.
constexpr double slow = 0.2;
// What a new factorisation is trusted to contract by, until seen otherwise.
constexpr double unknown_contraction = 0.02;
// Small corrections that shrink less than this are rounding.
constexpr double stalled = 0.5;
// What a correction may stall at and still be called rounding, in units of epsilon: without and with a fresh matrix.
constexpr double quiet_floor = 64, fresh_floor = 1e6;
// Residuals of dependent equations that count as none, relative to their terms: where a direction was given up as
// lost, and where none was.
constexpr double lost_residual = 1e-9, full_residual = 1e-13;
// Corrections that may be left over at a singular position, whose rounding is that of a double root.
constexpr double singular_floor = 1e-6;
constexpr int singular_iterations = 40, full_rank_iterations = 12;
// Pivots above this mean that no singular position is near.
constexpr double healthy_pivot = 1e-6;
// Up to here the exact matrix is made where the two small ones do not contract.
constexpr int most_exact_unknowns = 20000;

}  // namespace

template <class T>
struct Newton<T>::Body {
  int inputs = 0, n = 0;
  NewtonOptions options;
  LinearSolver linear = LinearSolver::dense;
  WideKernel<T> residual, matrix;
  Kernel<T> correction, scale;
  SparseExprs pattern;   // the values are not kept
  Equilibration scaled;  // of its rows and columns; empty for most
  std::vector<UnknownGroup> groups;
  std::optional<DenseLu<T>> dense;
  std::unique_ptr<SparseLu> sparse;
  std::unique_ptr<TwoMatrix> two;
  std::unique_ptr<MinimumNorm<T>> minimum;     // where the matrix has no full rank
  std::optional<ImplicitEquations> equations;  // beside the two matrices
  std::unique_ptr<Newton<T>> exact;            // for the steps that they cannot solve
  bool factorized = false;
  int since_scaled = 0;                      // solves since the scales were taken
  double contraction = unknown_contraction;  // the slowest seen with the kept factorisation
  double noise = 0;                          // corrections up to here were rounding lately
  std::vector<T> start, last, delta, trial, values, full, scales, work;
  Tape tape;  // of the residual, to see what rounding does to it; empty for large systems and other scalars
  std::vector<double> levels;
  NewtonStatistics statistics;

  Body(const ImplicitEquations& equations, const std::vector<T>& typical, NewtonOptions chosen);
  Body(const Body& other);
  NewtonResult solve(T* x) noexcept;
  NewtonResult solve_singular(T* x) noexcept;
  NewtonResult unrolled(T* x) noexcept;
  NewtonResult kept(T* x) noexcept;
  NewtonResult careful(T* x) noexcept;
  NewtonResult singular(T* x) noexcept;
  NewtonResult by_exact(T* x) noexcept;
  bool make_minimum() noexcept;
  void take_matrix(const T* x) noexcept { matrix(x, values.data(), work.data()); }
  void equilibrate_values() noexcept;
  void assemble() noexcept;  // the values as a full matrix
  bool factorize(const T* x) noexcept;
  void solve_linear(T* b, const T* x) noexcept;
  bool consistent(const T* x, double tolerance) noexcept;
  template <class Unknowns>
  double measure_while(Unknowns* x) const noexcept;
  double measure(const T* x) const noexcept { return measure_while(x); }
  double subtract(T* x) const noexcept { return measure_while(x); }
  /// A correction that a loose tolerance leaves out.
  bool tolerated(const T* x, NewtonResult& result) const noexcept {
    return options.tolerance > 0 && (result.correction = measure(x)) <= options.tolerance;
  }
  bool at_rounding(const T* x) noexcept;
  NewtonResult& worst_equation(const T* x, NewtonResult& result) noexcept;
};

template <class T>
Newton<T>::Body::Body(const ImplicitEquations& e, const std::vector<T>& typical, NewtonOptions chosen)
    : inputs(static_cast<int>(e.inputs.size())),
      n(static_cast<int>(e.unknowns.size())),
      options(chosen),
      groups(e.groups) {
  check(e.equations.size() == e.unknowns.size(), "as many equations as unknowns");
  check(typical.size() == e.inputs.size() + e.unknowns.size(), "typical values of inputs and unknowns");
  if (n == 0) return;
  Exprs all = e.inputs;
  all.insert(all.end(), e.unknowns.begin(), e.unknowns.end());
  linear = options.linear;
  const bool automatic = linear == LinearSolver::automatic || linear == LinearSolver::exact;
  const bool staged = std::is_same_v<T, double> && e.stages != nullptr;
  // A closed mechanism (few degrees of freedom, many constraints) may come to singular positions, where the two
  // matrices contract no more.
  const bool closed = staged && e.stages->n_g + e.stages->n_k > closed_share * e.stages->n_z;
  const bool two_matrix = staged && (linear == LinearSolver::two_matrix ||
                                     (linear == LinearSolver::automatic && n > staged_unknowns && !closed));
  // The exact matrix is never made where only the two small ones are used: for large systems that is the point.
  const SparseExprs J = two_matrix ? SparseExprs{} : jacobian(e.equations, e.unknowns);

  int covered = 0;
  for (const UnknownGroup& group : groups)
    check(group.first == covered, "groups follow each other"), covered += group.count;
  check(covered == n, "every unknown is in a group");
  Exprs group_scales;
  Graph& graph = e.unknowns.front().graph();
  for (const UnknownGroup& group : groups) group_scales.push_back(group.scale ? group.scale : graph.constant(0));
  const KernelOptions plain{Backend::interpreter, false};
  constexpr int most_analysed = 400;
  if (std::is_same_v<T, double> && n <= most_analysed) {
    tape = make_tape(all, e.equations);
    levels.resize(2 * static_cast<std::size_t>(n) + 2 * tape.registers());
  }
  scale = Kernel<T>(all, group_scales, options.kernel);
  scales.resize(groups.size());
  start.resize(n), last.resize(n), delta.resize(n), trial.resize(inputs + n);
  values.resize(std::max<std::size_t>(J.value.size(), n));

  if (two_matrix) {
    linear = LinearSolver::two_matrix;
    if constexpr (std::is_same_v<T, double>) two = std::make_unique<TwoMatrix>(*e.stages, all, inputs, options.kernel);
    residual = WideKernel<T>(all, e.equations, options.kernel);
    if (e.graph && n <= most_exact_unknowns) equations = e;
    statistics.factorization_sizes = two->sizes();
    work.resize(std::max(residual.work(), scale.work()));
    return;
  }
  std::vector<bool> preferred(n, false);
  for (const UnknownGroup& group : groups)
    if (group.scale) std::fill_n(preferred.begin() + group.first, group.count, true);
  std::vector<double> at_typical = values_at(typical, Kernel<T>(all, J.value, plain));
  scaled = equilibrate(J, at_typical, preferred);
  for (int i = 0; i < n && !scaled.row.empty(); ++i)
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k)
      at_typical[k] *= scaled.row[i] * scaled.column[J.column[k]];
  if (automatic || linear == LinearSolver::two_matrix || linear == LinearSolver::unrolled) {
    std::optional<PivotOrder> order;
    if (n <= unrolled_unknowns) order = choose_pivots(J, at_typical, preferred);
    const bool small = order && order->operations <= unrolled_operations;
    if (small) correction = Kernel<T>(all, eliminate(J, e.equations, *order), options.kernel);
    linear = small                                                 ? LinearSolver::unrolled
             : (n <= dense_unknowns || !std::is_same_v<T, double>) ? LinearSolver::dense
                                                                   : LinearSolver::sparse;
  }
  if (!std::is_same_v<T, double> && linear == LinearSolver::sparse) linear = LinearSolver::dense;
  // Beside unrolled code the plain matrices are only the way out when it fails: no time is spent on compiling them.
  const KernelOptions beside = linear == LinearSolver::unrolled ? plain : options.kernel;
  residual = WideKernel<T>(all, e.equations, beside);
  matrix = WideKernel<T>(all, J.value, beside);
  pattern = J;
  pattern.value.clear();
  if (linear == LinearSolver::sparse) {
    if constexpr (std::is_same_v<T, double>) sparse = std::make_unique<SparseLu>(n, pattern.row_start, pattern.column);
  } else if (linear == LinearSolver::minimum_norm) {
    check(make_minimum(), "minimum norm: the matrix fits into the memory");
  } else {
    dense.emplace(n);
    full.resize(static_cast<std::size_t>(n) * n);
  }
  statistics.factorization_sizes = {n};
  work.resize(std::max({residual.work(), matrix.work(), correction.work(), scale.work()}));
}

template <class T>
Newton<T>::Body::Body(const Body& other)
    : inputs(other.inputs),
      n(other.n),
      options(other.options),
      linear(other.linear),
      residual(other.residual),
      matrix(other.matrix),
      correction(other.correction),
      scale(other.scale),
      pattern(other.pattern),
      scaled(other.scaled),
      groups(other.groups),
      dense(other.dense),
      sparse(other.sparse ? std::make_unique<SparseLu>(n, pattern.row_start, pattern.column) : nullptr),
      two(other.two ? other.two->clone() : nullptr),
      equations(other.equations),
      start(other.start),
      last(other.last),
      delta(other.delta),
      trial(other.trial),
      values(other.values),
      full(other.full),
      scales(other.scales),
      work(other.work),
      tape(other.tape),
      levels(other.levels) {
  if (other.minimum) make_minimum();
  statistics.factorization_sizes = other.statistics.factorization_sizes;
}

// Largest correction relative to the scale of its group, after it was applied where the unknowns may be changed; groups
// without a scale follow the others. NaN when not finite.
template <class T>
template <class Unknowns>
double Newton<T>::Body::measure_while(Unknowns* x) const noexcept {
  constexpr bool apply = !std::is_const_v<Unknowns>;
  double worst = 0;
  bool finite = true;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    Unknowns* __restrict values_now = x + inputs + groups[k].first;
    const T* __restrict changes = delta.data() + groups[k].first;
    T size = scales[k], change = 0, sum = 0;
    const auto look = [&](int i, T& most, T& largest, T& none) {
      if constexpr (apply) values_now[i] -= changes[i];
      const T a = magnitude(values_now[i]), d = magnitude(changes[i]);
      most = most < a ? a : most;
      largest = largest < d ? d : largest;
      none += changes[i] - changes[i];  // 0, or NaN when something is not finite
    };
    constexpr int lanes = 4;  // side by side: they do not wait for each other
    T mosts[lanes] = {}, largests[lanes] = {}, nones[lanes] = {};
    int i = 0;
    for (; i + lanes <= groups[k].count; i += lanes)
      for (int j = 0; j < lanes; ++j) look(i + j, mosts[j], largests[j], nones[j]);
    for (; i < groups[k].count; ++i) look(i, size, change, sum);
    for (int j = 0; j < lanes; ++j) {
      size = std::max(size, mosts[j]), change = std::max(change, largests[j]);
      sum += nones[j];
    }
    finite = finite && sum == 0;
    if (groups[k].scale && change != 0) worst = std::max(worst, static_cast<double>(change / size));
  }
  return finite ? worst : std::nan("");
}

// Whether no equation can hold better in double numbers. Near an equilibrium all unknowns vanish, and what is left of
// forces that cancel is large against them: corrections then never become small.
template <class T>
bool Newton<T>::Body::at_rounding(const T* x) noexcept {
  if constexpr (!std::is_same_v<T, double>) return false;
  else {
    if (levels.empty()) return false;
    double* const value = levels.data();
    double* const error = value + n;
    rounding_levels(tape, x, value, error, error + n, nullptr);
    for (int i = 0; i < n; ++i)
      if (!(std::abs(value[i]) <= 4 * error[i])) return false;
    return true;
  }
}

template <class T>
NewtonResult& Newton<T>::Body::worst_equation(const T* x, NewtonResult& result) noexcept {
  residual(x, trial.data(), work.data());
  result.equation = 0;
  for (int i = 0; i < n; ++i)
    if (!(magnitude(trial[i]) <= magnitude(trial[result.equation]))) result.equation = i;
  result.residual = static_cast<double>(trial[result.equation]);
  return result;
}

template <class T>
bool Newton<T>::Body::factorize(const T* x) noexcept {
  contraction = unknown_contraction;
  if (two) {
    statistics.factorizations += two->factorizations();
    if constexpr (std::is_same_v<T, double>) factorized = two->factor(x);
    return factorized;
  }
  ++statistics.factorizations;
  if (linear == LinearSolver::sparse) {
    take_matrix(x);
    equilibrate_values();
    if constexpr (std::is_same_v<T, double>) factorized = sparse->factor(values.data());
    return factorized;
  }
  take_matrix(x);
  if (linear != LinearSolver::minimum_norm) equilibrate_values();
  assemble();
  factorized = linear == LinearSolver::minimum_norm ? minimum->factor(full.data(), MinimumNorm<T>::Cut::rounding)
                                                    : dense->factor(full.data());
  return factorized;
}

template <class T>
void Newton<T>::Body::equilibrate_values() noexcept {
  for (int i = 0; i < n && !scaled.row.empty(); ++i)
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      values[k] *= T(scaled.row[i]) * T(scaled.column[pattern.column[k]]);
}

template <class T>
void Newton<T>::Body::assemble() noexcept {
  std::fill(full.begin(), full.end(), T(0));
  for (int i = 0; i < n; ++i)
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      full[static_cast<std::size_t>(i) * n + pattern.column[k]] = values[k];
}

template <class T>
bool Newton<T>::Body::make_minimum() noexcept {
  if (minimum) return true;
  if (n > most_minimum_norm_unknowns) return false;
  try {
    std::vector<bool> multiplier(n, false);
    for (const UnknownGroup& group : groups)
      if (!group.scale) std::fill_n(multiplier.begin() + group.first, group.count, true);
    full.resize(static_cast<std::size_t>(n) * n);
    minimum = std::make_unique<MinimumNorm<T>>(std::move(multiplier));
  } catch (const std::bad_alloc&) { return false; }
  return true;
}

template <class T>
void Newton<T>::Body::solve_linear(T* b, const T* x) noexcept {
  if (linear == LinearSolver::minimum_norm) return minimum->solve(b, x + inputs);
  for (int i = 0; i < n && !scaled.row.empty(); ++i) b[i] *= T(scaled.row[i]);
  if (two) {
    if constexpr (std::is_same_v<T, double>) two->solve(b);
  } else if (linear == LinearSolver::sparse) {
    if constexpr (std::is_same_v<T, double>) sparse->solve(b);
  } else {
    dense->solve(b);
  }
  for (int i = 0; i < n && !scaled.row.empty(); ++i) b[i] *= T(scaled.column[i]);
}

// Exact Newton with the elimination in the code: quadratic convergence foretells the next correction.
template <class T>
NewtonResult Newton<T>::Body::unrolled(T* x) noexcept {
  const double eps = static_cast<double>(epsilon<T>());
  NewtonResult result;
  double before = 0;
  while (result.iterations < options.max_iterations) {
    correction(x, delta.data(), work.data());
    ++result.iterations, ++statistics.evaluations, ++statistics.factorizations;
    if (tolerated(x, result)) return result;
    const double now = subtract(x);
    result.correction = now;
    if (std::isnan(now)) return result.outcome = Outcome::not_finite, result;
    if (now <= eps) return result;
    if (result.iterations > 1) {
      const double ratio = now / before;
      if (ratio < 1 && now * ratio * ratio <= eps / 4) return result;
      if (ratio > 0.25 && now <= fresh_floor * eps) return result;  // rounding: it cannot become smaller
      if (ratio > 0.25 && result.iterations > 2 && at_rounding(x)) return result;
      if (ratio > 2 && result.iterations > 3) break;
    }
    before = now;
  }
  result.outcome = Outcome::diverged;
  return result;
}

// Newton with a kept factorisation, renewed when it contracts slowly. An exact matrix at the iterate makes the
// convergence quadratic; a kept one, and the two matrices of a SPARK step always, make it linear.
template <class T>
NewtonResult Newton<T>::Body::kept(T* x) noexcept {
  const double eps = static_cast<double>(epsilon<T>());
  const int most = two ? 4 * options.max_iterations : options.max_iterations;
  NewtonResult result;
  double before = 0;
  bool renewed = false;
  noise *= 0.95;
  while (result.iterations < most) {
    const bool here = !factorized;  // the matrix belongs to this iterate
    if (here) {
      if (!factorize(x)) return result.outcome = Outcome::singular, result;
      renewed = true;
    }
    residual(x, delta.data(), work.data());
    ++result.iterations, ++statistics.evaluations;
    solve_linear(delta.data(), x);
    if (tolerated(x, result)) return result;
    const double now = subtract(x);
    result.correction = now;
    if (std::isnan(now)) {
      factorized = false;
      return result.outcome = Outcome::not_finite, result;
    }
    if (now <= eps) return result;
    if (result.iterations > 1) {
      const double ratio = now / before;
      // One small ratio may be luck (the prediction was wrong where the matrix is right), so the slowest counts.
      if (!here && now > quiet_floor * eps) contraction = std::max(contraction, std::min(ratio, 0.9));
      const double rate = std::max(ratio, contraction);
      const double next = here && !two ? now * ratio * std::min(ratio, 1.0) : now * rate / (1 - std::min(rate, 0.9));
      if (ratio < 1 && next <= eps / 4) return result;
      if (ratio > slow) {
        if (now <= quiet_floor * eps) {
          // Rounding, or an old matrix that still contracts? What is left then would be seen in the constraints.
          const bool known = renewed || now <= noise;
          if (known && ratio > stalled) return noise = std::max(noise, now), result;
          if (!known) factorized = false;
          before = now;
          continue;
        }
        if (ratio > stalled && result.iterations > 3 && at_rounding(x)) return result;
        const bool best = two ? renewed : here;  // no other matrix would do better
        if (best && now <= fresh_floor * eps && (!two || ratio >= 1)) return result;
        if (best && ratio > (two ? 1 : 2) && result.iterations > 3) break;
        if (!two || !renewed) factorized = false;
      }
    }
    before = now;
  }
  factorized = false;
  result.outcome = Outcome::diverged;
  return result;
}

// The last way: a new matrix at every iterate, and steps shortened until the next correction becomes smaller.
template <class T>
NewtonResult Newton<T>::Body::careful(T* x) noexcept {
  const double eps = static_cast<double>(epsilon<T>());
  NewtonResult result;
  double before = 0;
  T* next = trial.data();
  while (result.iterations < options.max_iterations) {
    if (!factorize(x)) return result.outcome = Outcome::singular, result;
    residual(x, delta.data(), work.data());
    ++result.iterations, ++statistics.evaluations;
    solve_linear(delta.data(), x);
    std::copy_n(x, inputs + n, next);
    for (int i = 0; i < n; ++i) next[inputs + i] -= delta[i];
    const double now = measure(next);
    result.correction = now;
    if (std::isnan(now)) return result.outcome = Outcome::not_finite, result;
    const bool small = now <= eps || (result.iterations > 1 && now > before / 4 && now <= fresh_floor * eps);
    if (small) {
      std::copy_n(next + inputs, n, x + inputs);
      return result;
    }
    std::copy(delta.begin(), delta.end(), values.begin());  // the direction; values is at least as long as n
    double share = 1;
    for (;; share /= 2) {
      if (share < 1.0 / 1024) return result.outcome = Outcome::diverged, result;
      for (int i = 0; i < n; ++i) next[inputs + i] = x[inputs + i] - T(share) * values[i];
      residual(next, delta.data(), work.data());
      ++statistics.evaluations;
      solve_linear(delta.data(), next);
      const double after = measure(next);
      if (after <= (1 - share / 4) * now) break;  // false for NaN
    }
    std::copy_n(next + inputs, n, x + inputs);
    before = now;
  }
  result.outcome = Outcome::diverged;
  return result;
}

// Whether the equations hold, relative to the terms that the last assembled matrix shows.
template <class T>
bool Newton<T>::Body::consistent(const T* x, double tolerance) noexcept {
  residual(x, trial.data(), work.data());
  ++statistics.evaluations;
  for (int i = 0; i < n; ++i) {
    T terms = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      T size = scales[k], factors = 0;
      for (int j = groups[k].first; j < groups[k].first + groups[k].count; ++j) {
        size = std::max(size, magnitude(x[inputs + j]));
        factors += magnitude(full[static_cast<std::size_t>(i) * n + j]);
      }
      terms += factors * size;
    }
    if (!(magnitude(trial[i]) <= T(tolerance) * terms)) return false;
  }
  return true;
}

// Over a singular position: directions about which the constraints say less than their rounding are left to the other
// equations, so that the motion goes on as it came.
template <class T>
NewtonResult Newton<T>::Body::singular(T* x) noexcept {
  const double eps = static_cast<double>(epsilon<T>());
  NewtonResult result;
  result.singular_position = true;
  double before = 0;
  while (result.iterations < singular_iterations) {
    take_matrix(x);
    assemble();
    if (!minimum->factor(full.data(), MinimumNorm<T>::Cut::gap)) return result.outcome = Outcome::not_finite, result;
    const bool full_rank = minimum->rank() == n;
    if (full_rank && minimum->smallest_pivot() > T(healthy_pivot)) break;  // no singular position: it fails otherwise
    residual(x, delta.data(), work.data());
    ++result.iterations, ++statistics.evaluations, ++statistics.factorizations;
    minimum->solve(delta.data(), x + inputs);
    const double now = subtract(x);
    result.correction = now;
    if (std::isnan(now)) return result.outcome = Outcome::not_finite, result;
    const bool settled = result.iterations > 1 && now > before / 2 && now <= singular_floor;
    if (now <= quiet_floor * eps || settled) {
      if (consistent(x, full_rank ? full_residual : lost_residual)) return result;
      if (!full_rank) return result.outcome = Outcome::contradiction, worst_equation(x, result);
    }
    if (full_rank && result.iterations >= full_rank_iterations && now > singular_floor) break;
    before = now;
  }
  result.outcome = Outcome::diverged;
  return result;
}

// What the two matrices do not contract: where they change much within a step.
template <class T>
NewtonResult Newton<T>::Body::by_exact(T* x) noexcept {
  NewtonResult failed;
  failed.outcome = Outcome::diverged;
  try {
    if (!exact) {
      NewtonOptions other = options;
      other.linear = LinearSolver::exact;
      other.kernel = {Backend::interpreter, false};  // now and then
      exact = std::make_unique<Newton<T>>(*equations, std::vector<T>(x, x + inputs + n), other);
    }
    exact->forget();
    const NewtonResult result = exact->solve(x);
    statistics.factorizations += result.iterations, statistics.evaluations += result.iterations;
    return result;
  } catch (const std::exception&) { return failed; }
}

template <class T>
NewtonResult Newton<T>::Body::solve(T* x) noexcept {
  NewtonResult result;
  if (n == 0) return result;
  std::copy_n(x + inputs, n, start.begin());
  // How large the state is: of many thousand numbers it hardly changes from step to step, and all of them are read.
  if (n < many_unknowns || !factorized || ++since_scaled >= scaled_every)
    scale(x, scales.data(), work.data()), since_scaled = 0;
  result = linear == LinearSolver::unrolled ? unrolled(x) : kept(x);
  const bool dependent = linear == LinearSolver::minimum_norm;
  const auto judge = [&] {
    if (dependent && result.outcome == Outcome::converged && !consistent(x, lost_residual))
      result.outcome = Outcome::contradiction, worst_equation(x, result);
  };
  judge();
  int spent = result.iterations;
  if (result.outcome != Outcome::converged) {
    std::copy_n(start.begin(), n, x + inputs);
    result = careful(x);
    factorized = false;
    judge();
    spent += result.iterations;
    const auto try_instead = [&](NewtonResult (Body::*way)(T*) noexcept) {
      const NewtonResult failed = result;
      std::copy(x + inputs, x + inputs + n, last.begin());
      std::copy_n(start.begin(), n, x + inputs);
      result = (this->*way)(x);
      spent += result.iterations;
      if (result.outcome == Outcome::converged || result.outcome == Outcome::contradiction) return;
      result = failed;
      std::copy_n(last.begin(), n, x + inputs);
    };
    // Whether a failure comes of a singular position, only those who watch the constraints know: solve_singular.
    if ((result.outcome == Outcome::diverged || result.outcome == Outcome::singular) && two && equations)
      try_instead(&Body::by_exact);
    if (result.outcome != Outcome::converged) {
      // What cannot be factorised because it is no number is not singular.
      const auto finite = [](const T& value) { return value - value == 0; };
      const bool number = two || std::all_of(values.begin(), values.begin() + pattern.column.size(), finite);
      if (result.outcome == Outcome::singular && !number) result.outcome = Outcome::not_finite;
      if (result.outcome == Outcome::singular && dense) result.equation = dense->smallest_pivot_row();
      if (result.equation < 0) worst_equation(x, result);
    }
  }
  result.iterations = spent;
  statistics.iterations += spent;
  return result;
}

template <class T>
NewtonResult Newton<T>::Body::solve_singular(T* x) noexcept {
  if (n == 0 || two || !make_minimum()) return solve(x);
  std::copy_n(x + inputs, n, start.begin());
  scale(x, scales.data(), work.data());
  const NewtonResult result = singular(x);
  statistics.iterations += result.iterations;
  if (result.outcome == Outcome::converged) return result;
  std::copy_n(start.begin(), n, x + inputs);
  return solve(x);
}

template <class T>
Newton<T>::Newton(const ImplicitEquations& equations, const std::vector<T>& typical, NewtonOptions options)
    : body_(std::make_unique<Body>(equations, typical, options)) {}
template <class T>
Newton<T>::~Newton() = default;
template <class T>
Newton<T>::Newton(Newton&&) noexcept = default;
template <class T>
Newton<T>& Newton<T>::operator=(Newton&&) noexcept = default;
template <class T>
Newton<T>::Newton(std::unique_ptr<Body> body) : body_(std::move(body)) {}
template <class T>
Newton<T> Newton<T>::clone() const {
  return Newton(std::make_unique<Body>(*body_));
}
template <class T>
NewtonResult Newton<T>::solve(T* x) noexcept {
  return body_->solve(x);
}
template <class T>
NewtonResult Newton<T>::solve_singular(T* x) noexcept {
  return body_->solve_singular(x);
}
template <class T>
void Newton<T>::forget() noexcept {
  body_->factorized = false;
}
template <class T>
bool Newton<T>::keeps_nothing() const {
  return body_->linear == LinearSolver::unrolled;
}
template <class T>
const NewtonStatistics& Newton<T>::statistics() const {
  return body_->statistics;
}

template class Newton<double>;
template class Newton<Quad>;

}  // namespace alembert::internal
