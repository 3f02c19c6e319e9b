#pragma once

// What becomes of errors on the way is seen from a twin, which starts a little beside the run and is made with the same
// steps, as far as it may cost. With that, where a control tells the error of every step, one knows how far the run is
// from the motion in the end.

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "alembert/run/accuracy.h"

namespace alembert::internal {

/// Whether this is the step between two points, and not a part of it, or one before.
bool leads(const SolvedStep<double>& step, const GridPoint& from, const GridPoint& to);

class Twin {
 public:
  /// steps: how many fixed ones there will be, about, of the size h; 0 where that is not known. The engine outlives the
  /// twin.
  Twin(const Engine& engine, const ReportNames& names, const GridPoint& start, double steps = 0, double h = 0);

  /// A step was made. error: of this step, or of the last two, entry by entry of the state; empty where it is told with
  /// the next one. run: its solution, where that is known.
  void follow(const GridPoint& from, const GridPoint& to, std::span<const double> error, const SolvedStep<double>* run);

  /// The same where nobody tells errors, and later steps are of no interest when the twin has ended.
  void follow(const GridPoint& from, const GridPoint& to, long steps = 1, const SolvedStep<double>* run = nullptr) {
    if (!done_) follow_fixed(from, to, steps, run);
  }
  /// Whether it has a use for the solution of a step.
  bool looks_at_steps() const { return !done_ && interval_ == 1; }
  /// How many steps may be made at a time between two calls of follow().
  long stride() const { return done_ ? std::numeric_limits<long>::max() : std::max(interval_, 16L); }
  /// Events have set something: the run goes on from here.
  void jumped(const GridPoint& at);

  /// Of small errors by the time t.
  Growth growth_until(double t) const;
  /// Nothing where no error is known. The run has come to the point and has passed so many singular positions.
  std::optional<AccuracyProbe::Result> finish(const GridPoint& at, std::size_t singular_positions);
  /// All that it has seen.
  void archive(Archive& fields);

 private:
  AccuracyProbe::Result estimate(std::size_t singular_positions) const;
  void follow_fixed(const GridPoint& from, const GridPoint& to, long steps, const SolvedStep<double>* run);
  void follow_far(const GridPoint& from, const GridPoint& to, long steps, const SolvedStep<double>* run);
  bool go_beside(const GridPoint& from, const GridPoint& to, long steps, const SolvedStep<double>* run);
  bool follow_in_parts(const GridPoint& to);
  bool prolong();
  bool go_far(const GridPoint& to, long parts);
  void begin(const GridPoint& at, std::span<const double> direction);
  void begin_anywhere(const GridPoint& from, const GridPoint& to);
  void begin_step(std::span<const double> rates);
  void kick(const GridPoint& to);
  void begin_farther(const GridPoint& from, const GridPoint& to);
  void go_along(const GridPoint& from, const GridPoint& to, const SolvedStep<double>* run);
  bool cross_kink(const GridPoint& from, const GridPoint& to);
  bool advance(double h, const SolvedStep<double>* run);
  double free_steps() const;
  long leap(long steps, double h);
  bool make(GridPoint& point, double t, double h);
  void solve_roughly(double part);
  void compare(const GridPoint& to);
  void end();
  /// The largest differences of positions and of velocities.
  struct Distance {
    double t = 0, q = 0, v = 0;
  };
  Distance distance(const GridPoint& to) const;
  struct Ranges {
    double q = 0, v = 0;
  };
  Ranges ranges() const { return {ranges_.positions(), ranges_.velocities()}; }
  static double relative(const Distance& distance, const Ranges& to);
  double growth() const;
  MeanRate mean_growth() const;
  double amplification(double t) const;

  const Engine& engine_;
  Multipliers multipliers_;  // of its own: asking leaves a trace
  std::size_t n_y_;
  StateRanges ranges_;
  double h_;  // of fixed steps, else 0
  double t0_, t_;
  long n_ = 0;
  std::vector<double> sum_;      // of all errors, by entry
  std::vector<double> largest_;  // of a step
  double worst_ = 0, worst_t_ = 0;
  double kicked_ = 0;  // the largest velocity where it was pushed last, or began

  std::optional<Step<double>> step_;
  std::optional<KernelMotion> kernel_;  // makes fixed steps of the run's size as long as they are usual
  bool done_ = false;
  GridPoint at_;
  SolvedStep<double> last_;  // its own, or that of the copy of the run
  double made_ = 0;          // size of its last step, where errors are not told
  long followed_ = 0;        // steps that it made there
  long crossed_ = 0;         // of those next to a kink
  long checked_ = 8;         // the step from which on it is seen whether it began too near
  // Of a run with more steps than may be made twice: twin and a copy of the run go in steps so many times as long, each
  // from where the run stands.
  long interval_ = 1, longest_ = 1, shortest_ = 1, since_ = 0;
  long beside_left_ = 0, steps_beside_ = 0;  // steps that it makes as the run does before longer ones are tried again
  int in_one_ = 0;                           // intervals in a row that one step was good for
  GridPoint sync_;                           // where the run stood when they were there last
  std::vector<double> free_;                 // the engine's table without sides of kinks
  double prolonged_ = 1;                     // times what it may cost that it goes on
  std::vector<double> beside_;               // where it stands, seen from the run
  double factor_ = 1;                        // what distances were made smaller by so far
  std::vector<Distance> seen_;               // times that factor
};

}  // namespace alembert::internal
