#pragma once

// How fast the density of steps changes along the motion.

#include <optional>

#include "alembert/run/multipliers.h"

namespace alembert::internal {

/// G = d/dt log(rho). rho is what the model says; else (a^2 + |z'|^2)^(1/4), with a hundredth of |z'| at the start for
/// a: then the steps deviate from straight lines by about the same length everywhere.
class DensityRate {
 public:
  DensityRate(const Equations& equations, const InitialValues& initial, double t0, Multipliers& multipliers,
              NewtonOptions options);
  /// For another run, with a memory of its own; the compiled code is shared.
  DensityRate(const DensityRate& other, Multipliers& multipliers);
  void bind(const double* parameters) noexcept;
  /// A motion begins here.
  void begin(const InitialValues& initial, double t0);

  /// NaN where rho is not above 0, or where there are no accelerations.
  double at(double t, std::span<const double> state);
  /// What the next values depend on.
  template <class A>
  void archive(A& fields) {
    fields(in_, jerk_);
    if (jerks_) fields(*jerks_);
  }

 private:
  std::size_t states_, n_z_;
  Multipliers* multipliers_;
  Kernel<double> kernel_;                // of t, y, z, z', z'', a^2: rho and its rate
  std::optional<Newton<double>> jerks_;  // z'', lambda', psi' at t, y, z, z', lambda, psi; where rho depends on z'
  std::vector<double> in_, jerk_, work_;
};

}  // namespace alembert::internal
