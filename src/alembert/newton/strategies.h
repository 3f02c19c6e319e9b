#pragma once

// The ways in which Newton's method is carried out. All take x (inputs, then unknowns) as the initial guess and leave
// the last iterate there; all judge by the same Convergence and know matrices only as a LinearSystem. None allocates
// nor throws. Instantiated for double and Quad.

#include "alembert/linear/minimum_norm_system.h"
#include "alembert/newton/convergence.h"
#include "alembert/newton/correction_norm.h"
#include "alembert/newton/newton_result.h"
#include "alembert/newton/rounding.h"

namespace alembert::internal {

/// What the strategies have in common: the equations, how corrections are measured and judged, memory.
template <class T>
struct Iteration {
  int inputs = 0;
  int unknowns = 0;
  int max_iterations = 0;
  double tolerance = 0;  // see NewtonOptions
  double enough = 0;     // see Newton::be_rough
  WideKernel<T> equations;
  CorrectionNorm<T> norm;
  RoundingTest rounding;
  Convergence convergence;
  NewtonStatistics statistics;
  bool factored = false;  // the linear system holds a factorisation that simplified Newton may go on with
  std::vector<T> delta, trial, direction, work;

  bool factor(LinearSystem<T>& system, const T* x) noexcept;
  bool at_rounding(const T* x) noexcept;
  /// Names the equation with the largest residual at x.
  void find_worst_equation(const T* x, NewtonResult& result) noexcept;
  /// The equations at x lie in trial then.
  void evaluate(const T* x) noexcept { equations(x, trial.data(), work.data()); }
};

/// Newton's own matrix at every iterate.
template <class T>
NewtonResult exact_newton(Iteration<T>& iteration, LinearSystem<T>& system, T* x) noexcept;

/// The matrix of an earlier iterate or an earlier step as long as it contracts well. Newton's own matrix, taken anew
/// at an iterate, makes convergence quadratic there; an old one, and an approximate one always, make it linear.
template <class T>
NewtonResult simplified_newton(Iteration<T>& iteration, LinearSystem<T>& system, T* x) noexcept;

/// A new matrix at every iterate, and corrections shortened until the next one, by the same matrix, is smaller (the
/// natural monotonicity test of Deuflhard). Slow and far-reaching.
template <class T>
NewtonResult damped_newton(Iteration<T>& iteration, LinearSystem<T>& system, T* x) noexcept;

/// Over a singular position: directions about which the constraints say less than their rounding are left to the other
/// equations, so that the motion goes on as it came. Diverged where no singular position is near.
template <class T>
NewtonResult singular_newton(Iteration<T>& iteration, MinimumNormSystem<T>& system, T* x) noexcept;

/// Whether equations of which some depend on others hold at x, where directions were given up as lost: relative to
/// their terms, as the matrix that the system took last shows them.
template <class T>
bool consistent(Iteration<T>& iteration, const MinimumNormSystem<T>& system, const T* x) noexcept;

}  // namespace alembert::internal
