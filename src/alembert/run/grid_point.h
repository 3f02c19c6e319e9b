#pragma once

// Where a run stands between two steps.

#include <optional>
#include <utility>
#include <vector>

namespace alembert::internal {

struct GridPoint {
  double t = 0;
  std::vector<double> state;         // y, then z
  std::vector<double> compensation;  // what rounding cut off from the state
  std::vector<double> carried;       // what the method takes along beside it
  // Of the step that led here: what the method predicted; its discrete constraints.
  std::optional<double> energy_change;
  double discrete = 0;
  double prediction_error = 0;                            // of the unknowns, relative to their scales
  std::optional<std::pair<double, double>> energy_parts;  // dissipated, supplied
  std::vector<double> work;                               // as Step::work; empty: not told
  std::vector<double> contacts;                           // what they did, as Step::contacts
  bool kink = false;                                      // the step ended here because the equations have a kink here
  std::vector<double> before;                             // the state just before it, at t_before
  double t_before = 0;
  bool at_kink = false;   // a kink lies here, at the end of a whole step
  bool off_kink = false;  // the step that led here began in a kink
  bool on_grid = true;    // not so where a fixed step was cut: the rest of it follows

  template <class A>
  void archive(A& fields) {
    fields(t, state, compensation, carried, energy_change, discrete, prediction_error, energy_parts, kink, before,
           t_before, at_kink, off_kink, on_grid);
  }
};

/// Once a step: std::swap would move every list three times.
inline void swap(GridPoint& a, GridPoint& b) noexcept {
  std::swap(a.t, b.t);
  a.state.swap(b.state);
  a.compensation.swap(b.compensation);
  a.carried.swap(b.carried);
  std::swap(a.energy_change, b.energy_change);
  std::swap(a.discrete, b.discrete);
  std::swap(a.prediction_error, b.prediction_error);
  std::swap(a.energy_parts, b.energy_parts);
  a.work.swap(b.work);
  a.contacts.swap(b.contacts);
  std::swap(a.kink, b.kink);
  a.before.swap(b.before);
  std::swap(a.t_before, b.t_before);
  std::swap(a.at_kink, b.at_kink);
  std::swap(a.off_kink, b.off_kink);
  std::swap(a.on_grid, b.on_grid);
}

}  // namespace alembert::internal
