// What changes of contacts set, and the end of a run that they bring about.

#include <algorithm>
#include <utility>

#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

/// What changes of contacts set, and what becomes of the contacts by it; the end of the run where one of them stops it.
void ContactRun::act() {
  while (going_) {
    const std::vector<int> changes = changes_.acting();
    if (changes.empty()) break;
    if (set(changes)) settle(nothing_told(), true);
  }
  if (changes_.stopped().empty()) return;
  books_.report().stopped = changes_.stopped();
  ended_ = true;
}

/// False where that cannot be.
bool ContactRun::set(const std::vector<int>& changes) {
  const Model& model = base_.model;
  std::copy(parameters_.begin(), parameters_.end(), base_.parameters.begin());
  base_.watch.glance(t_, state_);
  const double before = base_.watch.energy();
  GridPoint at;
  at.t = t_;
  at.state = state_;
  at.compensation.assign(state_.size(), 0);
  for (const int number : changes) {
    const Event& change = model.contact_events[static_cast<std::size_t>(number)];
    const bool plain = e_.lambda.empty() && e_.psi.empty();
    Engine& engine = plain ? base_ : modes_.at(mode_, slack_, t_, state_, parameters_).engine;
    const std::string wrong =
        resets_->apply(static_cast<int>(model.events.size()) + number, at, reactions_at(engine, base_, t_, at.state));
    if (wrong.empty()) continue;
    fail("what '" + change.name + "' sets at t = " + time_text(t_) + " cannot be: " + wrong);
    return false;
  }
  state_ = at.state;
  std::copy_n(base_.parameters.begin(), parameters_.size(), parameters_.begin());
  base_.watch.glance(t_, state_);
  books_.set(base_.watch.energy() - before);
  base_.motion.look(t_, state_);
  for (const std::size_t i : pending_)
    for (const int number : changes) {
      const Event& change = model.contact_events[static_cast<std::size_t>(number)];
      EventRecord& record = books_.report().events[i];
      if (record.event != handed_.own_events + change.contact || record.kind != change.kind) continue;
      record.state = state_;
      record.v.assign(base_.motion.velocity().begin(), base_.motion.velocity().end());
    }
  look();
  for (int i = 0; i < count(); ++i) {
    if (system_->gap(i) >= -10 * slack_[static_cast<std::size_t>(i)]) continue;
    fail(inside(i));
    return false;
  }
  return true;
}

std::string ContactRun::inside(int i) const {
  return "what is set at t = " + time_text(t_) + " lies inside the contact '" +
         base_.model.contacts[static_cast<std::size_t>(i)].name + "', by " + to_text(-system_->gap(i));
}

}  // namespace alembert::internal
