#pragma once

// The index-reduced system of a model as equations for Newton: z', lambda, psi at one (t, y, z).

#include "alembert/derive/equations.h"
#include "alembert/newton/newton.h"

namespace alembert::internal {

/// Inputs t, y, z; unknowns z', lambda, psi.
ImplicitEquations reduced_system(const Equations& equations);

}  // namespace alembert::internal
