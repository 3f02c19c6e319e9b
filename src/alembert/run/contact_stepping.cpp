#include "alembert/run/contact_stepping.h"

#include <cmath>
#include <utility>

#include "alembert/base/archive.h"
#include "alembert/error.h"
#include "alembert/newton/step_equations.h"
#include "alembert/run/contact_system.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

// Energy that contacts add is said above this part of what there is.
constexpr double part_of_energy = 1e-6;
// Changes of contacts that are listed: hundreds of spheres have many thousands, each with the whole state.
constexpr std::size_t most_events = 1000;

}  // namespace

ContactStepping::ContactStepping(Engine& engine, const SimulateOptions& options)
    : engine_(engine),
      options_(options),
      contacts_(engine, options.step),
      rows_(engine, contacts_.system(), options.observers),
      report_(first_report(engine, options)),
      changes_(engine.model),
      track_(report_.names, engine.e.y.size(), engine.point().state) {
  std::vector<Diagnostic> wrong;
  if (const auto backward = backward_with_contacts(engine.model, options.step)) wrong.push_back(*backward);
  if (options.steps.control != Control::fixed)
    wrong.push_back(at_contacts(engine.model, engine.method.name + " steps through contacts with steps of one size",
                                "leave out `control` and `tolerance`, or take a method that follows contacts from "
                                "event to event"));
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
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
  rows_.follow([this](int contact) { return contacts_.forces(contact); });
}

void ContactStepping::archive(Archive& fields) {
  fields(contacts_, impacts_, dissipated_, supplied_, changes_, track_, pushes_, changed_, segment_.taken,
         report_.note);
  for (ContactReport& contact : report_.contacts) fields(contact.impacts, contact.dissipated);
}

void ContactStepping::take(const GridPoint& from, const GridPoint& to) {
  const std::vector<ContactStates::Change>& changes = contacts_.take(from, to);
  for (int i = 0; i < contacts_.count(); ++i) {
    const double* const told = contacts_.told(i);
    const double lost = told[ContactValues::lost];
    ContactReport& own = report_.contacts[static_cast<std::size_t>(i)];
    own.dissipated += lost;
    dissipated_ += lost;
    supplied_ += told[ContactValues::supplied];
    segment_.taken += lost - told[ContactValues::supplied];
    if (contacts_.met(i)) {
      ++own.impacts;
      impacts_ += lost;
    }
    if (contacts_.state(i) == ContactState::open) continue;
    pushes_ = true;
    check_law(i, to);
  }
  changed_ = changed_ || !changes.empty();
  if (beside_) beside_->between(from.t, from.state, to.t, to.state);
  else if (to.on_grid) track_.pass(to.t, to.state);
  for (const ContactStates::Change& change : changes) add_event(change.contact, change.kind, to);
  segment_.acting = changes_.acting();
  if (report_.stopped.empty()) report_.stopped = changes_.stopped();
}

/// The numbers of the laws, where they are functions of the state: outside of their ranges the run ends.
void ContactStepping::check_law(int i, const GridPoint& at) {
  if (!segment_.failed.empty()) return;
  const Contact& c = engine_.model.contacts[static_cast<std::size_t>(i)];
  const double e = contacts_.system().restitution(i);
  if (!(e >= 0 && e <= 1))
    segment_.failed = "the restitution of '" + c.name + "' must be between 0 and 1, and is " + to_text(e) +
                      " at t = " + time_text(at.t);
  for (std::size_t k = 0; k < c.friction.size(); ++k) {
    const double mu = contacts_.system().coefficient(contacts_.system().first_friction(i) + static_cast<int>(k));
    if (!(mu >= 0))
      segment_.failed = "the coefficient of friction of '" + c.name + "' must not be negative, and is " + to_text(mu) +
                        " at t = " + time_text(at.t);
  }
}

void ContactStepping::warn(const char* code, std::string text) {
  if (options_.strict) {
    report_.ending = Ending::failed;
    report_.reason = text;
  }
  report_.warnings.push_back({code, std::move(text), report_.t});
}

void ContactStepping::add_event(int i, const char* kind, const GridPoint& to) {
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

/// What was left of the laws, and what is missing in the books.
void ContactStepping::warn_at_end() {
  const double size = std::abs(report_.energy.initial) + std::abs(report_.energy.final) + std::abs(dissipated_);
  if (report_.has_energy && dissipated_ < -part_of_energy * size)
    warn("energy",
         "impacts and friction have added energy, " + to_text(-dissipated_) + " in all: take a smaller `step`");
  const NewtonStatistics solved = engine_.step.statistics();
  if (solved.inexact > 0)
    warn("contact_laws", "the laws of contact and friction were not solved to rounding " +
                             std::to_string(solved.inexact) + " times: up to " + to_text(solved.largest_left) +
                             " of the largest force was left; compare with half the `step`");
}

Report ContactStepping::run() {
  follow();
  if (report_.ending == Ending::done && report_.steps > 0) {
    warn_at_end();
    assess();
  }
  close();
  return std::move(report_);
}

void ContactStepping::follow() {
  contacts_.begin(engine_.point());
  require_outside(engine_.model, contacts_.system());
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
}

void ContactStepping::close() {
  for (int i = 0; i < contacts_.count(); ++i)
    report_.contacts[static_cast<std::size_t>(i)].state = word_of(contacts_.state(i));
  if (!report_.has_energy) return;
  EnergyAccount account = report_.account.value_or(EnergyAccount{});
  account.impacts += impacts_;
  account.dissipated += dissipated_;
  account.supplied += supplied_;
  report_.account = account;
  report_.energy.max_error = account.error;
  report_.drift = {0, INFINITY};
}

}  // namespace alembert::internal
