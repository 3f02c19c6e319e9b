#pragma once

// Steps so large that no initial guess is near.

#include <algorithm>
#include <vector>

#include "alembert/newton/newton.h"

namespace alembert::internal {

/// Follows the solution of a step's equations from a short step, which the method's own guess is near to, up to the
/// whole step. Allocates only when made.
template <class T>
class Homotopy {
 public:
  explicit Homotopy(int most_unknowns) : solution_(most_unknowns), before_(most_unknowns) {}

  /// x: t0, h, state, unknowns, as many as newton has, unknowns from first_unknown on. guess(h) fills all of x with the
  /// method's own guess for a step of h. The result is that of the last step tried, with the iterations of all.
  template <class Guess>
  NewtonResult follow(Newton<T>& newton, T h, T* x, int first_unknown, int unknowns, Guess guess) noexcept;

 private:
  std::vector<T> solution_, before_;  // unknowns of the last two steps that were solved
};

template <class T>
template <class Guess>
NewtonResult Homotopy<T>::follow(Newton<T>& newton, T h, T* x, int first_unknown, int unknowns, Guess guess) noexcept {
  constexpr int first_parts = 4;   // into which the step is divided at first
  constexpr int most_parts = 256;  // a step that changes its solution within less has a fold there
  T* const u = x + first_unknown;
  T reached = 0;
  T reached_before = 0;
  T stride = T(1) / first_parts;
  NewtonResult result;
  while (reached < 1) {
    const T target = std::min(T(1), reached + stride);
    if (reached == 0) {
      guess(target * h);
    } else {
      x[1] = target * h;
      // Along the line through the last two solutions; the first of them alone stays as it is.
      const T ahead = reached_before > 0 ? (target - reached) / (reached - reached_before) : T(0);
      for (int i = 0; i < unknowns; ++i) u[i] = solution_[i] + ahead * (solution_[i] - before_[i]);
    }
    newton.forget();
    const int spent = result.iterations;
    result = newton.solve(x);
    result.iterations += spent;
    if (result.outcome != Outcome::converged) {
      stride /= 2;
      if (stride * most_parts < 1) return result;
      continue;
    }
    reached_before = reached;
    reached = target;
    std::copy_n(solution_.begin(), unknowns, before_.begin());
    std::copy_n(u, unknowns, solution_.begin());
  }
  return result;
}

}  // namespace alembert::internal
