#include "alembert/newton/strategies.h"

#include <algorithm>
#include <type_traits>

#include "alembert/base/magnitude.h"
#include "alembert/base/profile.h"

namespace alembert::internal {

namespace {

// The two matrices contract like the step size, Newton's own like the change of the matrix within a step.
constexpr int approximate_patience = 4;
// Shorter steps of damped Newton come from a guess that leads nowhere.
constexpr double shortest_share = 1.0 / 1024;
// How much of the promised decrease a shortened correction must bring.
constexpr double promised_part = 0.25;
// Residuals of dependent equations that count as none, relative to their terms: where a direction was given up as lost
// (the cut of the ranks, 1e-9, decides), and where none was (rounding of some hundred terms).
constexpr double lost_residual = 1e-9;
constexpr double full_residual = 1e-13;
// Convergence to a double root halves the error each time: from 1 to the floor of 1e-6 in 20 iterations, and back.
constexpr int singular_iterations = 40;
// With full rank it takes the usual few, or it does not come at all.
constexpr int full_rank_iterations = 12;
// Pivots above this mean that no singular position is near: at the distance s they are about s^2 (minimum_norm.cpp).
constexpr double healthy_pivot = 1e-6;

NewtonResult& failed(NewtonResult& result, Outcome outcome) {
  result.outcome = outcome;
  return result;
}

Outcome outcome_of(Verdict verdict) {
  if (verdict == Verdict::converged) return Outcome::converged;
  return verdict == Verdict::not_finite ? Outcome::not_finite : Outcome::diverged;
}

// Solves for the correction at x and counts it.
template <class T>
void find_correction(Iteration<T>& it, LinearSystem<T>& system, const T* x, NewtonResult& result) noexcept {
  const During evaluating(Activity::evaluation);
  system.solve(x, it.delta.data());
  ++result.iterations;
  ++it.statistics.evaluations;
}

// Whether a loose tolerance leaves the correction out.
template <class T>
bool tolerated(const Iteration<T>& it, const T* x, NewtonResult& result) noexcept {
  if (it.tolerance <= 0) return false;
  result.correction = it.norm.measure(x, it.delta.data());
  return result.correction <= it.tolerance;
}

template <class T>
bool hold(Iteration<T>& it, const MinimumNormSystem<T>& system, const T* x, double tolerance) noexcept {
  it.evaluate(x);
  ++it.statistics.evaluations;
  const auto& groups = it.norm.groups();
  for (int i = 0; i < it.unknowns; ++i) {
    const T* const row = system.matrix().data() + static_cast<std::size_t>(i) * it.unknowns;
    T terms = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      T factors = 0;
      for (int j = groups[k].first; j < groups[k].first + groups[k].count; ++j) factors += magnitude(row[j]);
      terms += factors * it.norm.size(static_cast<int>(k), x);
    }
    if (!(magnitude(it.trial[i]) <= T(tolerance) * terms)) return false;
  }
  return true;
}

}  // namespace

template <class T>
bool Iteration<T>::factor(LinearSystem<T>& system, const T* x) noexcept {
  convergence.new_matrix();
  statistics.factorizations += system.factorizations();
  const During factorising(Activity::factorisation);
  factored = system.factor(x);
  return factored;
}

template <class T>
bool Iteration<T>::at_rounding(const T* x) noexcept {
  if constexpr (std::is_same_v<T, double>) return rounding.holds(x);
  else return false;
}

template <class T>
void Iteration<T>::find_worst_equation(const T* x, NewtonResult& result) noexcept {
  evaluate(x);
  result.equation = 0;
  for (int i = 0; i < unknowns; ++i)
    if (!(magnitude(trial[i]) <= magnitude(trial[result.equation]))) result.equation = i;
  result.residual = static_cast<double>(trial[result.equation]);
}

template <class T>
NewtonResult exact_newton(Iteration<T>& it, LinearSystem<T>& system, T* x) noexcept {
  NewtonResult result;
  it.convergence.begin();
  while (result.iterations < it.max_iterations) {
    find_correction(it, system, x, result);
    it.statistics.factorizations += system.factorizations();
    if (tolerated(it, x, result)) return result;
    result.correction = it.norm.subtract(x, it.delta.data());
    if (result.iterations == 1) result.first_correction = result.correction;
    const Verdict verdict = it.convergence.exact(result.correction, [&] { return it.at_rounding(x); });
    if (verdict == Verdict::proceed) continue;
    result.outcome = outcome_of(verdict);
    return result;
  }
  return failed(result, Outcome::diverged);
}

template <class T>
NewtonResult simplified_newton(Iteration<T>& it, LinearSystem<T>& system, T* x) noexcept {
  NewtonResult result;
  const bool approximate = system.kind() == MatrixKind::approximate;
  const int most = approximate ? approximate_patience * it.max_iterations : it.max_iterations;
  it.convergence.begin_simplified(it.norm.own_share());
  while (result.iterations < most) {
    const bool here = !it.factored;
    if (here && !it.factor(system, x)) return failed(result, Outcome::singular);
    find_correction(it, system, x, result);
    if (tolerated(it, x, result)) return result;
    result.correction = it.norm.subtract(x, it.delta.data());
    if (result.iterations == 1) result.first_correction = result.correction;
    if (result.correction <= it.enough) return result;
    const Verdict verdict =
        it.convergence.simplified(result.correction, {approximate, here}, [&] { return it.at_rounding(x); });
    if (verdict == Verdict::converged) return result;
    if (verdict == Verdict::proceed) continue;
    it.factored = false;
    if (verdict != Verdict::renew) return failed(result, outcome_of(verdict));
  }
  it.factored = false;
  return failed(result, Outcome::diverged);
}

namespace {

// Moves x along the direction, as far as the next correction by the same matrix becomes smaller; false where it never
// does.
template <class T>
bool move_damped(Iteration<T>& it, LinearSystem<T>& system, T* x, double correction) noexcept {
  T* const next = it.trial.data();
  for (double share = 1; share >= shortest_share; share /= 2) {
    for (int i = it.inputs; i < it.inputs + it.unknowns; ++i) next[i] = x[i] - T(share) * it.direction[i - it.inputs];
    {
      const During evaluating(Activity::evaluation);
      system.solve(next, it.delta.data());
    }
    ++it.statistics.evaluations;
    const double after = it.norm.measure(next, it.delta.data());
    if (!(after <= (1 - promised_part * share) * correction)) continue;  // also where it is no number
    std::copy_n(next + it.inputs, it.unknowns, x + it.inputs);
    return true;
  }
  return false;
}

}  // namespace

template <class T>
NewtonResult damped_newton(Iteration<T>& it, LinearSystem<T>& system, T* x) noexcept {
  NewtonResult result;
  T* const next = it.trial.data();
  it.convergence.begin();
  while (result.iterations < it.max_iterations) {
    if (!it.factor(system, x)) return failed(result, Outcome::singular);
    find_correction(it, system, x, result);
    std::copy_n(x, it.inputs + it.unknowns, next);
    result.correction = it.norm.subtract(next, it.delta.data());
    const Verdict verdict = it.convergence.damped(result.correction);
    if (verdict == Verdict::not_finite) return failed(result, Outcome::not_finite);
    if (verdict == Verdict::converged) {
      std::copy_n(next + it.inputs, it.unknowns, x + it.inputs);
      return result;
    }
    std::copy(it.delta.begin(), it.delta.end(), it.direction.begin());
    if (!move_damped(it, system, x, result.correction)) return failed(result, Outcome::diverged);
  }
  return failed(result, Outcome::diverged);
}

template <class T>
bool consistent(Iteration<T>& it, const MinimumNormSystem<T>& system, const T* x) noexcept {
  return hold(it, system, x, lost_residual);
}

template <class T>
NewtonResult singular_newton(Iteration<T>& it, MinimumNormSystem<T>& system, T* x) noexcept {
  NewtonResult result;
  result.singular_position = true;
  it.convergence.begin();
  while (result.iterations < singular_iterations) {
    if (!system.factor(x, MinimumNormSystem<T>::Cut::gap)) return failed(result, Outcome::not_finite);
    const bool full_rank = system.factors().rank() == it.unknowns;
    if (full_rank && system.factors().smallest_pivot() > T(healthy_pivot)) break;
    find_correction(it, system, x, result);
    ++it.statistics.factorizations;
    result.correction = it.norm.subtract(x, it.delta.data());
    const Verdict verdict = it.convergence.singular(result.correction);
    if (verdict == Verdict::not_finite) return failed(result, Outcome::not_finite);
    if (verdict == Verdict::converged) {
      if (hold(it, system, x, full_rank ? full_residual : lost_residual)) return result;
      if (!full_rank) {
        it.find_worst_equation(x, result);
        return failed(result, Outcome::contradiction);
      }
    }
    if (full_rank && result.iterations >= full_rank_iterations && !it.convergence.settled()) break;
  }
  return failed(result, Outcome::diverged);
}

template struct Iteration<double>;
template struct Iteration<Quad>;
template NewtonResult exact_newton(Iteration<double>&, LinearSystem<double>&, double*) noexcept;
template NewtonResult exact_newton(Iteration<Quad>&, LinearSystem<Quad>&, Quad*) noexcept;
template NewtonResult simplified_newton(Iteration<double>&, LinearSystem<double>&, double*) noexcept;
template NewtonResult simplified_newton(Iteration<Quad>&, LinearSystem<Quad>&, Quad*) noexcept;
template NewtonResult damped_newton(Iteration<double>&, LinearSystem<double>&, double*) noexcept;
template NewtonResult damped_newton(Iteration<Quad>&, LinearSystem<Quad>&, Quad*) noexcept;
template NewtonResult singular_newton(Iteration<double>&, MinimumNormSystem<double>&, double*) noexcept;
template NewtonResult singular_newton(Iteration<Quad>&, MinimumNormSystem<Quad>&, Quad*) noexcept;
template bool consistent(Iteration<double>&, const MinimumNormSystem<double>&, const double*) noexcept;
template bool consistent(Iteration<Quad>&, const MinimumNormSystem<Quad>&, const Quad*) noexcept;

}  // namespace alembert::internal
