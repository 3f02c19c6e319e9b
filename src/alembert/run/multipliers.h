#pragma once

// z' and the multipliers along a motion, from the index-reduced system.

#include <span>

#include "alembert/solve/initial.h"
#include "alembert/solve/newton.h"

namespace alembert {

class Multipliers {
 public:
  Multipliers(const Equations& equations, const InitialValues& initial, double t0, NewtonOptions options);

  /// z', lambda, psi at a state (y, then z); NaN everywhere where the system is singular. They last until the next
  /// call.
  std::span<const double> at(double t, std::span<const double> state);

 private:
  std::size_t inputs_;
  std::vector<double> x_, failed_;
  Newton<double> newton_;
};

}  // namespace alembert
