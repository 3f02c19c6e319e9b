#pragma once

// How far steps of fixed size are from the motion, at a few percent of their cost. Two comparisons are made on the way:
//   - a companion goes beside the run from its start, with steps twice as long, as far as it may cost, through kinks
//     and events: its distance is the error with everything that the motion makes of it, 2^p - 1 times too large for a
//     method of order p. Where steps err much more later on, it goes beside the run again;
//   - single steps are made again in two parts: some by number, and each that was predicted worse than all that were
//     compared before, for there the motion is faster than it was. Their errors tell how much the others add.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alembert/run/companion.h"
#include "alembert/run/comparison_plan.h"
#include "alembert/run/engine.h"
#include "alembert/run/state_ranges.h"
#include "alembert/run/step_errors.h"
#include "alembert/run/step_kernel.h"

namespace alembert::internal {

/// The mean of a rate over the time in which it was seen, and its uncertainty (95 in 100).
struct MeanRate {
  double rate = 0, uncertainty = 0, until = 0;
};

/// What becomes of a small error: what it is multiplied with at most by the end, and in e-folds a unit of time, at most
/// and in the mean.
struct Growth {
  double factor = 1, rate = 0;
  bool regular = false;  // it was followed to the end, and does not grow exponentially
  MeanRate mean = {};
};

/// From this error on, relative to the range of motion, it is asked whether there is a motion at all.
constexpr double may_be_rest = 0.01;

/// The length of so many steps of the size h between two times, which far from zero know it less well than h does. h =
/// 0: what lies between the times.
double length_of(double from, double to, long steps, double h);

/// What rounding alone makes of so many steps, relative to the range of motion.
double rounding_of(long steps, double resolution, std::size_t singular_positions);

class AccuracyProbe {
 public:
  /// steps: how many there will be, about. The engine outlives the probe.
  AccuracyProbe(const Engine& engine, const ReportNames& names, double steps, double h, const GridPoint& start);

  /// A whole step was made. run: its solution, where that is known.
  void follow(const GridPoint& from, const GridPoint& to, const SolvedStep<double>* run = nullptr) {
    ++n_;
    t_ = to.t;
    const bool inside = !from.on_grid && !to.on_grid;
    if (companion_ || n_ >= next_look_ || to.prediction_error > surprised_ || inside) look(from, to, run);
  }
  bool looks_at_steps() const { return companion_ && companion_->looks_at_steps(); }  // whether it has a use for `run`

  /// For steps that are made several at a time: the one, from here, at which follow() needs to know where it began.
  long until_compared() const;
  /// At which it is due.
  long until_look() const { return companion_ ? 1 : std::max(1L, next_look_ - n_); }
  double surprised() const { return surprised_; }  // steps whose prediction was off by more are followed, too
  void skip(long steps) { n_ += steps; }           // so many were made for which nothing is due

  /// Events have set something where the run stands.
  void jumped(const GridPoint& at, std::size_t events);

  struct Result {
    Accuracy accuracy;
    double at_end = 0;    // relative to the range of motion; infinite where nothing is known of it
    double growth = 0;    // of errors, e-folds in a unit of time, at most; 0 where they do not grow exponentially
    MeanRate mean;        // the same in the mean; 0 where that was not seen
    double better = 0;    // a step that would make an error of a hundredth
    double rounding = 0;  // what rounding makes at_end by itself
    double moves = 0;     // the time in which the motion goes through its range

    /// Of so many steps in which nothing moved.
    static Result of_rest(long steps, double time);
  };
  /// Nothing where no step could be compared. The run has come to the point and has passed so many singular positions.
  std::optional<Result> finish(const GridPoint& at, std::size_t singular_positions, const Growth& of_rounding);
  Result estimate(std::size_t singular_positions, const Growth& of_rounding) const;
  /// All that it has seen, and the companion.
  void archive(Archive& fields);

 private:
  /// Between two motions at the same time: the largest difference of positions, and of velocities.
  struct Distance {
    double t = 0, q = 0, v = 0;
  };
  /// A time in which the companion goes beside the run.
  struct Window {
    double t0 = 0, end = 0;
    double grid = 0;                            // the last point of the grid
    long first = 0, steps = 0;                  // steps of the run before it, and of the grid in it
    long last = 0;                              // steps of the run until its end
    bool later = false;                         // not the first of the run
    double before = 0;                          // the error of the run, when it began
    std::vector<double> sum_before, sum_until;  // of the errors of steps, when it began and when it ended
    long apart = 0;              // comparisons in a row in which one of both had met an event and the other had not
    long beyond = 0;             // comparisons in a row in which they were far apart
    bool failed = false;         // its first steps had no solution
    std::vector<Distance> seen;  // after every second step
    std::vector<double> error;   // largest of every entry

    template <class A>
    void archive(A& fields) {
      fields(t0, end, grid, first, steps, last, later, before, sum_before, sum_until, apart, beyond, failed, seen,
             error);
    }
  };
  struct Halves {
    double first = 0, whole = 0;
  };

  void begin_window(const GridPoint& from, double before = 0);
  void begin_later_window(const GridPoint& from, const std::vector<double>& error);
  void leave_companion();
  double share_of(const Window& window) const;
  void look(const GridPoint& from, const GridPoint& to, const SolvedStep<double>* run);
  void follow_companion(const GridPoint& to, const SolvedStep<double>* run);
  bool among_events();
  void end_window(const GridPoint& to);
  bool prolonged();
  Halves distances(const Window& window) const;
  double growth_of(const Window& window) const;
  double trusted_gain(const Window& window) const;
  void compare_parts(const GridPoint& from, const GridPoint& to);
  void compare_inside(const GridPoint& from, const GridPoint& to);
  void take(const GridPoint& to);

  Distance compare(const GridPoint& a, const GridPoint& b, std::vector<double>& largest) const;
  double relative(const Distance& distance) const;
  double largest(const std::vector<double>& errors) const;
  double error_until(double t, const Window& window, double of_step, double growth) const;

  const Engine& engine_;
  Multipliers multipliers_;  // of its own: asking leaves a trace
  int order_;
  double gain_;  // 2^order
  double h_, t0_;
  std::size_t n_y_;
  StateRanges ranges_;
  ComparisonPlan plan_;
  long n_ = 0;             // steps so far
  long next_look_ = 0;     // the step at which something is due by its number
  double surprised_ = -1;  // a prediction that was worse is a reason to compare
  double t_;               // where the run is

  std::optional<Companion> companion_;
  SolvedStep<double> run_before_;  // the step of the run with which one of the companion begins
  long companion_steps_;           // as far as it may go
  long later_steps_;               // that are left for it later
  std::vector<long> later_;        // where it goes again by the number of the step, last first
  Window window_;                  // the present one, or the last
  std::vector<Window> windows_;    // those before, but for what was lost
  double growth_ = 0;              // in the windows before
  long resets_ = 0;                // events of the run that set something, since the window began

  std::optional<Step<double>> parts_;
  GridPoint parts_at_;
  StepErrors steps_;
  CutSteps cut_;
};

}  // namespace alembert::internal
