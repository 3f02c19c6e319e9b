#pragma once

// What the multibody form asks of its data at one state: Z(q) of full rank, contact points determined by their
// equations.

#include "alembert/derive/equations.h"
#include "alembert/start/finite.h"

namespace alembert::internal {

/// Throws InputError when Z loses rank there: some velocities move nothing (multibody form only).
void check_kinematics(const Model& model, const Equations& e, const State& state);
/// Throws InputError when c_s is singular there: c(q, s) = 0 does not determine the contact points s.
void check_contact_points(const Model& model, const Equations& e, const State& state);

}  // namespace alembert::internal
