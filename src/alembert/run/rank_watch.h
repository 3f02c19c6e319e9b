#pragma once

// Notices that the constraints lost rank on the way: at a step, or between two of them.

#include <array>
#include <span>
#include <vector>

#include "alembert/run/watch.h"

namespace alembert {

class RankWatch {
 public:
  RankWatch(const Equations& equations, Watch& watch);

  /// Takes a state that `watch` has just looked at. True when the constraints are dependent there, or were so between
  /// this step and the one before the last: then the branch that the motion took is anybody's guess. Never allocates.
  bool lost(double t, std::span<const double> state);

 private:
  struct Point {
    double t = 0, independence = 1;
    std::vector<double> state, velocity;
  };

  void find_velocity(Point& point);
  double between(const Point& a, const Point& b, double share);
  double smallest_between(const Point& a, const Point& b);

  Watch& watch_;
  std::size_t n_y_;
  Kernel<double> velocity_;
  std::array<Point, 3> points_;  // the newest is points_[2]
  std::vector<double> in_, middle_, work_;
  long count_ = 0;
};

}  // namespace alembert
