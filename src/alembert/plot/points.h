#pragma once

// The points and rods of a mechanism, found in its trajectory.

#include <string>
#include <vector>

#include "alembert/trajectory.h"

namespace alembert::internal {

/// A point of a mechanism: its two or three coordinates are columns of the trajectory.
struct MovingPoint {
  std::string name;
  std::vector<int> columns;
};

/// The points among the coordinates: vectors of two or three entries ("q1", "r[4]"), and scalars whose names differ in
/// x, y and z only ("x1" with "y1").
std::vector<MovingPoint> points_of(const Trajectory& trajectory);

/// Two points whose distance stays the same, so that one may draw a rod; second = -1: the origin.
struct Link {
  int first = 0, second = -1;
};
std::vector<Link> links_of(const Trajectory& trajectory, const std::vector<MovingPoint>& points);

}  // namespace alembert::internal
