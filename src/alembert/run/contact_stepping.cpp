#include "alembert/run/contact_stepping.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/archive.h"
#include "alembert/base/nth.h"
#include "alembert/error.h"
#include "alembert/newton/step_equations.h"
#include "alembert/run/contact_system.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

// Slip and approach below this part of the largest velocities seen are none.
constexpr double part_of_rates = 1e-9;
// Energy that contacts add is said above this part of what there is.
constexpr double part_of_energy = 1e-6;
// Changes of contacts that are listed: hundreds of spheres have many thousands, each with the whole state.
constexpr std::size_t most_events = 1000;

}  // namespace

ContactStepping::ContactStepping(Engine& engine, const SimulateOptions& options)
    : engine_(engine),
      options_(options),
      system_(std::make_unique<ContactSystem>(engine.e)),
      rows_(engine, *system_, options.observers),
      report_(first_report(engine, options)),
      changes_(engine.model),
      state_(engine.model.contacts.size(), ContactState::open) {
  if (options.step < 0)
    throw InputError("contacts are followed forward in time only: an impact cannot be undone",
                     "take a positive `step`, or remove the contacts");
  if (options.steps.control != Control::fixed)
    throw InputError(engine.method.name + " steps through contacts with steps of one size",
                     "leave out `control` and `tolerance`, or take a method that follows contacts from event to event");
  std::vector<Diagnostic> wrong;
  int first = 0;
  for (std::size_t i = 0; i < engine.model.contacts.size(); ++i) {
    const Contact& contact = engine.model.contacts[i];
    if (contact.poisson)
      wrong.push_back({engine.model.source, contact.place,
                       "the law of '" + contact.name + "' is Poisson's, and " + engine.method.name + " knows Newton's",
                       "leave out 'law poisson', or take a method that follows contacts from event to event"});
    for (const Friction& friction : contact.friction)
      if (!(friction.at_rest == friction.coefficient))
        wrong.push_back({engine.model.source, contact.place,
                         "'" + contact.name + "' sticks with another coefficient than it slides with, and " +
                             engine.method.name + " knows one",
                         "leave out 'static', or take a method that follows contacts from event to event"});
    first_.push_back(first);
    first += ContactValues::tangential;
    for (const Friction& friction : contact.friction) first += static_cast<int>(friction.slip.size());
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
  values_.assign(static_cast<std::size_t>(first), 0);
  system_->bind(engine.parameters.empty() ? nullptr : engine.parameters.data());
  rows_.follow([this](int contact) { return forces(contact); });
}

ContactStepping::~ContactStepping() = default;

void ContactStepping::archive(Archive& fields) {
  fields(*system_, state_, values_, h_, touched_, least_rate_, impacts_, dissipated_, supplied_, changed_, changes_,
         segment_.taken, report_.note);
  for (ContactReport& contact : report_.contacts) fields(contact.impacts, contact.dissipated);
}

ContactState ContactStepping::state_now(int i) const {
  const double* const told = values_.data() + first_[static_cast<std::size_t>(i)];
  if (!(told[ContactValues::impulse] > 0)) return ContactState::open;
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

ContactForces ContactStepping::forces(int i) const {
  ContactForces found;
  found.state = state_[static_cast<std::size_t>(i)];
  if (h_ == 0) return found;
  const double* const told = values_.data() + first_[static_cast<std::size_t>(i)];
  found.normal = told[ContactValues::impulse] / h_;
  const ContactLayout& contact = system_->contacts()[static_cast<std::size_t>(i)];
  for (int j = 0; !contact.friction.empty() && j < contact.friction[0].size; ++j)
    found.tangential[static_cast<std::size_t>(j)] = told[ContactValues::tangential + j] / h_;
  return found;
}

void ContactStepping::take(const GridPoint& from, const GridPoint& to) {
  h_ = to.t - from.t;
  if (!to.contacts.empty()) {
    values_ = to.contacts;
  } else if (h_ > 0) {
    // An event has cut the step.
    engine_.dense->begin(from, h_);
    if (engine_.dense->at(1, cut_)) values_ = engine_.dense->contacts();
  }
  system_->look(to.t, to.state);
  for (std::size_t k = 0; k < state_.size(); ++k) {
    const int i = static_cast<int>(k);
    const double* const told = values_.data() + first_[k];
    const ContactState before = std::exchange(state_[k], state_now(i));
    const double lost = told[ContactValues::lost];
    ContactReport& own = report_.contacts[k];
    own.dissipated += lost;
    dissipated_ += lost;
    supplied_ += told[ContactValues::supplied];
    segment_.taken += lost - told[ContactValues::supplied];
    const double approach = told[ContactValues::approach];
    const bool meets = before == ContactState::open && state_[k] != ContactState::open &&
                       approach < -part_of_rates * system_->rate_scale(system_->contacts()[k].normal);
    if (meets) {
      ++own.impacts;
      impacts_ += lost;
    }
    if (state_[k] != ContactState::open) check_law(i, to);
    announce(i, before, meets ? approach : 0, to);
  }
  segment_.acting = changes_.acting();
  if (report_.stopped.empty()) report_.stopped = changes_.stopped();
}

/// The numbers of the laws, where they are functions of the state: outside of their ranges the run ends.
void ContactStepping::check_law(int i, const GridPoint& at) {
  if (!segment_.failed.empty()) return;
  const Contact& c = engine_.model.contacts[static_cast<std::size_t>(i)];
  const double e = system_->restitution(i);
  if (!(e >= 0 && e <= 1))
    segment_.failed = "the restitution of '" + c.name + "' must be between 0 and 1, and is " + to_text(e) +
                      " at t = " + time_text(at.t);
  for (std::size_t k = 0; k < c.friction.size(); ++k) {
    const double mu = system_->coefficient(system_->first_friction(i) + static_cast<int>(k));
    if (!(mu >= 0))
      segment_.failed = "the coefficient of friction of '" + c.name + "' must not be negative, and is " + to_text(mu) +
                        " at t = " + time_text(at.t);
  }
}

void ContactStepping::announce(int i, ContactState was, double approach, const GridPoint& to) {
  const ContactState is = state_[static_cast<std::size_t>(i)];
  // Nothing is listed of contacts that are closed from the start.
  const bool touched = touched_[static_cast<std::size_t>(i)] != 0;
  touched_[static_cast<std::size_t>(i)] = 0;
  if (touched && was == ContactState::open) return;
  if (approach < 0) return add_event(i, "impact", to);
  if (was != ContactState::open && is == ContactState::open) add_event(i, "open", to);
  if (was == ContactState::open && is != ContactState::open) add_event(i, "close", to);
  if (was == ContactState::sliding && is == ContactState::sticking) add_event(i, "stick", to);
  if (was == ContactState::sticking && is == ContactState::sliding) add_event(i, "slip", to);
}

void ContactStepping::warn(const char* code, std::string text) {
  if (options_.strict) {
    report_.ending = Ending::failed;
    report_.reason = text;
  }
  report_.warnings.push_back({code, std::move(text), report_.t});
}

void ContactStepping::add_event(int i, const char* kind, const GridPoint& to) {
  changed_ = true;
  changes_.happened(i, kind, to.t);
  if (report_.events.size() >= most_events) {
    report_.note = "of the changes of contacts the first " + std::to_string(most_events) + " are listed";
    return;
  }
  EventRecord record;
  record.event = segment_.own_events + i;
  record.t = to.t;
  record.share = 1;
  record.state = to.state;
  record.lambda.resize(engine_.e.lambda.size());
  record.psi.resize(engine_.e.psi.size());
  engine_.motion.look(to.t, to.state);
  record.v.assign(engine_.motion.velocity().begin(), engine_.motion.velocity().end());
  record.kind = kind;
  report_.events.push_back(std::move(record));
}

/// What rests from the start has no size of its own: its rates are measured by what would become of them in a step
/// without contacts.
void ContactStepping::measure_rates(const GridPoint& start) {
  const std::vector<double> rates = system_->accelerations(engine_.multipliers.at(start.t, start.state));
  for (const ContactLayout& contact : system_->contacts()) {
    double most = std::abs(rates[static_cast<std::size_t>(contact.normal)]);
    for (const SlipRows& f : contact.friction)
      for (int j = 0; j < f.size; ++j) most = std::max(most, std::abs(rates[nth(f.first + j)]));
    least_rate_.push_back(std::isfinite(most) ? std::abs(options_.step) * most : 0);
  }
}

Report ContactStepping::run() {
  const GridPoint start = engine_.point();
  system_->look(start.t, start.state);
  require_outside(engine_.model, *system_);
  for (std::size_t i = 0; i < state_.size(); ++i) {
    const int k = static_cast<int>(i);
    touched_.push_back(system_->gap(k) <= rounding_of_gaps * system_->gap_scale(k));
  }
  measure_rates(start);
  segment_.base = &engine_;
  segment_.grid = engine_.grid_start;
  segment_.probes = false;
  segment_.rests = true;
  segment_.own_events = static_cast<int>(engine_.model.events.size());
  segment_.counts.assign(engine_.model.events.size(), 0);
  segment_.archive = [this](Archive& fields) { archive(fields); };
  segment_.arrived = [this](const GridPoint& from, const GridPoint& to) { take(from, to); };
  SimulateOptions options = options_;
  options.observers.clear();
  if (rows_.wanted()) options.observers.push_back(&rows_);
  Simulation(engine_, options, SampleTimes(options.at, options.sample, engine_.t0, options.end), report_, &segment_)
      .run();
  rows_.finish();
  const double size = std::abs(report_.energy.initial) + std::abs(report_.energy.final);
  const bool creates = report_.has_energy && dissipated_ < -part_of_energy * size;
  if ((changed_ || creates) && report_.ending == Ending::done)
    warn("stepping",
         engine_.method.name +
             " passes impacts and changes of friction within its steps, with order 1: how accurate the run is, "
             "it cannot say; compare with half the `step`, or with a method that goes from event to event" +
             (creates ? "; impacts and friction have added energy, " + to_text(-dissipated_) + " in all" : ""));
  for (std::size_t i = 0; i < state_.size(); ++i) report_.contacts[i].state = word_of(state_[i]);
  if (report_.has_energy) {
    EnergyAccount account = report_.account.value_or(EnergyAccount{});
    account.impacts += impacts_;
    account.dissipated += dissipated_;
    account.supplied += supplied_;
    report_.account = account;
    report_.energy.max_error = account.error;
    report_.drift = {0, INFINITY};
  }
  return std::move(report_);
}

}  // namespace alembert::internal
