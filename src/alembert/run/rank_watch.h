#pragma once

// Notices that the constraints lost rank on the way, at a step or between two of them, and whether the motion went on
// smoothly through that position (on its regular branch).

#include <array>
#include <span>
#include <vector>

#include "alembert/run/watch.h"

namespace alembert::internal {

class RankWatch {
 public:
  RankWatch(const Equations& equations, Watch& watch);
  /// For another run, with a memory of its own.
  RankWatch(const RankWatch& other, Watch& watch);
  void bind(const double* parameters) noexcept { motion_.bind(parameters); }

  enum class Rank {
    kept,
    passed,  // dependent here, or between this step and the one before the last, and the motion went on smoothly:
             // velocities and energy without a jump, constraints as good as before
    lost,    // it did not, or it stays in a position where the constraints are dependent
  };
  /// Takes a state that `watch` has just looked at. Says passed once for each position. Never allocates.
  Rank look(double t, std::span<const double> state);
  /// Points were left out: what comes next does not follow the last one.
  void forget() { near_ = 0; }
  /// All that it has seen.
  template <class A>
  void archive(A& fields) {
    fields(points_[0], points_[1], points_[2], newest_, count_, said_, near_, dependent_);
  }

 private:
  struct Point {
    double t = 0, independence = 1, energy = 0, residual = 0;
    double kinetic = 0;  // p . v, twice that of mechanics
    std::vector<double> state, velocity;

    template <class A>
    void archive(A& fields) {
      fields(t, independence, energy, residual, kinetic, state, velocity);
    }
  };
  /// The last three, in the order of time.
  Point& point(int k) { return points_[place(k)]; }
  const Point& point(int k) const { return points_[place(k)]; }
  int place(int k) const { return newest_ + 1 + k < 3 ? newest_ + 1 + k : newest_ + k - 2; }

  void find_motion(Point& point);
  double between(const Point& a, const Point& b, double share);
  double smallest_between(const Point& a, const Point& b);
  bool smooth() const;

  Watch& watch_;
  std::size_t n_y_;
  Kernel<double> motion_;  // v, then p . v
  std::array<Point, 3> points_;
  int newest_ = 2;
  std::vector<double> in_, out_, middle_, work_;
  long count_ = 0, said_ = -2;     // said_: when it was last said
  long near_ = 0, dependent_ = 0;  // points in a row at which the independence is known; is none
};

}  // namespace alembert::internal
