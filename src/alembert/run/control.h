#pragma once

// How long the steps are. A control makes the grid points of a run, one or two at a time; the loop of simulate.h does
// the rest.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alembert/base/archive.h"
#include "alembert/run/engine.h"
#include "alembert/simulate.h"

namespace alembert::internal {

/// Throws InputError for what makes no sense, also for this method. step: the first one, negative where end < t0.
void check_steps(const StepOptions& options, const Method& method, double t0, double end, double step);
/// How many steps of this size there are.
double count_steps(double t0, double end, double step);

class StepControl {
 public:
  virtual ~StepControl() = default;

  /// The next grid points behind `from`: to[0] .. to[n-1] of equal distance, n at most 2; at the end `last` is true.
  /// 0: it cannot go on; failure() says why, or where that is empty, StepMaker::failed.
  virtual int advance(const GridPoint& from, GridPoint* to, bool& last) = 0;

  /// Whole steps of one size that come before the last one: t0 + (n + 1) h is the end of the next.
  struct Ahead {
    double t0 = 0, h = 0;
    long n = 0, count = 0;
  };
  virtual Ahead ahead() const { return {}; }
  /// So many of them were made elsewhere, with a history of their own.
  virtual void pass(long) {}

  const std::string& failure() const { return failure_; }
  long rejected() const { return rejected_; }
  long comparisons() const { return comparisons_; }  // steps that were made beside others only
  bool crowded() const { return crowded_; }          // a step had more kinks than it could be ended at
  virtual NewtonStatistics statistics() const { return step_.statistics(); }
  /// The error of the steps that were handed out last, entry by entry of the state; empty where the control knows none.
  virtual std::span<const double> error() const { return {}; }
  /// The solution of one of the steps that were handed out last, the first being 0; null where it is not known.
  virtual const SolvedStep<double>* solved(int) const { return nullptr; }
  /// What the method computed on the way to the last point that was handed out (stage multipliers).
  virtual const std::vector<double>& internal() { return step_.internal(); }
  /// What is known beside the point where it stands and the history of the step, between two points of the grid.
  virtual void save(ByteWriter&) const {}
  virtual void load(ByteReader&) {}
  /// All that the next points depend on, beside the point and the engine, for a run that is taken up again.
  virtual void archive(Archive& fields) { fields(rejected_, comparisons_, crowded_, failure_, held_); }

 protected:
  explicit StepControl(Engine& engine)
      : step_(engine.step),
        multipliers_(engine.multipliers),
        maker_(engine.maker),
        n_y_(engine.e.y.size()),
        jumps_(engine.failure.jumps()) {}
  int fail(std::string words);
  /// Why no step of about this size leads on from a point at a kink, and from the one just before it where there is
  /// one; "" where one may. in_doubt: as for Jumps.
  std::string held(const GridPoint& point, double h, bool in_doubt = false);

  Step<double>& step_;  // that makes the grid points
  Multipliers& multipliers_;
  StepMaker& maker_;
  std::size_t n_y_;
  const Jumps& jumps_;
  long rejected_ = 0, comparisons_ = 0;
  bool crowded_ = false;
  std::string held_;  // where it stands, so that the next step fails

 private:
  std::string failure_;
};

/// options must have been checked. The engine lasts longer than the control. The grid of fixed steps begins at t0,
/// which need not be where this control starts.
std::unique_ptr<StepControl> make_control(Engine& engine, const StepOptions& options, double end, double first_step,
                                          const GridPoint& start, double t0);

}  // namespace alembert::internal
