#pragma once

// One step from a grid point to the next, also where it ends at a singular position of the constraints.

#include <functional>
#include <span>
#include <vector>

#include "alembert/newton/step.h"
#include "alembert/run/grid_point.h"

namespace alembert::internal {

/// A step that could not be made.
struct FailedStep {
  StepResult result;
  double t = 0, h = 0;
  std::vector<double> state;  // at t
};

class StepMaker {
 public:
  /// positions: entries of a state before the velocities. ends_singular: whether a step ended at a singular position of
  /// the constraints; empty where that is not watched.
  using EndsSingular = std::function<bool(double t, std::span<const double> state)>;
  explicit StepMaker(std::size_t positions, EndsSingular ends_singular = {})
      : positions_(positions), ends_singular_(std::move(ends_singular)) {}

  /// One step of size h; false where there is none, and `failed` says which. One that ends at a singular position is
  /// made again in the way that suits it, which counts where it ends at the same position.
  bool make(Step<double>& step, const GridPoint& from, double h, double t_end, GridPoint& to);

  FailedStep failed;

 private:
  void end_singular(Step<double>& step, const GridPoint& from, double h, GridPoint& to) const;

  std::size_t positions_;
  EndsSingular ends_singular_;
};

}  // namespace alembert::internal
