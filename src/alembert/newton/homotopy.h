#pragma once

// Steps so large that no initial guess is near.

#include <algorithm>
#include <vector>

#include "alembert/newton/branch.h"
#include "alembert/newton/newton.h"

namespace alembert::internal {

/// Follows the solution of a step's equations from a short step, which the method's own guess is near to, up to the
/// whole step. Each length of the step begins where the ones before lead to; where Newton does not arrive near there
/// and at once, the next length was too far away. Allocates only when made.
template <class T>
class Homotopy {
 public:
  explicit Homotopy(int most_unknowns) : guessed_(most_unknowns), solution_(most_unknowns), before_(most_unknowns) {}

  /// A step's equations. x: t0, h, state, unknowns, as many as newton has, unknowns from first_unknown on. guess(h)
  /// fills all of x with the method's own guess for a step of h; mark() remembers what x leads to, apart() says how far
  /// from there x leads now, relative to the change over the step.
  template <class Guess, class Mark, class Apart>
  struct Path {
    Newton<T>& newton;
    T* x;
    int first_unknown, unknowns;
    Guess guess;
    Mark mark;
    Apart apart;
  };

  /// Up to a step of h, the first length being its share `first`. The result is that of the last step tried, with the
  /// iterations of all; other_branch where Newton arrives, but not where the short steps lead to.
  template <class P>
  NewtonResult follow(P path, T h, T first) noexcept;

 private:
  static constexpr int most_parts = 4096;  // a step that changes its solution within less has a fold there
  static constexpr int short_parts = 16;   // steps shorter than that are short
  /// Where Newton contracts that well, the next length may be twice as far.
  static constexpr double easily = 0.05;

  template <class P>
  void start(P& path, T h) noexcept;
  template <class P>
  bool accepts(const NewtonResult& result, T stride, P& path) const noexcept;

  std::vector<T> guessed_, solution_, before_;  // unknowns: the first guess, those of the last two steps solved
  T reached_ = 0, reached_before_ = 0, target_ = 0;
};

/// Where the unknowns for the next length are expected.
template <class T>
template <class P>
void Homotopy<T>::start(P& path, T h) noexcept {
  T* const u = path.x + path.first_unknown;
  if (reached_before_ > 0) {
    // Along the line through the last two solutions.
    path.x[1] = target_ * h;
    const T ahead = (target_ - reached_) / (reached_ - reached_before_);
    for (int i = 0; i < path.unknowns; ++i) u[i] = solution_[i] + ahead * (solution_[i] - before_[i]);
    return;
  }
  path.guess(target_ * h);
  if (reached_ == 0) std::copy_n(u, path.unknowns, guessed_.begin());
  // The guess is as wrong as it was for the first length: in the multipliers, mostly, which do not grow with it.
  for (int i = 0; i < path.unknowns && reached_ > 0; ++i) u[i] += solution_[i] - guessed_[i];
}

/// A short step begins anywhere: its equations are almost linear, but need not lead to small changes. The shortest
/// begins wherever Newton arrives: reactions nonlinear in their multipliers are as nonlinear in the shortest step.
template <class T>
template <class P>
bool Homotopy<T>::accepts(const NewtonResult& result, T stride, P& path) const noexcept {
  const bool shortest = reached_ == 0 && stride * most_parts < 2;
  if (shortest && result.outcome == Outcome::converged) return true;
  const bool begins = reached_ == 0 && stride * short_parts <= 1;
  return continues(result, [&] { return begins ? 0 : path.apart(); });
}

template <class T>
template <class P>
NewtonResult Homotopy<T>::follow(P path, T h, T first) noexcept {
  T* const u = path.x + path.first_unknown;
  reached_ = reached_before_ = 0;
  T stride = first;
  NewtonResult result;
  while (reached_ < 1) {
    target_ = std::min(T(1), reached_ + stride);
    start(path, h);
    path.mark();
    path.newton.forget();
    const int spent = result.iterations;
    result = path.newton.solve(path.x);
    result.iterations += spent;
    if (!accepts(result, stride, path)) {
      stride /= 2;
      if (stride * most_parts >= 1) continue;
      if (result.outcome == Outcome::converged) result.outcome = Outcome::other_branch;
      return result;
    }
    if (result.contraction <= easily) stride *= 2;
    reached_before_ = reached_;
    reached_ = target_;
    std::copy_n(solution_.begin(), path.unknowns, before_.begin());
    std::copy_n(u, path.unknowns, solution_.begin());
  }
  return result;
}

}  // namespace alembert::internal
