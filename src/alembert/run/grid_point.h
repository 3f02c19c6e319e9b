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
  // Of the step that led here: what the method predicted, unless an event cut it short; its discrete constraints.
  std::optional<double> energy_change;
  double discrete = 0;
  double prediction_error = 0;                            // of the unknowns, relative to their scales
  std::optional<std::pair<double, double>> energy_parts;  // dissipated, supplied
  bool kink = false;                                      // the step ended here because the equations have a kink here
  bool on_grid = true;  // not so where a fixed step was cut at a kink: the rest of it follows
};

}  // namespace alembert::internal
