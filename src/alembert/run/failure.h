#pragma once

// Why a run cannot go on, in words: the place in time, the equation, the constraints that lose rank, what to try.

#include <span>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/methods/method.h"
#include "alembert/newton/newton.h"

namespace alembert::internal {

/// How far the constraints are from losing rank at (t, y, z).
struct Dependence {
  double distance = 1;  // smallest singular value of the gradients, each divided by its length
  double length = 1;    // of the gradient that became shortest, relative to its largest so far
  std::string words;    // "rod2 becomes dependent on rod1", "rod loses its gradient"; "" where there is nothing to say
};

/// Looks at the velocities that all constraints admit. `longest` are the largest lengths of the gradients so far, where
/// they were watched; else the present ones count. Systems too large for a dense analysis say nothing.
Dependence dependence(const Equations& equations, double t, std::span<const double> state,
                      std::span<const double> longest);

/// Why the step from t to t + h failed; `label` names the equation of the result.
std::string explain_step(const Equations& equations, const NewtonResult& newton, const std::string& label, double t,
                         double h, std::span<const double> state, std::span<const double> longest);
/// The same where the step succeeded, but the motion does not go on smoothly where the constraints are dependent.
std::string explain_rank(const Equations& equations, double t, std::span<const double> state,
                         std::span<const double> longest);

/// A time without the digits that only rounding makes: 1.88, not 1.8800000000000001.
std::string time_text(double t);

/// "x2' has a mass of 1e-12 against forces of velocity of 0.01 ...": a body much lighter than others, and too light for
/// the method against what damping moves in a step of size h (Capabilities::light_mass). Methods that make steps in the
/// momenta lose its velocity. "" where there is none.
std::string explain_light_mass(const Method& method, const Equations& e, double t, double h,
                               std::span<const double> state);

}  // namespace alembert::internal
