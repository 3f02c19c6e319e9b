#pragma once

// Why a run could not go on, in words.

#include <span>
#include <string>
#include <vector>

#include "alembert/methods/method.h"
#include "alembert/newton/newton.h"
#include "alembert/run/jumps.h"
#include "alembert/run/motion.h"

namespace alembert::internal {

/// How far the constraints are from losing rank at (t, y, z).
struct Dependence {
  double distance = 1;  // smallest singular value of the gradients, each divided by its length
  double length = 1;    // of the gradient that became shortest, relative to its largest so far
  std::string words;    // "rod2 becomes dependent on rod1", "rod loses its gradient"; "" where there is nothing to say
};

/// A time without the digits that only rounding makes: 1.88, not 1.8800000000000001.
std::string time_text(double t);

/// Made once, interpreted; asking it touches no expression, so that threads may share one. `longest` are the largest
/// lengths of the gradients so far, where they were watched; else the present ones count.
class FailureAnalysis {
 public:
  /// named: as for Jumps.
  explicit FailureAnalysis(const Equations& equations, const std::vector<Prescribed>& named = {});
  void bind(const double* parameters) noexcept;

  /// Looks at the velocities that all constraints admit. Systems too large for a dense analysis say nothing.
  Dependence dependence(double t, std::span<const double> state, std::span<const double> longest) const;
  /// Memory for the next, which allocates nothing once this has its size.
  struct Room {
    std::vector<double> in, values, work, unit, gram;
  };
  /// Whether dependence().distance is below a bound, where no gradient has vanished.
  bool is_nearer(double bound, double t, std::span<const double> state, Room& room) const;
  /// Why the step from t to t + h failed; `label` names the equation of the result.
  /// moves: what entries of the state change by in a usual step, at most.
  std::string explain_step(const NewtonResult& newton, const std::string& label, double t, double h,
                           std::span<const double> state, std::span<const double> longest, double moves = 0) const;
  const Jumps& jumps() const { return jumps_; }
  /// The same where the step succeeded, but the motion does not go on smoothly where the constraints are dependent.
  std::string explain_rank(double t, std::span<const double> state, std::span<const double> longest) const;
  /// Whether constraints become dependent on the way of a step, which lets multipliers and energy grow without bound.
  bool loses_rank(double t, double h, std::span<const double> state, std::span<const double> longest) const;

 private:
  Dependence ahead(double t, double h, std::span<const double> state, std::span<const double> longest) const;
  /// The gradients as a dense matrix, row after row.
  std::vector<double> gradients(double t, std::span<const double> state) const;

  std::vector<std::string> names_;  // of g, then k; empty where the system is too large or has none
  bool nonlinear_ = false;          // the reaction in its multiplier
  SparseExprs pattern_;             // of d(g_t + g_y v, k)/dz; the values are not kept
  Kernel<double> gradients_, velocity_;
  Jumps jumps_;
};

/// "x2' has a mass of 1e-12 against forces of velocity of 0.01 ...": a body much lighter than others, and too light for
/// the method against what damping moves in a step of size h (Capabilities::light_mass). Methods that make steps in the
/// momenta lose its velocity.
class LightMasses {
 public:
  LightMasses(const Method& method, const Equations& equations);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }
  /// "" where there is no such body.
  std::string explain(double t, double h, std::span<const double> state) const;

 private:
  double share_;  // of what damping moves in a step; 0: the method takes bodies without mass
  std::vector<std::string> names_;
  SparseExprs mass_, damping_;  // patterns of p_z and f_z; the values are not kept
  Kernel<double> kernel_;       // both
};

}  // namespace alembert::internal
