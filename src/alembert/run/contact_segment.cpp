// The parts of a run with contacts: from event to event.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

// The part of a step that makes no difference of times: no step is that short.
constexpr double same_time = 1e-9;
// Closing contacts whose impacts accumulate comes to its end in two or three turns for each.
constexpr int closing_turns = 4;
// Gaps below this part of their sizes are too small to be seen to close: rounding of the positions.
constexpr double unseen_gap = 1e-14;
// Steps that fail are shortened to this part, at least.
constexpr double shortest_retry = 1e-6;

}  // namespace

/// What there is to know before the next segment, which goes to the next event of a contact at most. False where the
/// run ends.
bool ContactRun::begin_segment() {
  compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  // Closing one may set another one off, ever lower.
  for (int turn = 0; !ended_ && turn < closing_turns * count() && end_accumulations(); ++turn) {
    act();
    if (!going_) return false;
    compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  }
  end_ = shared_end(piece_end());
  Engine& engine = compiled_->engine;
  const std::span<const double> rates = engine.multipliers.at(t_, state_);
  for (const std::size_t i : pending_) {
    EventRecord& record = books_.report().events[i];
    const auto lambda = rates.begin() + static_cast<std::ptrdiff_t>(engine.e.z.size());
    const auto psi = lambda + static_cast<std::ptrdiff_t>(engine.e.lambda.size());
    record.lambda.assign(lambda, lambda + static_cast<std::ptrdiff_t>(base_.e.lambda.size()));
    record.psi.assign(psi, psi + static_cast<std::ptrdiff_t>(base_.e.psi.size()));
  }
  pending_.clear();
  std::copy(parameters_.begin(), parameters_.end(), base_.parameters.begin());
  // What rests has no size by which errors could be measured.
  const auto still = [](double x) { return [x](double v) { return std::abs(v) <= x; }; };
  handed_.rests = std::all_of(state_.begin() + static_cast<std::ptrdiff_t>(e_.y.size()), state_.end(),
                              still(1e-12 * modes_.acceleration * std::abs(options_.step))) &&
                  std::all_of(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(e_.z.size()),
                              still(1e-12 * modes_.acceleration));
  handed_.steps = books_.report().steps;
  handed_.final = ended_ || end_ == options_.end;
  // At rest the range of motion says nothing about errors.
  handed_.probes = !handed_.rests && !beside_ && books_.asks_for_accuracy();
  handed_.row = handed_.first || (handed_.final && t_ == end_);
  handed_.counts.resize(engine.model.events.size(), 0);
  std::fill(handed_.counts.begin() + handed_.own_events, handed_.counts.end(), 0);
  engine.watch.restart();
  engine.observed.restart();
  spent_ = engine.step.statistics();
  return true;
}

/// False where the run ends.
bool ContactRun::segment() {
  SimulateOptions part = options_;
  if (!std::exchange(resumes_, false)) {
    if (!begin_segment()) return false;
    part.resume.clear();
  }
  part.end = end_;
  part.progress = {};
  part.observers.clear();
  if (rows_.wanted()) part.observers.push_back(&rows_);
  rows_.follow(*compiled_, mode_);
  const bool shared =
      std::any_of(mode_.begin(), mode_.end(), [](const ContactMode& m) { return m.closed && !bears_alone(m); });
  const auto by = [this](double t, std::span<const double> state, std::vector<double>& multipliers) {
    share(t, state, multipliers);
  };
  Engine& engine = compiled_->engine;
  rows_.share_by(shared ? ContactRows::Share(by) : ContactRows::Share());
  engine.observed.share_by(shared ? ObservedValues::Share(by) : ObservedValues::Share());
  if (handed_.samples->any()) prepare_samples(engine, handed_.samples->count());
  if (handed_.rests) part.steps.control = Control::fixed;
  if (part.steps.most_steps > 0) part.steps.most_steps = std::max(1L, part.steps.most_steps - handed_.steps);
  Report report = first_report(engine, part);
  if (any_turns())
    handed_.refuses = [this](const GridPoint& from, const GridPoint& to) { return slip_turned_far(from, to); };
  Simulation(engine, part, std::move(*handed_.samples), report, &handed_).run();
  handed_.refuses = {};
  report.newton.iterations -= spent_.iterations;
  report.newton.factorizations -= spent_.factorizations;
  report.newton.evaluations -= spent_.evaluations;
  return take(report);
}

/// Slip in space may turn too fast for a step: from where the segment failed it goes on with shorter ones.
bool ContactRun::can_retry(const Report& part) {
  const double h = std::abs(options_.step);
  const long most = options_.steps.most_steps;
  const bool used_up = most > 0 && handed_.steps + part.steps >= most;
  if (part.ending != Ending::failed || used_up || !any_turns() || shortened_ < shortest_retry * h) return false;
  shortened_ = std::min(shortened_, h) / 4;
  return true;
}

/// What a segment says. False where the run ends.
bool ContactRun::take(Report& report) {
  std::vector<int> sliding;
  for (int i = 0; i < count(); ++i) {
    const ContactMode& m = mode_[static_cast<std::size_t>(i)];
    const bool slides = m.closed && std::any_of(m.friction.begin(), m.friction.end(), [](const FrictionMode& f) {
                          return f.kind != FrictionMode::Kind::sticks;
                        });
    if (slides) sliding.push_back(i);
  }
  Engine& engine = compiled_->engine;
  const bool retry = can_retry(report);
  if (retry) {
    report.ending = Ending::done;
    report.reason.clear();
  }
  books_.add(report, sliding, engine.work ? &*engine.work : nullptr, conserves_);
  handed_.first = false;
  handed_.announced.clear();
  std::copy_n(handed_.parameters.begin(), parameters_.size(), parameters_.begin());
  t_ = report.t;
  state_ = joined<double>(report.y, report.z);
  if (options_.progress) options_.progress((t_ - base_.t0) / (options_.end - base_.t0));
  if (retry) return true;
  if (report.ending != Ending::done || !books_.report().stopped.empty()) return false;
  for (int i = 0; i < count(); ++i)  // what has left comes back by its gap
    if (ContactMode& mode = mode_[static_cast<std::size_t>(i)]; mode.touches && left(i)) mode.touches = false;
  shortened_ = 2 * shortened_ > std::abs(options_.step) ? INFINITY : 2 * shortened_;
  // What the grid and an end differ by rounding alone is the same time.
  const double nearly = same_time * std::abs(options_.step);
  if (!nothing_missed(report) || !none_pulls() || !laws_hold()) return false;
  if (!report.stopped.empty()) {
    react(report);
  } else {
    const bool closes = t_ >= next_closing() - nearly;
    // Loads are not held any more, or a `when` acted, or a gap was at its end before anybody looked.
    const bool changes = breaks_ || (!closes && std::abs(t_ - end_) > nearly) || meets_unseen();
    if (closes) {
      for (const auto& [i, limit] : closing_)
        if (t_ >= limit - nearly) add_event(i, "close");
      std::erase_if(closing_, [&](const auto& one) { return t_ >= one.second - nearly; });
    }
    if (changes) settle(Told(slack_.size(), frictions()), true);
  }
  act();
  if (std::abs(t_ - options_.end) <= nearly) ended_ = true;
  return going_ && (!ended_ || !handed_.announced.empty());
}

/// Whether all open gaps are still open, and those closed that others keep so.
bool ContactRun::nothing_missed(const Report& part) {
  look();
  const bool acted = std::any_of(part.events.begin(), part.events.end(), [&](const EventRecord& record) {
    return record.event < handed_.own_events && record.t == t_ &&
           !base_.model.events[static_cast<std::size_t>(record.event)].actions.empty();
  });
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double gap = system_->gap(i);
    if (mode_[k].closed ? mode_[k].by_others.empty() || std::abs(gap) <= 10 * slack_[k] : gap >= -10 * slack_[k])
      continue;
    if (mode_[k].closed)
      fail("the contact '" + base_.model.contacts[k].name +
           "' bears a load with others that do not keep it closed: at t = " + time_text(t_) + " its gap is " +
           to_text(gap));
    else if (acted) fail(inside(i));
    else
      fail("the contact '" + base_.model.contacts[k].name + "' was passed over before t = " + time_text(t_) +
           ", its gap is " + to_text(system_->gap(i)) + "; try a smaller step");
    return false;
  }
  return true;
}

/// Whether an open gap is 0 and becomes negative: one that is 0 or below by rounding does not pass through it any more.
bool ContactRun::meets_unseen() const {
  for (int i = 0; i < count(); ++i) {
    const int row = contact(i).normal;
    if (mode_[static_cast<std::size_t>(i)].closed || mode_[static_cast<std::size_t>(i)].touches) continue;
    const bool closed = system_->gap(i) <= unseen_gap * system_->gap_scale(i);
    if (closed && at_surface(i) && system_->rate(row) < 0 && !at_rest(row)) return true;
  }
  return false;
}

}  // namespace alembert::internal
