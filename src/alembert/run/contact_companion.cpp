// The accuracy of a run with contacts: it is made a second time with other steps, which meets every event at a time of
// its own, so that the distance of both holds what steps err by with all that impacts and slips make of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Twice as long: half the cost, and where the contacts change in another way the run is not sure of them either. Where
// such steps have no solution, a little shorter ones than those of the run.
constexpr double longer = 2, shorter = 0.7;
// By this the tolerance is loosened: the errors of steps are about proportional to it.
constexpr double looser = 10;
// And its longest steps are shortened by this: where nothing else than their number limits them, both would be the
// same.
constexpr double below_longest = 0.7;
// A step of the golden section in place of a whole one leaves about a fifth of the error of a method of order 2.
constexpr double not_converged = 1.2;
// As much larger the errors of twice as long steps are at least where they converge at all: events cut them. With 8 a
// random run was off by 10.4 times what was stated.
constexpr double most_gain = 4;
// Errors above this part of the range of motion are no result.
constexpr double known = 0.1;

}  // namespace

/// What the run is off by, from its distance to one whose steps are longer by a ratio.
double ContactRun::size_of_error(double apart, double ratio) {
  // Pieces without a whole step in them are made in shorter ones there, slip in space that begins or stops has steps of
  // its own, and a tolerance chooses them: then not more is known than that they differ.
  if (options_.steps.control == Control::tolerance || turned_ || track_.any_shorter(books_.report().largest_step))
    return not_converged * apart;
  const int order = std::max(1, std::min(base_.method.claims.order_q, base_.method.claims.order_v));
  const double gain = std::pow(ratio, order);
  return ratio > 1 ? apart / (std::min(gain, most_gain) - 1) : apart / (1 - gain);
}

/// Where it ended, seen at a time nearby: runs that are stopped do not end at the same.
std::vector<double> ContactRun::end_seen_at(double t) {
  std::vector<double> state = state_;
  if (t == t_ || !compiled_) return state;
  const std::vector<double>& v = books_.report().v;
  const std::span<const double> rates = compiled_->engine.multipliers.at(t_, state_);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += (t - t_) * (i < v.size() ? v[i] : rates[i - v.size()]);
  return state;
}

/// Makes the run again beside itself. False where that fails.
bool ContactRun::accompany(double ratio) {
  TrackComparison comparison(track_);
  SimulateOptions options = options_;
  options.at = comparison.times(options_.end);
  options.sample = 0;
  options.every.reset();
  options.observers = {&comparison};
  options.progress = {};
  options.strict = false;
  options.checkpoint = {};
  options.resume.clear();
  options.steps.most_steps = 0;
  options.step *= ratio;
  if (options.steps.control == Control::tolerance) {
    options.steps.tolerance *= looser;
    options.steps.largest = below_longest * books_.report().largest_step;
  }
  ContactRun other(base_, options, compiled_modes_);
  other.beside_ = &track_;
  other.whole_step_ = books_.report().largest_step;
  if (options.steps.control == Control::fixed) other.whole_step_ = std::max(other.whole_step_, std::abs(options.step));
  other.follow();
  const Report &own = books_.report(), &found = other.books_.report();
  if (found.ending != Ending::done) return false;
  const TrackComparison::Apart apart = found.stopped == own.stopped
                                           ? comparison.largest(t_, state_, other.end_seen_at(t_))
                                           : TrackComparison::Apart{1, t_};
  const double error =
      std::max(size_of_error(apart.error, ratio), rounding_of(own.steps, track_.ranges().resolution(), 0));
  books_.put_error(error);
  if (error > known)
    warn("accuracy",
         fmt::format(
             "made again with other steps, the run goes another way: near t = {} the error may be {} of the "
             "range of motion; {}",
             time_text(apart.t), error < 1 ? fmt::format("about {:.2g} %", 100 * error) : "more than 100 %",
             options_.steps.control == Control::tolerance ? "ask for a smaller `tolerance`" : "try a smaller step"));
  return true;
}

/// Whether the account of the whole holds, with what impacts and contacts did in it.
void ContactRun::assess_energy() {
  constexpr double good_account = 0.25;  // as of runs without contacts
  const double off = books_.unexplained();
  if (off <= good_account) return;
  warn("energy",
       fmt::format(
           "the energy is not what forces, contacts and impacts made of it: in the end the account is off by "
           "{:.0f} % of all that was moved in it; {}",
           100 * off,
           options_.steps.control == Control::tolerance ? "ask for a smaller `tolerance`" : "try a smaller step"));
}

void ContactRun::assess() {
  if (track_.points().empty() || t_ == base_.t0) return;
  if (t_ > piece_begin_) track_.piece(std::exchange(piece_begin_, t_), t_);
  const auto interrupted = [&] { return options_.interrupt && options_.interrupt->load(std::memory_order_relaxed); };
  if (accompany(longer) || (!interrupted() && accompany(shorter))) return;
  books_.report().accuracy.reset();
  warn("accuracy", interrupted()
                       ? "the run was interrupted before it was known how accurate it is"
                       : "nothing is known of the accuracy: with other steps the contacts cannot be followed to the "
                         "end; try a smaller step");
}

}  // namespace alembert::internal
