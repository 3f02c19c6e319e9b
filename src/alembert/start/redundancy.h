#pragma once

// Redundant constraints at the start: which follow from which, and whether they do so only there.

#include "alembert/linear/linear.h"
#include "alembert/start/initial.h"
#include "alembert/start/level.h"
#include "alembert/start/nearest.h"
#include "alembert/start/state.h"

namespace alembert::internal {

class Redundancy {
 public:
  explicit Redundancy(const Equations& e);

  /// Which rows of d(g_dot, k)/dz are redundant at the state.
  RankReport at(const State& state) const;
  /// Whether the constraints have more rank at a consistent position nearby: the state is then a singular position, and
  /// no constraint is superfluous. positions: g(t, y) = 0.
  bool more_rank_nearby(const State& state, int rank, const NearestPoint& positions, const SparseRows& metric) const;
  void bind(const double* parameters) { rows_.bind(parameters); }

 private:
  int holonomic_;
  DifferentiableList rows_;
};

/// Says in the result what a report with redundant rows means; velocities: the level that the rows belong to.
void describe_redundant(const RankReport& report, bool singular_position, const Level& velocities,
                        InitialValues& result);

}  // namespace alembert::internal
