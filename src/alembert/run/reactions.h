#pragma once

// The forces and moments that joints exert, from the multipliers.

#include <span>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// On `body`, at the joint's point.
struct JointForces {
  std::string name, kind, body, other;
  std::vector<double> force, moment;                    // in the world
  std::vector<double> force_in_joint, moment_in_joint;  // along the axes of the joint
};

/// state: y, then z.
std::vector<JointForces> joint_forces(const Equations& equations, double t, std::span<const double> state,
                                      std::span<const double> lambda, std::span<const double> psi);

}  // namespace alembert::internal
