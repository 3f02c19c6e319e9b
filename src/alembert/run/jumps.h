#pragma once

// Where rates and forces jump, and whether the motion is held there: driven back from either side, so that it can go on
// with neither value. That is dry friction that sticks, which a sign or a condition cannot say.

#include <span>
#include <string>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"
#include "alembert/model/prescribed.h"
#include "alembert/run/multipliers.h"

namespace alembert::internal {

/// Made once, interpreted; asking it touches no expression, so that threads may share one.
class Jumps {
 public:
  /// named: functions of the state that have names, as Equations::prescribed.
  Jumps(const Equations& equations, const std::vector<Prescribed>& named);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }

  /// "sign(x') jumps there ..." where the argument of a jump is zero but for rounding; else "".
  /// moves: what entries of the state change by in a usual step, at most.
  std::string explain(double t, std::span<const double> state, double moves) const;
  /// The same at a point where the argument is zero but for a small part of what a step of size h does, if the motion
  /// is held there: a' < 0 where a > 0 and a' > 0 where a < 0, Filippov's condition. in_doubt: steps have no solution,
  /// or become ever shorter; then it is enough to be near, and what rests in zero as sign(0) = 0 allows is held too.
  std::string held(double t, std::span<const double> state, double h, bool in_doubt, Multipliers& multipliers) const;

 private:
  struct Values;
  Values values_at(double t, std::span<const double> state) const;
  double rate(std::size_t jump, const Values& at, std::span<const double> z_dot, double* size) const;
  std::vector<double> beside(std::size_t jump, std::span<const double> state, const Values& at, double move) const;

  std::size_t n_y_ = 0;
  std::vector<std::string> names_;  // "sign(x')"
  std::vector<bool> divides_;       // a speed that something is divided by
  SparseExprs pattern_;             // of the derivatives of their arguments by y and z; the values are not kept
  Kernel<double> kernel_;           // the arguments, their derivatives by t, those by y and z, and y'
};

}  // namespace alembert::internal
