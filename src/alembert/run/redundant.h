#pragma once

// Steps of models with redundant constraints: beside the equations of all of them those without the redundant ones.

#include "alembert/methods/method.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

/// The plan, with StepEquations::fewer where the constraints are redundant and their multipliers act by ideal reactions
/// alone: then those that are left out have no say in the motion. h: of the steps that will be made.
StepPlan with_fewer_equations(const StepPlan& plan, const Method& method, const Equations& equations,
                              const InitialValues& initial, double t0, double h);

}  // namespace alembert::internal
