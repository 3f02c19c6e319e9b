#pragma once

// In which metric initial values are moved: the mass metric where there is one.

#include <optional>

#include "alembert/derive/equations.h"
#include "alembert/start/sparse_derivative.h"
#include "alembert/start/state.h"

namespace alembert::internal {

struct Metrics {
  SparseRows positions, velocities;
};

/// Lagrangian: M = p_z for both levels. Hamiltonian: H_pp^{-1} for positions, H_pp for momenta. General: p_z where z
/// are the velocities themselves. Where that is not a metric (at the given, perhaps odd, values): the identity.
class MassMetric {
 public:
  /// massless: the mass matrix is singular whatever the state is; velocity_unknowns: at least as many as z, see Level.
  MassMetric(const Equations& e, bool massless, std::size_t velocity_unknowns);
  Metrics at(const State& state) const;

  /// The derivative of Equations::inertial in z', for any z'.
  SparseRows mass(const State& state) const;
  /// H_pp; in the Hamiltonian form only.
  SparseRows mobility(const State& state) const;
  void bind(const double* parameters);

 private:
  bool hamiltonian_, of_mass_, massless_;
  int n_y_, n_z_, velocity_unknowns_;
  SparseDerivative mass_;
  std::optional<SparseDerivative> mobility_;  // of the Hamiltonian form
};

}  // namespace alembert::internal
