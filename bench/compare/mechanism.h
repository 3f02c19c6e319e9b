#pragma once

// A model's equations of motion as functions, for programs of others: explicit, with both levels of the constraints,
// and the projection onto them. Compiled as ours are.

#include <vector>

#include "alembert/linear/linear.h"
#include "alembert/newton/projection.h"

namespace alembert::bench {

class Mechanism {
 public:
  /// Of a model with holonomic constraints only.
  explicit Mechanism(const internal::Model& model);

  int positions() const { return n_y_; }
  int velocities() const { return n_z_; }
  int constraints() const { return n_g_; }
  const std::vector<double>& start() const { return start_; }  // positions, then velocities

  /// State: positions, then velocities. to: their rates; lambda: the multipliers, or null. False where there are none.
  bool rates(double t, const double* state, double* to, double* lambda);
  /// Of y' = v - G^T mu, the balance of forces, g = 0 and g' = 0 (Gear, Gupta and Leimkuhler). x: state, lambda, mu.
  void stabilised(double t, const double* x, const double* x_dot, double* residual);
  /// Moves a state onto both levels of the constraints.
  bool project(double t, double* state);

 private:
  internal::Equations e_;
  int n_y_, n_z_, n_g_;
  std::vector<double> start_;
  internal::Kernel<double> reduced_, residual_;
  internal::DenseLu<double> lu_;
  internal::Projection<double> projection_;
  std::vector<double> in_, out_, long_in_, work_;
};

}  // namespace alembert::bench
