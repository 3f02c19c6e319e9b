#pragma once

// A state as numbers, and where the model's text speaks of its entries.

#include <vector>

#include "alembert/model/model.h"

namespace alembert::internal {

struct State {
  double t = 0;
  std::vector<double> y, z;
};

/// The values of t, y, z, one after the other, as kernels on (t, y, z) take them.
std::vector<double> flat(const State& state);

/// The place of the coordinate (or momentum, variable) with this flat number.
Place place_of(const std::vector<Block>& blocks, int flat_number);

}  // namespace alembert::internal
