#pragma once

// Redundant constraints at the start: which follow from which, and whether they do so only there.

#include <optional>

#include "alembert/linear/linear.h"
#include "alembert/start/initial.h"
#include "alembert/start/level.h"
#include "alembert/start/nearest.h"
#include "alembert/start/sparse_derivative.h"
#include "alembert/start/state.h"

namespace alembert::internal {

class Redundancy {
 public:
  /// level: of the velocities.
  Redundancy(const Equations& e, const Level& level);

  /// Which rows of d(g_dot, k)/dz are redundant at the state. velocities: the constraints of the level.
  RankReport at(const State& state, const NearestPoint& velocities) const;
  /// Whether the constraints have more rank at a consistent position nearby: the state is then a singular position, and
  /// no constraint is superfluous. positions: g(t, y) = 0.
  bool more_rank_nearby(const State& state, int rank, const NearestPoint& positions, const NearestPoint& velocities,
                        const SparseRows& metric) const;
  void bind(const double* parameters) {
    if (rows_) rows_->bind(parameters);
  }

 private:
  SparseRows rows(const State& state, const NearestPoint& velocities) const;

  int holonomic_;
  std::optional<SparseDerivative> rows_;  // where vanishing masses added rows or unknowns to the level
};

/// Says in the result what a report with redundant rows means; velocities: the level that the rows belong to.
void describe_redundant(const RankReport& report, bool singular_position, const Level& velocities,
                        InitialValues& result);

}  // namespace alembert::internal
