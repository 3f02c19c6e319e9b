#pragma once

// The index of a system as it stands, by differentiating its linearisation: what is left when masses vanish.

#include <optional>

#include "alembert/derive/equations.h"
#include "alembert/start/finite.h"

namespace alembert::internal {

/// How often the system y' = v, d/dt p = f + N + r, g = 0, k = 0 in (y, z, lambda, psi) must be differentiated at this
/// state until y', z', lambda', psi' are determined: 0 for ordinary differential equations, 3 for holonomic
/// constraints. Nothing where no number of times suffices: then nothing determines some of the unknowns. Linearised at
/// the state, so singular positions may have another index than their neighbours.
std::optional<int> differentiation_index(const Equations& e, const State& state,
                                         const std::vector<double>& multipliers);

}  // namespace alembert::internal
