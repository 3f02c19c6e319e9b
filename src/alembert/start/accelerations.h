#pragma once

// z' and the multipliers at the start, from the index-reduced system (Equations::reduced): also where constraints
// depend on each other, and where the reactions are nonlinear in the multipliers. One-time work, interpreted.

#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/start/differentiable.h"
#include "alembert/start/state.h"

namespace alembert::internal {

struct Accelerations {
  bool solved = false;      // the equations hold to rounding
  bool singular = false;    // the matrix was singular (its rows being independent)
  bool doubtful = false;    // large systems: so ill-conditioned that constraints may depend on each other
  bool not_finite = false;  // at every start
  std::vector<double> z_dot, multipliers;  // lambda, then psi
};

class AccelerationSystem {
 public:
  explicit AccelerationSystem(const Equations& equations);

  /// guess: one per multiplier (lambda, then psi), NaN where there is none: then several starts are tried. redundant:
  /// the constraints depend on each other, the multipliers of smallest norm are taken.
  Accelerations solve(const State& state, const std::vector<double>& guess, bool redundant) const;
  bool linear() const { return linear_; }
  /// The derivative of Equations::reduced in z', lambda, psi.
  const SparseExprs& matrix() const { return equations_.derivative_expressions(); }
  /// From now on parameters are read from this table, which must outlive the object; null: their usual values.
  void bind(const double* parameters) { equations_.bind(parameters); }

 private:
  Accelerations attempt(std::vector<double> in, std::size_t first_unknown, bool redundant) const;

  int accelerations_ = 0, multipliers_ = 0;
  bool linear_ = true;
  DifferentiableList equations_;
};

}  // namespace alembert::internal
