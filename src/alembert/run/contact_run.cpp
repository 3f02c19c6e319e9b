#include "alembert/run/contact_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_system.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

// Contacts that touch without force may go so far into each other, against their sizes, until they count as closed.
constexpr double slack_of_touch = 1e-10;
// The part of a step that makes no difference of times: no step is that short.
constexpr double same_time = 1e-9;
// Steps that fail are shortened to this part, at least.
constexpr double shortest_retry = 1e-6;
// Events at the same time: more come from laws that contradict each other.
constexpr int most_at_once = 200;

/// Whether gaps or slips have rates where nothing else moves.
bool moves_by_itself(const Equations& e) {
  const Exprs time{e.t}, none(e.z.size(), e.graph->constant(0));
  for (const ContactFunctions& contact : e.contacts) {
    if (depends(contact.gap, time)) return true;
    for (const auto& friction : contact.friction)
      for (const Expr slip : substitute(friction.slip, e.z, none, *e.graph))
        if (!is_zero(slip)) return true;
  }
  return false;
}

}  // namespace

ContactRun::ContactRun(Engine& engine, const SimulateOptions& options)
    : ContactRun(engine, options,
                 std::make_shared<ContactModes>(engine.model, engine.e, engine.method,
                                                engine_options(engine.e, options, engine.t0))) {}

ContactRun::ContactRun(Engine& engine, const SimulateOptions& options, std::shared_ptr<ContactModes> modes)
    : base_(engine),
      options_(options),
      e_([&] {
        const ModelLock lock;
        DeriveOptions same;
        for (const OpenParameter& parameter : engine.e.parameters) same.inputs.push_back(parameter.name);
        return derive(engine.model, same);
      }()),
      system_(std::make_unique<ContactSystem>(e_)),
      compiled_modes_(std::move(modes)),
      modes_(*compiled_modes_),
      rows_(engine, *system_, options.observers),
      books_(engine, first_report(engine, options), moves_by_itself(e_)),
      track_(books_.report().names, e_.y.size(), engine.point().state),
      slack_(engine.model.contacts.size(), 0),
      t_(engine.t0),
      state_(engine.point().state),
      parameters_(engine.parameters.begin(), engine.parameters.end()),
      conserves_(engine.conservative && !moves_by_itself(e_)),
      changes_(engine.model),
      impacts_(engine.model.contacts.size()),
      impacted_(engine.model.contacts.size(), false),
      notes_(engine.model.contacts.size()),
      piece_begin_(engine.t0) {
  if (options.step < 0)
    throw InputError("contacts are followed forward in time only: an impact cannot be undone",
                     "take a positive `step`, or remove the contacts");
  if (options.steps.control == Control::reversible)
    throw InputError("`control` reversible does not go with contacts", "`control` tolerance does");
  system_->bind(parameters_.empty() ? nullptr : parameters_.data());
  for (const Contact& contact : engine.model.contacts) {
    ContactMode mode;
    for (const Friction& friction : contact.friction)
      mode.friction.push_back({FrictionMode::Kind::sticks, {}, friction.slip.size() > 1});
    mode_.push_back(std::move(mode));
  }
  if (!engine.model.contact_events.empty()) resets_.emplace(engine);
  handed_.base = &engine;
  handed_.samples.emplace(options.at, options.sample, engine.t0, options.end);
  handed_.grid = engine.t0;
  handed_.own_events = static_cast<int>(engine.model.events.size());
  handed_.passed = [this](const GridPoint& point) { track_.pass(point.t, point.state); };
  if (options.checkpoint.path.empty() && options.resume.empty()) return;
  handed_.signature = run_signature(engine, options);
  // In one piece: who goes on needs it before there is an engine for the rest.
  handed_.archive = [this](Archive& fields) {
    ByteWriter out;
    Archive own(out);
    if (!fields.reading()) archive(own);
    std::vector<std::byte> bytes = out.bytes();
    fields(bytes);
  };
}

ContactRun::~ContactRun() = default;

void ContactRun::look() { system_->look(t_, state_); }

const ContactLayout& ContactRun::contact(int i) const { return system_->contacts()[static_cast<std::size_t>(i)]; }

void ContactRun::fail(std::string reason) {
  going_ = false;
  Report& report = books_.report();
  if (report.ending != Ending::done) return;
  report.ending = Ending::failed;
  report.reason = std::move(reason);
}

void ContactRun::warn(const std::string& code, std::string text) {
  std::vector<Warning>& warnings = books_.report().warnings;
  if (std::any_of(warnings.begin(), warnings.end(), [&](const Warning& w) { return w.code == code; })) return;
  if (options_.strict) fail(text);
  warnings.push_back({code, std::move(text), t_});
}

bool ContactRun::at_surface(int i) const {
  return mode_[static_cast<std::size_t>(i)].closed ||
         std::abs(system_->gap(i)) <= rounding_of_gaps * system_->gap_scale(i);
}

bool ContactRun::at_rest(int row) const {
  return std::abs(system_->rate(row)) <= rounding_of_contacts * system_->rate_scale(row);
}

/// Whether something slips, and where to.
bool ContactRun::slips(const SlipRows& f, std::array<double, 2>& direction) const {
  double size = 0, scale = 0;
  for (int j = 0; j < f.size; ++j) {
    size = std::hypot(size, system_->rate(f.first + j));
    scale = std::max(scale, system_->rate_scale(f.first + j));
  }
  direction = {};
  for (int j = 0; j < f.size && size > 0; ++j)
    direction[static_cast<std::size_t>(j)] = system_->rate(f.first + j) / size;
  return size > rounding_of_contacts * scale;
}

/// Whether an open gap is being closed by its acceleration: one that opens without a force has none but for rounding.
bool ContactRun::falls(int i, double acceleration, std::span<const double> z_dot) const {
  constexpr double rounding = 10 * rounding_of_contacts;  // of forces that were found to be 0, in accelerations
  return acceleration < -rounding * system_->size_of_terms(contact(i).normal, z_dot);
}

/// Whether a contact that touched is open beyond doubt.
bool ContactRun::left(int i) {
  look();
  return system_->gap(i) > slack_[static_cast<std::size_t>(i)];
}

std::vector<int> ContactRun::rows_of(const std::vector<int>& contacts) const {
  std::vector<int> rows;
  for (const int i : contacts) {
    rows.push_back(contact(i).normal);
    for (const auto& f : contact(i).friction)
      for (int j = 0; j < f.size; ++j) rows.push_back(f.first + j);
  }
  return rows;
}

/// z' without any force of contacts.
std::span<const double> ContactRun::accelerations() {
  std::copy(parameters_.begin(), parameters_.end(), base_.parameters.begin());
  const std::span<const double> rates = base_.multipliers.at(t_, state_);
  for (std::size_t i = 0; i < e_.z.size(); ++i)
    if (std::isfinite(rates[i])) modes_.acceleration = std::max(modes_.acceleration, std::abs(rates[i]));
  // Where nothing would move at all, what joints, constraints and their friction hold is a measure.
  if (modes_.acceleration == 0) modes_.acceleration = system_->held_back(rates.subspan(e_.z.size()));
  return rates;
}

void ContactRun::begin() {
  look();
  require_outside(base_.model, *system_);
  for (std::size_t i = 0; i < slack_.size(); ++i)
    slack_[i] = slack_of_touch * std::max(system_->gap_scale(static_cast<int>(i)), 1e-3);
  base_.watch.glance(t_, state_);
  books_.begin(base_.watch.energy());
  settle(Told(slack_.size(), frictions()), false);
}

Report ContactRun::run() {
  follow();
  if (books_.report().ending == Ending::done && books_.report().steps > 0) assess();
  return books_.finished();
}

void ContactRun::follow() {
  const std::vector<double> usual(base_.parameters.begin(), base_.parameters.end());
  if (options_.resume.empty()) begin();
  else take_up();
  try {
    while (going_ && segment()) continue;
  } catch (const InputError& error) {
    const auto& first = error.diagnostics().at(0);
    fail("the motion cannot go on with these contacts at t = " + time_text(t_) + ": " + first.message);
  }
  if (books_.report().ending == Ending::failed && compiled_) last_row();
  try {
    rows_.finish();
  } catch (const WriteError& error) { fail(error.diagnostics().at(0).message); }
  std::copy(usual.begin(), usual.end(), base_.parameters.begin());
  Report& report = books_.report();
  report.t = t_;
  for (std::size_t i = 0; i < mode_.size(); ++i) report.contacts[i].state = word_of(state_of(mode_[i]));
}

/// A run that fails has a row where it ended.
void ContactRun::last_row() {
  if (!rows_.wanted()) return;
  SimulateOptions part = options_;
  part.end = t_;
  part.progress = {};
  part.resume.clear();
  part.observers = {&rows_};
  handed_.row = true;
  handed_.announced.clear();
  Engine& engine = compiled_->engine;
  internal::begin(engine, t_, state_);
  Report report = first_report(engine, part);
  Simulation(engine, part, std::move(*handed_.samples), report, &handed_).run();
}

/// What there is to know before the next segment, which goes to the next event of a contact at most. False where the
/// run ends.
bool ContactRun::begin_segment() {
  compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  if (!ended_ && end_accumulations()) {
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

/// From a checkpoint on, in the middle of a segment.
void ContactRun::take_up() {
  const std::vector<std::byte> content = checkpoint_content(options_.resume, handed_.signature);
  ByteReader in(content);
  Archive all(in);
  std::vector<std::byte> own;
  all(own);
  ByteReader from(own);
  Archive fields(from);
  archive(fields);
  from.finish();
  compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  look();
  resumes_ = true;
}

void ContactRun::archive(Archive& fields) {
  fields(slack_);
  modes_.archive(fields, slack_);
  fields(base_, *system_, books_, track_, mode_, t_, state_, parameters_, changes_, impacts_, notes_, closing_,
         closing_t_, event_t_, at_once_, jams_, largest_force_, turned_, breaks_, ended_, shortened_, piece_begin_,
         end_, spent_, handed_.steps, handed_.first, handed_.probes, handed_.rests, handed_.final, handed_.ends_on_grid,
         handed_.counts);
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
    const bool closes = !closing_.empty() && t_ >= closing_t_ - nearly;
    // Loads are not held any more, or a `when` acted, or a gap was at its end before anybody looked.
    const bool changes = breaks_ || (!closes && std::abs(t_ - end_) > nearly) || meets_unseen();
    if (closes) {
      for (const int i : std::exchange(closing_, {})) add_event(i, "close");
      closing_t_ = INFINITY;
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

std::string ContactRun::inside(int i) const {
  return "what is set at t = " + time_text(t_) + " lies inside the contact '" +
         base_.model.contacts[static_cast<std::size_t>(i)].name + "', by " + to_text(-system_->gap(i));
}

/// Whether an open gap is 0 and becomes negative: one that was below 0 by rounding does not pass through it any more.
bool ContactRun::meets_unseen() const {
  for (int i = 0; i < count(); ++i) {
    const int row = contact(i).normal;
    if (mode_[static_cast<std::size_t>(i)].closed || mode_[static_cast<std::size_t>(i)].touches) continue;
    if (system_->gap(i) <= 0 && at_surface(i) && system_->rate(row) < 0 && !at_rest(row)) return true;
  }
  return false;
}

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
    const bool accumulated = std::find(closing_.begin(), closing_.end(), i) != closing_.end();
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

/// What changes of contacts set, and what becomes of the contacts by it; the end of the run where one of them stops it.
void ContactRun::act() {
  while (going_) {
    const std::vector<int> changes = changes_.acting();
    if (changes.empty()) break;
    if (set(changes)) settle(Told(slack_.size(), frictions()), true);
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

int ContactRun::frictions() const {
  int all = 0;
  for (const ContactLayout& c : system_->contacts()) all += static_cast<int>(c.friction.size());
  return all;
}

}  // namespace alembert::internal
