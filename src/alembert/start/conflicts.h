#pragma once

// Why no consistent values are found: what is said about constraints that cannot hold.

#include "alembert/start/level.h"
#include "alembert/start/nearest.h"

namespace alembert::internal {

/// Throws InputError where a constraint is not finite at the given values, has no derivative there, or does not hold
/// and cannot change there. parameters: their table, as kernels take it.
void check_constraints(const Model& model, const Level& level, const NearestPoint& nearest,
                       const NearestPoint::Request& request, const double* parameters);

/// Throws InputError: pinned values leave no solution, or constraints contradict each other; names the fewest that do.
/// set: as in StartValues.
[[noreturn]] void explain_conflict(const Model& model, const Level& level, const NearestPoint& nearest,
                                   const NearestPoint::Request& request, const NearestPoint::Result& failed, bool set);

}  // namespace alembert::internal
