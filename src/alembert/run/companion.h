#pragma once

// A motion beside a run, with steps of its own size on the same code. Where the equations have kinks, or
// events set something, it meets them as the run does, at its own times.

#include <memory>
#include <optional>

#include "alembert/run/course.h"
#include "alembert/run/step_kernel.h"

namespace alembert::internal {

class Companion {
 public:
  /// From a point of the engine's motion. The engine outlives this.
  Companion(const Engine& engine, const GridPoint& from, double h);

  /// Whether the engine's motion has kinks or jumps, so that steps end where they are not asked to.
  static bool meets_kinks(const Engine& engine) { return engine.kinks || !engine.e.actions.empty(); }
  /// Whether anything can be known from here: not so where the multipliers are not determined.
  bool ready() const { return ready_; }
  /// A step. t: where it ends. False where there is none, also behind a stop. first, second: steps of the engine in
  /// the same time, where they are known.
  bool advance(double t, const SolvedStep<double>* first = nullptr, const SolvedStep<double>* second = nullptr);
  /// Whether it has a use for these.
  bool looks_at_steps() const { return step_ && !kernel_ && step_->has_stages(); }
  const GridPoint& point() const { return at_; }
  /// Events so far that set something.
  long resets() const;
  /// Whether an event has stopped it.
  bool stopped() const { return course_ && !course_->stopped().empty(); }
  void archive(Archive& fields);

 private:
  void begin_course();
  bool advance_smoothly(const SolvedStep<double>* first, const SolvedStep<double>* second);

  const Engine& of_;
  Multipliers multipliers_;  // of its own: asking leaves a trace
  double t0_, h_;
  bool ready_ = false;
  GridPoint at_;
  std::optional<Step<double>> step_;    // where all is smooth
  std::optional<KernelMotion> kernel_;  // makes its steps as long as they are usual
  std::unique_ptr<Engine> engine_;      // else: with parameters of its own, which events set
  std::unique_ptr<EventCourse> course_;
};

}  // namespace alembert::internal
