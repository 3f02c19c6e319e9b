// The accuracy of a run that steps through its contacts: it is made a second time with other steps, which meet impacts
// at other places of a step, so that the distance of both holds what steps err by with all that impacts make of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/run/contact_stepping.h"

namespace alembert::internal {

namespace {

// Longer for the cost, and no multiple: impacts in steps that end at the same times would have the same errors. Where
// such steps have no solution, shorter ones.
constexpr double longer_steps = 1.7, shorter_steps = 0.6;
// Errors above this part of the range of motion are no result.
constexpr double no_result = 0.1;
// Points of the run between an impact of it and the same of the other: both know its time to a step.
constexpr std::size_t around_impacts = 5;
// Where contacts change, the times of that are off by so much of a step in the mean, whatever two runs have in common.
constexpr double part_of_step = 0.25;

}  // namespace

/// What the run is off by, from its distance to one whose steps are longer by a ratio. Where contacts push methods have
/// order 1.
double ContactStepping::size_of_error(double apart, double ratio) const {
  const int order = pushes_ ? 1 : std::max(1, std::min(engine_.method.claims.order_q, engine_.method.claims.order_v));
  const double gain = std::pow(ratio, order);
  return ratio > 1 ? apart / (gain - 1) : apart / (1 - gain);
}

/// Where it ended, seen at a time nearby: runs that are stopped do not end at the same.
std::vector<double> ContactStepping::end_seen_at(double t) const {
  std::vector<double> state = joined<double>(report_.y, report_.z);
  for (std::size_t i = 0; i < report_.v.size() && i < state.size(); ++i) state[i] += (t - report_.t) * report_.v[i];
  return state;
}

/// Makes the run again beside itself. False where that fails.
bool ContactStepping::accompany(double ratio) {
  TrackComparison comparison(track_);
  SimulateOptions options = options_;
  options.at.clear();
  options.sample = 0;
  options.every.reset();
  options.observers.clear();
  options.progress = {};
  options.strict = false;
  options.checkpoint = {};
  options.resume.clear();
  options.steps.most_steps = 0;
  options.step *= ratio;
  Engine engine(engine_);
  ContactStepping other(engine, options);
  other.beside_ = &comparison;
  other.follow();
  if (other.report_.ending != Ending::done) return false;
  pushes_ = pushes_ || other.pushes_;
  const std::vector<double> end = joined<double>(report_.y, report_.z);
  const TrackComparison::Apart apart =
      other.report_.stopped == report_.stopped
          ? comparison.largest(report_.t, end, other.end_seen_at(report_.t), around_impacts)
          : TrackComparison::Apart{1, report_.t};
  double error =
      std::max(size_of_error(apart.error, ratio), rounding_of(report_.steps, track_.ranges().resolution(), 0));
  if (const double time = track_.ranges().time(); time > 0 && (changed_ || other.changed_))
    error = std::max(error, part_of_step * options_.step / time);
  report_.accuracy = Accuracy{.per_time = std::min(1.0, error) / std::abs(report_.t - engine_.t0),
                              .per_step = 0,
                              .worst_t = apart.t,
                              .compared = 0};
  if (error > no_result)
    warn("accuracy",
         fmt::format("made again with other steps, the run goes another way: near t = {} the error may be {} of the "
                     "range of motion; try a smaller step",
                     time_text(apart.t), error < 1 ? fmt::format("about {:.0f} %", 100 * error) : "more than 100 %"));
  return true;
}

void ContactStepping::assess() {
  if (track_.points().empty() || report_.t == engine_.t0) return;
  const auto interrupted = [&] { return options_.interrupt && options_.interrupt->load(std::memory_order_relaxed); };
  if (accompany(longer_steps) || (!interrupted() && accompany(shorter_steps))) return;
  report_.accuracy.reset();
  warn("accuracy", interrupted() ? "the run was interrupted before it was known how accurate it is"
                                 : "nothing is known of the accuracy: with other steps the run has no end; try a "
                                   "smaller step");
}

}  // namespace alembert::internal
