#pragma once

// Unknowns of a step that its equations give in terms of the others: accelerations of stages, once the multipliers are
// known. Put in everywhere else, they leave a system that is as small as one would write by hand.

#include <vector>

#include "alembert/newton/step_equations.h"

namespace alembert::internal {

/// An unknown that is no longer one, in terms of those that are.
struct ExplicitUnknown {
  int number;  // among all
  int group;   // see StepEquations::groups
  Expr value;  // in those that are kept
  Expr open;   // the same in those that are kept and in explicit ones before this: fewer operations
};

struct ReducedStep {
  StepEquations equations;  // in fewer unknowns; their groups keep their numbers, and may be empty
  std::vector<int> kept;    // numbers of those among all
  std::vector<ExplicitUnknown> eliminated;  // in an order in which they can be computed
};

/// Takes out unknowns whose equation is linear in them with a factor that does not depend on any unknown, and that is
/// not small among its neighbours at a typical point (inputs, then unknowns). Multipliers stay.
ReducedStep without_explicit_unknowns(const StepEquations& equations, const std::vector<double>& typical);

}  // namespace alembert::internal
