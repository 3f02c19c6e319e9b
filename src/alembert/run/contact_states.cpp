#include "alembert/run/contact_states.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/nth.h"
#include "alembert/newton/step_equations.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Slip and approach below this part of the largest velocities seen are none.
constexpr double part_of_rates = 1e-9;

}  // namespace

ContactStates::ContactStates(Engine& engine, double step)
    : engine_(engine),
      step_(step),
      system_(std::make_unique<ContactSystem>(engine.e)),
      state_(engine.model.contacts.size(), ContactState::open),
      met_(state_.size(), 0) {
  int first = 0;
  for (const Contact& contact : engine.model.contacts) {
    first_.push_back(first);
    first += ContactValues::tangential;
    for (const Friction& friction : contact.friction) first += static_cast<int>(friction.slip.size());
  }
  values_.assign(static_cast<std::size_t>(first), 0);
  system_->bind(engine.parameters.empty() ? nullptr : engine.parameters.data());
}

ContactStates::~ContactStates() = default;

void ContactStates::save(ByteWriter& out) const {
  Archive scales(out);
  scales(*system_);
  out.write(state_);
  out.write(values_);
  out.write(h_);
  out.write(touched_);
  out.write(least_rate_);
}

void ContactStates::load(ByteReader& in) {
  Archive scales(in);
  scales(*system_);
  in.refill(state_);
  in.refill(values_);
  in.read(h_);
  in.read(touched_);
  in.read(least_rate_);
  tell_observed();
}

void ContactStates::begin(const GridPoint& start) {
  system_->look(start.t, start.state);
  touched_.clear();
  for (int i = 0; i < count(); ++i) touched_.push_back(system_->gap(i) <= rounding_of_gaps * system_->gap_scale(i));
  std::fill(state_.begin(), state_.end(), ContactState::open);
  h_ = 0;
  measure_rates(start);
  tell_observed();
}

/// What acts now, for what is observed of it.
void ContactStates::tell_observed() {
  std::vector<double> acting;
  for (int i = 0; i < count(); ++i) {
    const Contact& contact = engine_.model.contacts[static_cast<std::size_t>(i)];
    const ContactForces now = forces(i);
    for (std::size_t j = 0; j < contact.tangential.size(); ++j) acting.push_back(now.tangential[j]);
    if (contact.force) acting.push_back(now.normal);
    if (contact.state) acting.push_back(static_cast<double>(now.state));
  }
  engine_.observed.act(acting);
}

/// What rests from the start has no size of its own: its rates are measured by what would become of them in a step
/// without contacts.
void ContactStates::measure_rates(const GridPoint& start) {
  const std::vector<double> rates = system_->accelerations(engine_.multipliers.at(start.t, start.state));
  least_rate_.clear();
  for (const ContactLayout& contact : system_->contacts()) {
    double most = std::abs(rates[static_cast<std::size_t>(contact.normal)]);
    for (const SlipRows& f : contact.friction)
      for (int j = 0; j < f.size; ++j) most = std::max(most, std::abs(rates[nth(f.first + j)]));
    least_rate_.push_back(std::isfinite(most) ? std::abs(step_) * most : 0);
  }
}

ContactState ContactStates::state_now(int i) const {
  if (!(told(i)[ContactValues::impulse] > 0)) return ContactState::open;
  const ContactLayout& contact = system_->contacts()[static_cast<std::size_t>(i)];
  if (contact.friction.empty()) return ContactState::closed;
  const SlipRows& f = contact.friction[0];
  double slip = 0, scale = least_rate_[static_cast<std::size_t>(i)];
  for (int j = 0; j < f.size; ++j) {
    slip = std::hypot(slip, system_->rate(f.first + j));
    scale = std::max(scale, system_->rate_scale(f.first + j));
  }
  return slip <= part_of_rates * scale ? ContactState::sticking : ContactState::sliding;
}

ContactForces ContactStates::forces(int i) const {
  ContactForces found;
  found.state = state(i);
  if (h_ == 0) return found;
  found.normal = told(i)[ContactValues::impulse] / h_;
  const ContactLayout& contact = system_->contacts()[static_cast<std::size_t>(i)];
  for (int j = 0; !contact.friction.empty() && j < contact.friction[0].size; ++j)
    found.tangential[static_cast<std::size_t>(j)] = told(i)[ContactValues::tangential + j] / h_;
  return found;
}

const std::vector<ContactStates::Change>& ContactStates::take(const GridPoint& from, const GridPoint& to) {
  h_ = to.t - from.t;
  if (!to.contacts.empty()) {
    values_ = to.contacts;
  } else if (h_ > 0) {
    // An event has cut the step.
    engine_.dense->begin(from, h_);
    if (engine_.dense->at(1, cut_)) values_ = engine_.dense->contacts();
  }
  system_->look(to.t, to.state);
  changes_.clear();
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const ContactState before = std::exchange(state_[k], state_now(i));
    met_[k] = before == ContactState::open && state_[k] != ContactState::open &&
              told(i)[ContactValues::approach] < -part_of_rates * system_->rate_scale(system_->contacts()[k].normal);
    note(i, before);
  }
  tell_observed();
  return changes_;
}

void ContactStates::note(int i, ContactState was) {
  const ContactState is = state(i);
  // Nothing is listed of contacts that are closed from the start.
  const bool touched = std::exchange(touched_[static_cast<std::size_t>(i)], char(0)) != 0;
  if (touched && was == ContactState::open) return;
  const auto add = [&](const char* kind) { changes_.push_back({i, kind}); };
  if (met(i)) return add("impact");
  if (was != ContactState::open && is == ContactState::open) add("open");
  if (was == ContactState::open && is != ContactState::open) add("close");
  if (was == ContactState::sliding && is == ContactState::sticking) add("stick");
  if (was == ContactState::sticking && is == ContactState::sliding) add("slip");
}

}  // namespace alembert::internal
