#pragma once

// The derivative of a step with respect to the state it starts from, exact, from the step's own equations:
// F(x0, U) = 0, x1 = X(x0, U)  gives  dx1/dx0 = X_x - X_U F_U^{-1} F_x.

#include <vector>

#include "alembert/newton/step.h"

namespace alembert::internal {

template <class T>
struct SteppedDerivative {
  NewtonResult newton;
  std::vector<T> next;        // the new state
  std::vector<T> unknowns;    // of the last substep: its stages
  std::vector<T> derivative;  // row major, size state x state
};

/// One whole step (all substeps) from the state, and its derivative. guess_values: z', lambda, psi there.
template <class T>
SteppedDerivative<T> step_derivative(const StepPlan& plan, T t0, T h, const std::vector<T>& state,
                                     const std::vector<T>& guess_values);

}  // namespace alembert::internal
