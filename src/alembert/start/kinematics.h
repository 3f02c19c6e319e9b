#pragma once

// What the multibody form asks of its data at one state: Z(q) of full rank, contact points determined by their
// equations.

#include <optional>

#include "alembert/derive/equations.h"
#include "alembert/start/differentiable.h"
#include "alembert/start/state.h"

namespace alembert::internal {

/// Made once; the model and the equations given to the checks are those that it was made from. Does nothing for models
/// without these things.
class KinematicsCheck {
 public:
  KinematicsCheck(const Model& model, const Equations& e);
  /// Throws InputError when Z loses rank there: some velocities move nothing (multibody form only).
  void check_rank(const Model& model, const Equations& e, const State& state) const;
  /// Throws InputError when c_s is singular there: c(q, s) = 0 does not determine the contact points s.
  void check_contact_points(const Model& model, const State& state) const;
  void bind(const double* parameters);

 private:
  std::optional<DifferentiableList> velocities_;  // v with its derivative Z in z
  std::optional<DifferentiableList> contacts_;    // c with its derivative in s
};

}  // namespace alembert::internal
