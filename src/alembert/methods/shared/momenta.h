#pragma once

// Which momenta the discrete equations of motion keep: those of the translations and rotations xi with
//     P . xi(y_m) + p_m . xi'(u) = 0      for any two ends of a step and any multipliers.
// The condition is linear in xi. It is asked for at pairs of states without structure, in extended precision; what
// solves it at all of them is kept.

#include "alembert/methods/method.h"
#include "alembert/methods/shared/discrete_motion.h"

namespace alembert::internal {

/// The pairs of states are taken around the initial values, where the model makes sense.
Momenta find_momenta(const Equations& e, EnergyGradient kind, const InitialValues& initial);

/// Coordinates that are the components of one point in the plane or in space: vectors of two or three entries, and
/// scalars named x.., y.., z.. with one ending.
struct PointCoordinates {
  std::string name;
  std::vector<int> axis;  // two or three numbers of coordinates
};
std::vector<PointCoordinates> find_points(const std::vector<std::string>& y_names);

}  // namespace alembert::internal
