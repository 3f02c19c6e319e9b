// What happens at the end of a segment: impacts, the mode behind them, and the events that tell it.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Events at the same time: more come from laws that contradict each other.
constexpr int most_at_once = 200;

}  // namespace

void ContactRun::react(const Report& part) {
  const double same = 1e-13 * (std::abs(t_) + std::abs(options_.step));
  at_once_ = std::abs(t_ - event_t_) <= same ? at_once_ + 1 : 0;
  event_t_ = t_;
  if (t_ > piece_begin_) track_.piece(std::exchange(piece_begin_, t_), t_);
  if (at_once_ > most_at_once)
    return fail("contacts change their state again and again at t = " + time_text(t_) +
                ": their laws have no solution that goes on");
  Told told(slack_.size(), frictions());
  const std::span<const double> rates = compiled_->engine.multipliers.at(t_, state_);
  const std::span<const double> psi = rates.subspan(compiled_->e.z.size());
  for (const EventRecord& record : part.events) {
    if (record.event < handed_.own_events) continue;
    const ModeEvent& event = compiled_->model.events[static_cast<std::size_t>(record.event - handed_.own_events)];
    const auto c = static_cast<std::size_t>(event.contact);
    const auto f = (system_->first_friction(event.contact) + event.friction);
    switch (event.kind) {
      case ModeEvent::Kind::gap: told.hit[c] = true; break;
      case ModeEvent::Kind::force: (mode_[c].decides ? told.idle : told.opens)[c] = true; break;
      case ModeEvent::Kind::slip: told.stops[f] = true; break;
      case ModeEvent::Kind::bound: {
        told.starts[f] = true;
        const int first = compiled_->friction[c][static_cast<std::size_t>(event.friction)];
        const int size = contact(event.contact).friction[static_cast<std::size_t>(event.friction)].size;
        double norm = 0;
        for (int j = 0; j < size; ++j) norm = std::hypot(norm, psi[first + j]);
        for (int j = 0; j < size; ++j) told.direction[f][static_cast<std::size_t>(j)] = psi[first + j] / norm;
      }
    }
  }
  settle(told, true);
}

/// Impacts, and the mode behind them.
void ContactRun::settle(const Told& told, bool report) {
  const Mode before = mode_;
  impacted_.assign(impacted_.size(), false);
  notes_.assign(notes_.size(), "");
  const std::vector<double> velocities(state_.begin() + static_cast<std::ptrdiff_t>(e_.y.size()), state_.end());
  if (!impact(told)) return;
  const Told known = behind_impact(told, velocities);
  for (int i = 0; i < count(); ++i)
    if (impacted_[static_cast<std::size_t>(i)] && report) note_impact(i);
  if (!choose_and_project(known)) return;
  forget_closing();
  if (report) announce(before);
}

/// What was known of forces and slips is not known any more where an impact at the same time has changed the velocities
/// that they depend on.
ContactRun::Told ContactRun::behind_impact(Told told, const std::vector<double>& before) const {
  std::vector<double> change = before;
  bool any = false;
  for (std::size_t i = 0; i < change.size(); ++i) {
    change[i] = state_[e_.y.size() + i] - before[i];
    any = any || change[i] != 0;
  }
  if (!any) return told;
  const auto jumped = [&](int row) {
    return system_->size_of_terms(row, change) > rounding_of_contacts * system_->rate_scale(row);
  };
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (jumped(contact(i).normal)) told.opens[k] = told.idle[k] = false;
    for (std::size_t j = 0; j < contact(i).friction.size(); ++j) {
      const SlipRows& f = contact(i).friction[j];
      const auto n = static_cast<std::size_t>(system_->first_friction(i)) + j;
      for (int r = 0; r < f.size; ++r)
        if (jumped(f.first + r)) told.stops[n] = told.starts[n] = false;
    }
  }
  return told;
}

/// The mode, and the state put onto it. What is at rest only once others stick does so too: all corners of a body that
/// slides on a plane stop at once, but for rounding. False where the run ends.
bool ContactRun::choose_and_project(Told told) {
  std::vector<bool> moves(told.stops.size());
  for (bool again = true; again;) {
    look();
    std::array<double, 2> direction{};
    const auto each = [&](const auto& with) {
      for (int i = 0; i < count(); ++i)
        for (std::size_t j = 0; j < contact(i).friction.size(); ++j)
          with(i, j, static_cast<std::size_t>(system_->first_friction(i)) + j);
    };
    each([&](int i, std::size_t j, std::size_t f) { moves[f] = slips(contact(i).friction[j], direction); });
    choose_mode(told);
    if (!going_) return false;
    project();
    again = false;
    each([&](int i, std::size_t j, std::size_t f) {
      const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
      if (!mode.closed || mode.friction[j].kind == FrictionMode::Kind::sticks || !moves[f] || told.stops[f]) return;
      if (slips(contact(i).friction[j], direction)) return;
      told.stops[f] = true;
      again = true;
    });
  }
  leave_to_others();
  return true;
}

void ContactRun::announce(const Mode& before) {
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const ContactState was = state_of(before[k]), is = state_of(mode_[k]);
    const bool accumulated = accumulates(i);
    if (was == ContactState::sticking && is != was && !before[k].shared) warn_of_shared_friction(i, before);
    if (impacted_[k]) add_event(i, "impact");
    if (impacted_[k] || accumulated) continue;
    if (was != ContactState::open && is == ContactState::open) add_event(i, "open");
    if (was == ContactState::open && is != ContactState::open) add_event(i, "close");
    if (was == ContactState::sliding && is == ContactState::sticking) add_event(i, "stick");
    if (was == ContactState::sticking && is == ContactState::sliding) add_event(i, "slip");
    if (was != ContactState::sliding || is != was) continue;
    const auto &a = before[k].friction[0].direction, &b = mode_[k].friction[0].direction;
    if (a[0] * b[0] + a[1] * b[1] < 0) add_event(i, "reverse");
  }
}

void ContactRun::add_event(int i, const char* kind) {
  EventRecord record;
  record.event = handed_.own_events + i;
  record.t = t_;
  record.share = 0;
  record.state = state_;
  base_.motion.look(t_, state_);
  record.v.assign(base_.motion.velocity().begin(), base_.motion.velocity().end());
  record.kind = kind;
  record.note = notes_[static_cast<std::size_t>(i)];
  pending_.push_back(books_.report().events.size());
  books_.report().events.push_back(std::move(record));
  handed_.announced.push_back(-1 - i);
  changes_.happened(i, kind, t_);
}

}  // namespace alembert::internal
