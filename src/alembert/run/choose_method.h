#pragma once

// The method of a run for which nobody named one.

#include "alembert/methods/choose.h"
#include "alembert/simulate.h"

namespace alembert::internal {

/// By the structure of the model, by how fast its motion dies away at the start, and by the tolerance. Throws
/// InputError where the model has no consistent start or no method takes it.
MethodChoice choose_method(const Model& model, const Equations& equations, const SimulateOptions& options,
                           double t0 = 0);

}  // namespace alembert::internal
