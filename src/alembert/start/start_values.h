#pragma once

// What is given at the start, before it is made consistent.

#include <optional>
#include <vector>

#include "alembert/model/model.h"

namespace alembert::internal {

struct StartValues {
  std::vector<double> y, z;                        // as in Equations
  std::vector<bool> y_pinned, z_pinned;            // not to be moved
  bool set = false;                                // what is pinned was set in a motion, not in the model
  std::vector<std::optional<double>> multipliers;  // one per entry of Model::constraints: an initial guess, where given
  std::vector<std::optional<double>> prescribed;   // one per entry of Model::prescribed, where they are set
};

/// Those that the model gives; what nobody gave is 0.
StartValues start_values(const Model& model);

}  // namespace alembert::internal
