// What happens inside steps: events and what they set, and rows between grid points.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/base/profile.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

// What contacts do in a kink, in front of which their segment ends, is found out behind it.
bool Simulation::passes_kink(const EventRecord& record, const GridPoint& to) const {
  return ends_in_kink(to) && record.event >= segment_->own_events && record.t > to.t_before;
}

// What happens inside a step: events, which may end it early, and rows. False where the dense output fails.
bool Simulation::between(const GridPoint& from, GridPoint& to, bool last) {
  acting_.clear();
  changing_.clear();
  if (!engine_.dense) return true;
  engine_.begin_dense(from, to);
  if (!engine_.events) return true;
  if (!engine_.events->search(from, to, last, found_)) return false;
  if (engine_.events->unsure())
    warn("events",
         "an event comes so often in the step behind t = " + time_text(from.t) +
             " that not all of them may be found; try a smaller step",
         from.t);
  double share = 1;  // of the step that is left
  for (EventRecord& record : found_) {
    if (passes_kink(record, to)) continue;
    const Event& event = engine_.model.events[record.event];
    const bool enough = ++counts_[counter(event, record.event)] == event.stop_after;
    if (event.stop || enough || !event.actions.empty()) {
      // The rest of a fixed step follows; that of a segment belongs to the next one.
      cut(to, record, options_.steps.control == Control::fixed || segment_);
      share = record.share;
    }
    if ((event.stop || enough) && report_.stopped.empty()) report_.stopped = event.name;
    if (event.actions.empty()) list_event(record);
    else {
      acting_.push_back(report_.events.size());
      look_for_accumulation(event, record);
    }
    report_.events.push_back(std::move(record));
  }
  // Where an event lies on a kink at the end of the step, the step is whole but for rounding.
  if (share < 1 && !to.kink && !to.at_kink) engine_.dense->tell_energy(share, to);
  return true;
}

// An event that acts again and again at shorter and shorter intervals: behind their limit it is not found any more, and
// the motion would go on as if it had never been.
void Simulation::look_for_accumulation(const Event& event, const EventRecord& record) {
  constexpr double much_shorter = 0.01;  // than a step
  constexpr int in_a_row = 4;            // two or three come by chance
  Acted& last = acted_[record.event];
  const double passed = std::abs(record.t - std::exchange(last.t, record.t));
  last.shrinking = passed < last.passed ? last.shrinking + 1 : 0;
  last.passed = passed;
  if (last.shrinking >= in_a_row && passed < much_shorter * std::abs(options_.step))
    end(Ending::failed, "'" + event.name +
                            "' happens at shorter and shorter intervals near t = " + time_text(record.t) +
                            ": what it sets comes to rest there, and nothing says how the motion goes on; write a "
                            "`contact`, which rests "
                            "and leaves again, or let `stop after` end the run");
}

bool Simulation::apply(int number, const Event& event, GridPoint& at) {
  const std::string wrong =
      resets_->apply(number, at, reactions_at(engine_, segment_ ? *segment_->base : engine_, at.t, at.state));
  if (wrong.empty()) return true;
  end(Ending::failed, "what '" + event.name + "' sets at t = " + time_text(at.t) + " cannot be: " + wrong);
  return false;
}

// What events set here, one after the other in the order of the text. False where that cannot be.
bool Simulation::act(GridPoint& at, bool looked) {
  if (!looked) engine_.watch.glance(at.t, at.state);
  for (const std::size_t i : acting_) {
    const Event& event = engine_.model.events[report_.events[i].event];
    if (!apply(report_.events[i].event, event, at)) return false;
  }
  for (const int number : changing_) {
    const Event& change = engine_.model.contact_events[static_cast<std::size_t>(number)];
    if (!apply(static_cast<int>(engine_.model.events.size()) + number, change, at)) return false;
  }
  // What was set in the model holds in this part of the run, too.
  if (segment_)
    std::copy(segment_->base->parameters.begin(), segment_->base->parameters.end(), engine_.parameters.begin());
  const double jump = engine_.watch.jump(at.t, at.state);
  (jump > 0 ? gained_ : lost_) += std::abs(jump);
  judge_->jumped(jump);
  energy_ = engine_.watch.energy();
  in_view_ = true;
  recorded_ = false;
  observe(at);
  for (const std::size_t i : acting_) {
    report_.events[i].state = at.state;
    list_event(report_.events[i]);
  }
  if (engine_.work) {
    engine_.work->go_on(jump);
    const GridPoint behind = engine_.behind(at);
    engine_.work->look(at.t, behind.state, energy_, engine_.multipliers);
  }
  return true;
}

// A motion of its own begins behind what events set; the grid stays.
void Simulation::go_on() {
  if (probe_) probe_->jumped(point_, acting_.size());
  if (twin_) twin_->jumped(point_);
  const NewtonStatistics own = engine_.step.statistics(), all = control_->statistics();
  spent_.iterations += all.iterations - own.iterations;
  spent_.factorizations += all.factorizations - own.factorizations;
  spent_.evaluations += all.evaluations - own.evaluations;
  rejected_ += control_->rejected();
  comparisons_ += control_->comparisons();
  control_ = make_control(engine_, options_.steps, options_.end, options_.step, point_, grid_);
  if (engine_.events) engine_.events->go_on(point_);
  judge_->go_on(point_);
  engine_.rank.look(point_.t, point_.state);
}

// Multipliers and velocities of an event, and its row.
void Simulation::list_event(EventRecord& record) {
  const std::span<const double> rates = engine_.multipliers.at(record.t, record.state);
  const auto lambda = rates.begin() + static_cast<std::ptrdiff_t>(engine_.e.z.size());
  const auto psi = lambda + static_cast<std::ptrdiff_t>(engine_.e.lambda.size());
  record.lambda.assign(lambda, psi);
  record.psi.assign(psi, rates.end());
  engine_.motion.look(record.t, record.state);
  record.v = list(engine_.motion.velocity());
  if (!rows_.wanted()) return;
  engine_.watch.glance(record.t, record.state);
  rows_.record_event(record.event, record.t, record.state, balance_);
}

void Simulation::sample(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept) {
  if (!take_samples(from, to, up_to, from_kept, to_kept))
    end(Ending::failed, "the motion between t = " + time_text(from.t) + " and " + time_text(to.t) +
                            " could not be sampled: part of the step has no solution; try a smaller step");
}

// kept: the grid points have rows of their own.
bool Simulation::take_samples(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept) {
  if (!samples_.any()) return true;
  const During writing(Activity::output);
  while (const std::optional<double> t = rows_.wanted() ? samples_.next(up_to) : std::nullopt) {
    const double h = to.t - from.t;
    // Within rounding of a grid point it is that point.
    // A segment that begins in a kink gets what the one before has left in front of it.
    const double rounding =
        h == 0 ? HUGE_VAL : 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(to.t), std::abs(h));
    std::span<const double> state = to.state;
    if (std::abs(*t - from.t) <= rounding) {
      if (from_kept) continue;
      state = from.state;
    } else if (std::abs(to.t - *t) <= rounding) {
      if (to_kept) continue;
    } else {
      if (!engine_.dense->at(engine_.dense->share(*t), sampled_)) return false;
      state = sampled_;
    }
    engine_.watch.glance(*t, state);
    in_view_ = false;
    rows_.record(*t, state, balance_);
  }
  return true;
}

// The row of a grid point, once.
void Simulation::keep(const GridPoint& point) {
  if (!rows_.wanted() || std::exchange(recorded_, true)) return;
  const During writing(Activity::output);
  if (!in_view_) engine_.watch.glance(point.t, point.state);
  rows_.record(point.t, point.state, balance_);
}

}  // namespace alembert::internal
