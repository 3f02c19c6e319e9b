#include "alembert/run/contact_books.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/run/checkpoint.h"

namespace alembert::internal {

namespace {

// What each segment costs beside its steps is a copy of all that makes them.
constexpr int most_known = 40;

}  // namespace

ContactBooks::ContactBooks(const Engine& base, Report report, bool moves)
    : base_(base), report_(std::move(report)), moves_(moves), rubbed_(report_.contacts.size(), 0) {}

bool ContactBooks::asks_for_accuracy() const { return known_ < most_known; }

// The steps of the segments; what becomes of their errors another run tells.
void ContactBooks::add_accuracy(const Report& part) {
  if (!part.accuracy) return;
  ++known_;
  if (!report_.accuracy) {
    report_.accuracy = part.accuracy;
    return;
  }
  Accuracy& all = *report_.accuracy;
  if (part.accuracy->per_step > all.per_step) all.worst_t = part.accuracy->worst_t;
  all.per_step = std::max(all.per_step, part.accuracy->per_step);
  all.compared += part.accuracy->compared;
}

void ContactBooks::put_error(double error) {
  if (!report_.accuracy) report_.accuracy = Accuracy{.per_time = 0, .per_step = 0, .worst_t = report_.t, .compared = 0};
  report_.accuracy->per_time = std::min(1.0, error) / std::abs(report_.t - base_.t0);
}

void ContactBooks::begin(double energy) {
  report_.energy.initial = energy;
  last_ = energy;
}

void ContactBooks::impact(int contact, double lost, double supplied) {
  report_.contacts[static_cast<std::size_t>(contact)].dissipated += lost;
  account_.impacts += lost;
  account_.dissipated += lost;
  account_.supplied += supplied;
  off_ += lost - supplied;
}

void ContactBooks::set(double jump) {
  if (!report_.has_energy) return;
  (jump > 0 ? account_.supplied : account_.dissipated) += std::abs(jump);
  off_ -= jump;
}

double ContactBooks::unexplained() const {
  if (!report_.has_energy) return 0;
  const double moved =
      std::abs(report_.energy.initial) + std::abs(last_) + std::abs(account_.dissipated) + std::abs(account_.supplied);
  return moved > 0 ? std::abs(off_) / moved : 0;
}

int ContactBooks::creating() const {
  constexpr double much = 1e-4;  // of the energies; the account of friction is better than that
  double size = std::abs(report_.energy.initial) + std::abs(last_);
  for (const auto& contact : report_.contacts) size = std::max(size, std::abs(contact.dissipated));
  // In an impact of several contacts one of them may give what others take.
  for (std::size_t i = 0; i < rubbed_.size(); ++i)
    if (rubbed_[i] < -much * size) return static_cast<int>(i);
  return -1;
}

void ContactBooks::rub(int contact, double taken) {
  report_.contacts[static_cast<std::size_t>(contact)].dissipated += taken;
  rubbed_[static_cast<std::size_t>(contact)] += taken;
}

void ContactBooks::add_energy(const Report& part, const std::vector<int>& sliding, const WorkMeter* meter,
                              bool conserves) {
  if (!report_.has_energy) return;
  off_ += part.energy.initial - last_;  // what impacts did, against what their books say
  EnergyAccount own = part.account.value_or(EnergyAccount{0, 0, 0, part.energy.max_error});
  const double change = part.energy.final - part.energy.initial;
  // Where friction at one contact is all that does work, it took what is missing.
  if (conserves && sliding.size() == 1) {
    own.dissipated = -change;
    own.supplied = 0;
    rub(sliding[0], -change);
  } else if (meter) {
    for (std::size_t k = 0; k < sliding.size() && k < meter->friction().size(); ++k)
      rub(sliding[k], meter->friction()[k]);
    most_ = std::max(most_, meter->most_supplied());
    least_ = std::min(least_, meter->least_supplied());
  }
  account_.error = std::max(account_.error, std::abs(off_) + own.error);
  account_.dissipated += own.dissipated;
  account_.supplied += own.supplied;
  off_ += change - own.supplied + own.dissipated;
  account_.error = std::max(account_.error, std::abs(off_));
  last_ = part.energy.final;
}

void ContactBooks::add_watched(const Report& part) {
  Report& r = report_;
  if (first_) {
    r.invariants = part.invariants;
    r.observed = part.observed;
  }
  add_accuracy(part);
  for (std::size_t i = 0; i < part.invariants.size(); ++i) {
    Watched& all = r.invariants[i];
    const Watched& own = part.invariants[i];
    all.max_error = std::max(all.max_error, std::abs(own.initial - all.initial) + own.max_error);
    all.final = own.final;
  }
  for (std::size_t i = 0; i < part.observed.size(); ++i) {
    ObservedRange& all = r.observed[i];
    all.least = std::min(all.least, part.observed[i].least);
    all.most = std::max(all.most, part.observed[i].most);
    all.final = part.observed[i].final;
  }
  r.position = std::max(r.position, part.position);
  r.velocity = std::max(r.velocity, part.velocity);
  r.nonholonomic = std::max(r.nonholonomic, part.nonholonomic);
  for (const Warning& warning : part.warnings)
    if (std::none_of(r.warnings.begin(), r.warnings.end(), [&](const Warning& w) { return w.code == warning.code; }))
      r.warnings.push_back(warning);
}

void ContactBooks::add(const Report& part, const std::vector<int>& sliding, const WorkMeter* meter, bool conserves) {
  Report& r = report_;
  add_energy(part, sliding, meter, conserves);
  add_watched(part);
  const int own = static_cast<int>(base_.model.events.size());
  for (const EventRecord& record : part.events) {
    if (record.event >= own) continue;
    r.events.push_back(record);
    r.events.back().lambda.resize(base_.e.lambda.size());
    r.events.back().psi.resize(base_.e.psi.size());
    if (part.stopped == r.names.events[static_cast<std::size_t>(record.event)]) r.stopped = part.stopped;
  }
  r.smallest_step = r.steps == 0 ? part.smallest_step : std::min(r.smallest_step, part.smallest_step);
  r.largest_step = std::max(r.largest_step, part.largest_step);
  r.steps += part.steps;
  r.rejected += part.rejected;
  r.kinks += part.kinks;
  r.newton.iterations += part.newton.iterations;
  r.newton.factorizations += part.newton.factorizations;
  r.newton.evaluations += part.newton.evaluations;
  r.newton.factorization_sizes = part.newton.factorization_sizes;
  r.t = part.t;
  r.y = part.y;
  r.z = part.z;
  r.v = part.v;
  r.momentum = part.momentum;
  r.lambda.assign(part.lambda.begin(), part.lambda.begin() + static_cast<std::ptrdiff_t>(base_.e.lambda.size()));
  r.psi.assign(part.psi.begin(), part.psi.begin() + static_cast<std::ptrdiff_t>(base_.e.psi.size()));
  r.joints = part.joints;
  r.energy.final = part.energy.final;
  r.singular_positions.insert(r.singular_positions.end(), part.singular_positions.begin(),
                              part.singular_positions.end());
  if (part.ending != Ending::done) {
    r.ending = part.ending;
    r.reason = part.reason;
  }
  first_ = false;
}

/// What the last segment says is said again by the one in which the checkpoint lies.
void ContactBooks::archive(Archive& fields) {
  Report& r = report_;
  fields(account_, most_, least_, rubbed_, off_, last_, first_, known_);
  archive_report(fields, r);
  fields(r.energy, r.invariants, r.observed, r.accuracy, r.position, r.velocity, r.nonholonomic, r.rejected,
         r.newton.iterations, r.newton.factorizations, r.newton.evaluations);
  for (ContactReport& contact : r.contacts) fields(contact.impacts, contact.dissipated);
}

Report ContactBooks::finished() {
  if (report_.has_energy) {
    // A belt that only ever brakes is no damper.
    if (!moves_) count_as_damping(account_, most_, least_);
    report_.energy.max_error = account_.error;
    report_.drift = {0, INFINITY};
    report_.account = account_;
  }
  return std::move(report_);
}

}  // namespace alembert::internal
