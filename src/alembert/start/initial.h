#pragma once

// Consistent initial values: the point on the constraints that is nearest to what the user gave, in the mass metric.

#include <optional>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/model/model.h"

namespace alembert::internal {

struct InitialValues {
  std::vector<double> y, z;                // consistent on both levels
  std::vector<double> z_dot, lambda, psi;  // from the index-reduced system there
  struct Change {
    std::string name;
    double from, to;
  };
  std::vector<Change> changes;         // what had to be moved (by more than rounding); empty when all was consistent
  std::vector<std::string> redundant;  // "rod5 follows from rod1, rod2, rod4"
  std::vector<int> redundant_constraints;  // their numbers in Model::constraints
  std::optional<int> index;                // of the equations, found out where masses vanish
  std::vector<std::string> hidden;         // algebraic equations that vanishing masses leave: "motion of x2'"
  bool singular_position = false;          // they are redundant at the start only
  std::vector<int> powerless;              // of them: those whose gradient vanishes
  double position_residual = 0, velocity_residual = 0, nonholonomic_residual = 0;  // of the values as given
};

struct InitialOptions {
  double t0 = 0;
};

/// Throws InputError when the constraints contradict each other (with their names), when pinned values leave no
/// solution, when the mass matrix is singular, or when something is not finite at the start (with what).
InitialValues make_consistent(const Model& model, const Equations& equations, InitialOptions options = {});

}  // namespace alembert::internal
