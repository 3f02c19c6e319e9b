#pragma once

// Why accelerations and multipliers are not found at the start.

#include "alembert/start/accelerations.h"
#include "alembert/start/level.h"

namespace alembert::internal {

/// Throws InputError with the reason why there is no solution. linear: in z' and the multipliers; redundant: so are the
/// constraints of the level of velocities.
[[noreturn]] void explain_undetermined(const Model& model, const Equations& e, const Level& velocities,
                                       const Accelerations& failed, bool linear, bool redundant);

}  // namespace alembert::internal
