#pragma once

// The forces and moments that joints exert, from the multipliers.

#include <span>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/report.h"

namespace alembert::internal {

/// state: y, then z.
std::vector<JointForces> joint_forces(const Equations& equations, double t, std::span<const double> state,
                                      std::span<const double> lambda, std::span<const double> psi);

}  // namespace alembert::internal
