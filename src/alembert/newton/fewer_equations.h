#pragma once

// The equations of a step without those that redundant constraints add, and without their multipliers: a regular
// system.

#include <memory>
#include <vector>

#include "alembert/newton/step_equations.h"

namespace alembert::internal {

/// Where the spare unknowns are 0 and the spare equations hold, solutions of `system` are solutions of all equations.
struct FewerEquations {
  ImplicitEquations system;
  std::vector<int> place;            // of its unknowns among all
  std::vector<int> spare_equations;  // of all, those that it does not have
};

/// How many constraints there are, and which of them are left out, in ascending order.
struct Redundant {
  int holonomic = 0, nonholonomic = 0;
  std::vector<int> left_out_holonomic, left_out_nonholonomic;
};

/// `fewer` are the equations of the same step for the model without the redundant constraints. Nothing where the two do
/// not match: their values are compared at a state. inputs: t0, h, state.
std::shared_ptr<const FewerEquations> match_fewer(const StepEquations& all, const StepEquations& fewer,
                                                  const Redundant& redundant, const std::vector<double>& inputs);

}  // namespace alembert::internal
