#pragma once

// How long the steps are. A control makes the grid points of a run, one or two at a time; the loop of simulate.h does
// the rest.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alembert/methods/method.h"
#include "alembert/newton/step.h"
#include "alembert/report.h"
#include "alembert/run/dense.h"

namespace alembert::internal {

/// Where Newton starts in a step: extrapolated from the steps before; with the accelerations 0 and the multipliers of
/// now (naive), or with both of now (educated), as Symank 2025, section 7.3.1, calls them.
enum class Guess { extrapolated, naive, educated };

/// Limits for the steps that follow the first one. Sizes are magnitudes.
struct StepOptions {
  Control control = Control::fixed;
  // With tolerance only. The error of two steps is its largest entry, of y relative to the largest |y| so far, of z
  // likewise.
  double tolerance = 1e-8;
  double largest = 0;   // no step is longer; 0: no limit
  double growth = 2;    // from one size to the next, at most
  double shrink = 0.2;  // at least, and where Newton fails
  long good_steps = 2;  // comparisons that must go well, one after the other, before steps grow
  // With tolerance and reversible.
  double smallest = 0;  // where steps would become shorter the run fails; 0: a tiny part of the whole time
  // With all.
  long most_steps = 0;  // the run fails where it needs more; 0: no limit
  // With fixed steps only.
  Guess guess = Guess::extrapolated;
};

/// Throws InputError for what makes no sense, also for this method. step: the first one, negative where end < t0.
void check_steps(const StepOptions& options, const Method& method, double t0, double end, double step);
/// How many steps of this size there are.
double count_steps(double t0, double end, double step);

class StepControl {
 public:
  virtual ~StepControl() = default;

  /// The next grid points behind `from`: to[0] .. to[n-1] of equal distance, n at most 2; at the end `last` is true.
  /// 0: it cannot go on, `failure` says why.
  virtual int advance(const GridPoint& from, GridPoint* to, bool& last) = 0;

  struct Failure {
    std::string words;  // empty: the result of Newton says all
    StepResult result;
    double t = 0, h = 0;
    std::vector<double> state;  // at t
  };
  const Failure& failure() const { return failure_; }
  long rejected() const { return rejected_; }
  /// The step that made the last grid point.
  Step<double>& step() { return step_; }
  virtual NewtonStatistics statistics() const { return step_.statistics(); }
  /// Whether a step ended at a singular position of the constraints, and must be made again as one that does.
  std::function<bool(double t, std::span<const double> state)> ends_singular;
  std::size_t positions = 0;  // entries of a state before the velocities; beside ends_singular

 protected:
  explicit StepControl(Step<double> step) : step_(std::move(step)) {}
  /// One step of size h; what fails is noted. One that ends at a singular position is made again in the way that suits
  /// it, which counts where it ends at the same position.
  bool make(Step<double>& step, const GridPoint& from, double h, double t_end, GridPoint& to);
  int fail(const GridPoint& from, double h, std::string words);

  Step<double> step_;
  Failure failure_;
  long rejected_ = 0;
};

/// options must have been checked. The references last longer than the control.
std::unique_ptr<StepControl> make_control(const Equations& equations, const Method& method, const StepOptions& options,
                                          double end, double first_step, const GridPoint& start,
                                          const InitialValues& initial, Multipliers& multipliers, Step<double> step,
                                          NewtonOptions newton);

}  // namespace alembert::internal
