#pragma once

// A step that was solved as a curve: its stages lie on the motion, so that the unknowns of other steps, of any size,
// can be read off it, between its ends and somewhat beyond.

#include <span>
#include <vector>

#include "alembert/numerics.h"

namespace alembert::internal {

/// Unknowns of a step that belong to one quantity at several times.
struct StageSeries {
  int state = -1;             // they belong to the entries of the state from here on; -1: to none (multipliers)
  bool rates = false;         // h times the rates of these, else what they have grown by since the start of the step
  int count = 0;              // entries of the quantity
  std::vector<int> first;     // the unknowns where each stage begins
  std::vector<double> nodes;  // their times, in units of the step
};

/// A step with its solution.
template <class T>
struct SolvedStep {
  T t = 0, h = 0;           // h = 0: none
  std::vector<T> from, to;  // states
  std::vector<T> unknowns;

  template <class A>
  void archive(A& fields) {
    fields(t, h, from, to, unknowns);
  }
};

/// From t, h, state and unknowns in one list, and the state at the end.
template <class T>
void take_step(const T* x, int states, int unknowns, const T* to, SolvedStep<T>& step) {
  step.t = x[0];
  step.h = x[1];
  step.from.assign(x + 2, x + 2 + states);
  step.to.assign(to, to + states);
  step.unknowns.assign(x + 2 + states, x + 2 + states + unknowns);
}

/// Fills the unknowns of a step of size h from t and `state` with what other steps, one behind the other, say. Every
/// quantity that has unknowns has a series, else these stay. Instantiated for double and Quad.
template <class T>
void guess_from_steps(const std::vector<StageSeries>& series, std::span<const SolvedStep<T>* const> steps, T t, T h,
                      const T* state, T* unknowns) noexcept;

/// How much the slopes of the curve differ from `rates` at both ends, times h: the larger of the two, for every entry
/// of the state that a series knows; 0 for the others. It vanishes with h one order faster than there are stages.
void slope_defects(const std::vector<StageSeries>& series, const SolvedStep<double>& step,
                   std::span<const double> rates_from, std::span<const double> rates_to, std::vector<double>& defects);

}  // namespace alembert::internal
