#pragma once

// The index of a system as it stands, by differentiating its linearisation: what is left when masses vanish.

#include <optional>

#include "alembert/derive/equations.h"
#include "alembert/start/differentiable.h"
#include "alembert/start/state.h"

namespace alembert::internal {

class DifferentiationIndex {
 public:
  explicit DifferentiationIndex(const Equations& e);
  /// How often the system y' = v, d/dt p = f + N + r, g = 0, k = 0 in (y, z, lambda, psi) must be differentiated at
  /// this state until y', z', lambda', psi' are determined: 0 for ordinary differential equations, 3 for holonomic
  /// constraints. Nothing where no number of times suffices: then nothing determines some of the unknowns. Linearised
  /// at the state, so singular positions may have another index than their neighbours.
  std::optional<int> at(const State& state, const std::vector<double>& multipliers) const;
  void bind(const double* parameters);

 private:
  std::size_t n_y_, n_z_;
  DifferentiableList right_;  // v, f + N + r - p_t - p_y v, g, k with their derivatives in (y, z, lambda, psi)
  DifferentiableList mass_;   // p with its derivative in z
};

}  // namespace alembert::internal
