#pragma once

// The motion between the grid points. The state at t + share*h is where a step of that share leads, made by the same
// method from the same state: it has the method's order for every method (a collocation polynomial would have s + 1
// only) and joins the grid points at both ends. It is then put back on the constraints, which hold to rounding.

#include "alembert/newton/projection.h"
#include "alembert/newton/step.h"
#include "alembert/run/grid_point.h"
#include "alembert/run/multipliers.h"

namespace alembert::internal {

class DenseOutput {
 public:
  /// Shares the compiled code of the run's step, and leaves its history alone.
  DenseOutput(const Equations& equations, const Step<double>& step, const GridPoint& start, Multipliers& multipliers,
              NewtonOptions options = {});
  /// For another run, with a memory of its own; the compiled code is shared.
  DenseOutput(const DenseOutput& other, Multipliers& multipliers);
  DenseOutput(const DenseOutput&) = delete;
  DenseOutput& operator=(const DenseOutput&) = delete;
  void bind(const double* parameters) noexcept;

  /// From now on at() speaks of the step of size h from here.
  void begin(const GridPoint& from, double h);
  /// The state at t + share*h, 0 <= share <= 1; share 1 gives the end of the step but for rounding. False where the
  /// equations have no solution.
  bool at(double share, std::vector<double>& state);
  double time(double share) const { return from_.t + share * h_; }
  double share(double t) const { return (t - from_.t) / h_; }
  /// What the method computed on the way to the last state (stage multipliers).
  const std::vector<double>& internal() { return step_.internal(); }
  /// What the method tells of the energy on the way to t + share*h, in place of what it told of the whole step.
  void tell_energy(double share, GridPoint& step_end);
  /// What contacts did on the way there, as Step::contacts.
  const std::vector<double>& contacts() const { return step_.contacts(); }
  /// What the next states depend on.
  template <class A>
  void archive(A& fields) {
    fields(step_, projection_, from_, h_, ready_, rates_);
  }

 private:
  std::size_t n_y_;
  Step<double> step_;
  Multipliers& multipliers_;
  Projection<double> projection_;
  Kernel<double> velocity_;
  GridPoint from_;
  double h_ = 0;
  bool ready_ = false;  // rates_ belong to from_
  std::vector<double> rates_, compensation_, in_, v_, work_;
};

}  // namespace alembert::internal
