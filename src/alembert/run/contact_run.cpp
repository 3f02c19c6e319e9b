#include "alembert/run/contact_run.h"

#include <Eigen/QR>
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
// Impacts accumulate where the time that is left to their limit is below this part of a step, and below this time.
constexpr double accumulated_part = 1e-3, accumulated_time = 1e-5;
// Flights lower than this, against the sizes of the gap, are too low for their impacts to be found: ten times what
// rounding hides.
constexpr double lowest_flight = 3e-13;
// So many times between impacts must have had nearly the same ratio.
constexpr int steady_ratios = 3;
constexpr double same_ratio = 1e-2;
// A flight that is shorter than so many steps is looked at in two parts: else its impact would be missed.
constexpr double short_flight = 4;
// Slip in space turns fast where it ends: the steps halve from so many steps before on, and its direction stays for the
// last part of a step.
constexpr double near_stop = 3, last_of_stop = 1e-3;
// Slip in space that begins keeps its direction, anew after every short time, until it is this part of the velocities.
constexpr double slip_of_start = 1e-7;
// While slip may turn the time to its end is looked at again after so many steps, and after half of that time.
constexpr double steps_between_looks = 20;
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

std::vector<double> list_of(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

}  // namespace

ContactRun::ContactRun(Engine& engine, const SimulateOptions& options)
    : base_(engine),
      options_(options),
      e_([&] {
        const ModelLock lock;
        DeriveOptions same;
        for (const OpenParameter& parameter : engine.e.parameters) same.inputs.push_back(parameter.name);
        return derive(engine.model, same);
      }()),
      system_(std::make_unique<ContactSystem>(e_)),
      modes_(engine.model, engine.e, engine.method, engine_options(engine.e, options, engine.t0)),
      rows_(engine, *system_, options.observers),
      books_(engine, first_report(engine, options)),
      slack_(engine.model.contacts.size(), 0),
      t_(engine.t0),
      state_(engine.point().state),
      parameters_(engine.parameters),
      conserves_(engine.conservative && !moves_by_itself(e_)),
      impacts_(engine.model.contacts.size()),
      impacted_(engine.model.contacts.size(), false),
      notes_(engine.model.contacts.size()) {
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
  handed_.base = &engine;
  handed_.samples.emplace(options.at, options.sample, engine.t0, options.end);
  handed_.grid = engine.t0;
  handed_.own_events = static_cast<int>(engine.model.events.size());
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
  const std::vector<double> usual = base_.parameters;
  begin();
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
  base_.parameters = usual;
  Report& report = books_.report();
  report.t = t_;
  for (std::size_t i = 0; i < mode_.size(); ++i) report.contacts[i].state = word_of(state_of(mode_[i]));
  return books_.finished();
}

/// A run that fails has a row where it ended.
void ContactRun::last_row() {
  if (!rows_.wanted()) return;
  SimulateOptions part = options_;
  part.end = t_;
  part.progress = {};
  part.observers = {&rows_};
  handed_.row = true;
  handed_.announced.clear();
  Engine& engine = compiled_->engine;
  internal::begin(engine, t_, state_);
  Report report = first_report(engine, part);
  Simulation(engine, part, std::move(*handed_.samples), report, &handed_).run();
}

/// Up to the next event of a contact. False where the run ends.
bool ContactRun::segment() {
  compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  if (end_accumulations()) {
    if (!going_) return false;
    compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  }
  const double end = shared_end(piece_end());
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
  SimulateOptions part = options_;
  part.end = end;
  part.progress = {};
  part.observers.clear();
  if (rows_.wanted()) part.observers.push_back(&rows_);
  rows_.follow(*compiled_, mode_);
  std::copy(parameters_.begin(), parameters_.end(), base_.parameters.begin());
  // What rests has no size by which errors could be measured.
  const auto still = [](double x) { return [x](double v) { return std::abs(v) <= x; }; };
  const bool rests = std::all_of(state_.begin() + static_cast<std::ptrdiff_t>(e_.y.size()), state_.end(),
                                 still(1e-12 * modes_.acceleration * std::abs(options_.step))) &&
                     std::all_of(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(e_.z.size()),
                                 still(1e-12 * modes_.acceleration));
  if (rests) part.steps.control = Control::fixed;
  handed_.rests = rests;
  handed_.steps = books_.report().steps;
  if (part.steps.most_steps > 0) part.steps.most_steps = std::max(1L, part.steps.most_steps - handed_.steps);
  handed_.final = ended_ || end == options_.end;
  // At rest the range of motion says nothing about errors; the first segment in which something moves does.
  handed_.probes = !rests && !books_.report().accuracy;
  handed_.row = handed_.first || (handed_.final && t_ == end);
  handed_.counts.resize(engine.model.events.size(), 0);
  std::fill(handed_.counts.begin() + handed_.own_events, handed_.counts.end(), 0);
  engine.watch.restart();
  engine.observed.restart();
  const NewtonStatistics before = engine.step.statistics();
  Report report = first_report(engine, part);
  Simulation(engine, part, std::move(*handed_.samples), report, &handed_).run();
  report.newton.iterations -= before.iterations;
  report.newton.factorizations -= before.factorizations;
  report.newton.evaluations -= before.evaluations;
  return take(report, end);
}

/// Slip in space may turn too fast for a step: from where the segment failed it goes on with shorter ones.
bool ContactRun::can_retry(const Report& part) {
  const bool turning = std::any_of(mode_.begin(), mode_.end(), [](const ContactMode& m) {
    return m.closed && std::any_of(m.friction.begin(), m.friction.end(),
                                   [](const FrictionMode& f) { return f.kind == FrictionMode::Kind::turns; });
  });
  const double h = std::abs(options_.step);
  if (part.ending != Ending::failed || !turning || shortened_ < shortest_retry * h) return false;
  shortened_ = std::min(shortened_, h) / 4;
  return true;
}

/// What a segment says. False where the run ends.
bool ContactRun::take(Report& report, double end) {
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
  books_.add(report, sliding, engine.work ? engine.work->friction() : std::vector<double>(), conserves_);
  handed_.first = false;
  handed_.announced.clear();
  std::copy_n(handed_.parameters.begin(), parameters_.size(), parameters_.begin());
  t_ = report.t;
  state_ = joined<double>(report.y, report.z);
  if (options_.progress) options_.progress((t_ - base_.t0) / (options_.end - base_.t0));
  if (retry) return true;
  if (report.ending != Ending::done || !books_.report().stopped.empty()) return false;
  shortened_ = 2 * shortened_ > std::abs(options_.step) ? INFINITY : 2 * shortened_;
  // What the grid and an end differ by rounding alone is the same time.
  const double nearly = same_time * std::abs(options_.step);
  if (!nothing_missed() || !laws_hold()) return false;
  if (!report.stopped.empty()) {
    react(report);
  } else if (!closing_.empty() && t_ >= closing_t_ - nearly) {
    for (const int i : std::exchange(closing_, {})) add_event(i, "close");
    closing_t_ = INFINITY;
  } else if (breaks_ || std::abs(t_ - end) > nearly) {
    // Loads are not held any more, or a `when` acted.
    settle(Told(slack_.size(), frictions()), true);
  }
  if (std::abs(t_ - options_.end) <= nearly) ended_ = true;
  return going_ && (!ended_ || !handed_.announced.empty());
}

/// Whether all open gaps are still open.
bool ContactRun::nothing_missed() {
  look();
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (mode_[k].closed || system_->gap(i) >= -10 * slack_[k]) continue;
    fail("the contact '" + base_.model.contacts[k].name + "' was passed over before t = " + time_text(t_) +
         ", its gap is " + to_text(system_->gap(i)) + "; try a smaller step");
    return false;
  }
  return true;
}

void ContactRun::react(const Report& part) {
  const double same = 1e-13 * (std::abs(t_) + std::abs(options_.step));
  at_once_ = std::abs(t_ - event_t_) <= same ? at_once_ + 1 : 0;
  event_t_ = t_;
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
      case ModeEvent::Kind::force: told.opens[c] = true; break;
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
  if (!impact(told)) return;
  for (int i = 0; i < count(); ++i)
    if (impacted_[static_cast<std::size_t>(i)] && report) note_impact(i);
  choose_mode(told);
  if (!going_) return;
  project();
  if (report) announce(before);
}

void ContactRun::note_impact(int i) {
  Impacts& own = impacts_[static_cast<std::size_t>(i)];
  const double passed = t_ - std::exchange(own.t, t_);
  const double ratio = passed / std::exchange(own.passed, passed);
  const bool same = std::abs(ratio - own.ratio) <= same_ratio;
  own.ratio = ratio;
  own.steady = same && ratio < 1 ? own.steady + 1 : 0;
}

/// Closes contacts that bounce too low, or for too short a time. Whether there were some.
bool ContactRun::end_accumulations() {
  look();
  const std::vector<double> accelerated = system_->accelerations(compiled_->engine.multipliers.at(t_, state_));
  const double soon = std::min(accumulated_time, accumulated_part * std::abs(options_.step));
  std::vector<int> set;
  double after = 0;
  for (int i = 0; i < count(); ++i) {
    const Impacts& own = impacts_[static_cast<std::size_t>(i)];
    const double rate = system_->rate(contact(i).normal), a = accelerated[static_cast<std::size_t>(contact(i).normal)];
    // How high it goes is a size of the gap, also where all that is known of it is that it was closed.
    if (rate > 0 && a < 0) system_->reach(i, std::min(rate * rate / (-2 * a), rate * std::abs(options_.end - t_)));
    const bool leaves = std::abs(system_->gap(i)) <= lowest_flight * system_->gap_scale(i) && rate > 0 && a < 0;
    if (mode_[static_cast<std::size_t>(i)].closed || !leaves) continue;
    const bool steady = own.steady >= steady_ratios;
    const double ratio = steady ? own.ratio : system_->restitution(i);
    const double left = -2 * rate / a / (1 - ratio);
    const bool low = rate * rate / (-2 * a) < lowest_flight * system_->gap_scale(i);
    if (!low && !(steady && left < soon)) continue;
    set.push_back(i);
    if (std::isfinite(left)) after = std::max(after, left);
  }
  if (set.empty()) return false;
  close_accumulated(set, after);
  return true;
}

/// Contacts whose impacts accumulate lose what is left of their rates and stay closed.
void ContactRun::close_accumulated(const std::vector<int>& set, double after) {
  std::vector<int> rows;
  for (const int i : set) rows.push_back(contact(i).normal);
  for (int i = 0; i < count(); ++i)
    if (mode_[static_cast<std::size_t>(i)].closed) rows.push_back(contact(i).normal);
  Eigen::VectorXd rates(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) rates[static_cast<Eigen::Index>(k)] = system_->rate(rows[k]);
  const Eigen::MatrixXd D = system_->response(rows);
  const Eigen::VectorXd p = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(D).solve(-rates);
  const Eigen::VectorXd change = system_->change(rows, p) + friction_of_rest(set, p);
  for (std::size_t k = 0; k < set.size(); ++k) {
    const auto j = static_cast<Eigen::Index>(k);
    books_.impact(set[k], -p[j] * rates[j] / 2, -p[j] * system_->moving(rows[k]));
    impacts_[static_cast<std::size_t>(set[k])] = {};
  }
  for (Eigen::Index i = 0; i < change.size(); ++i) state_[e_.y.size() + static_cast<std::size_t>(i)] += change[i];
  const Mode before = mode_;
  closing_.insert(closing_.end(), set.begin(), set.end());
  closing_t_ = std::max(t_ + after, std::isfinite(closing_t_) ? closing_t_ : t_);
  impacted_.assign(impacted_.size(), false);
  choose_mode(Told(slack_.size(), frictions()));
  if (!going_) return;
  project();
  announce(before);
}

/// By the accelerations: forces are at least 0, friction in its cone.
void ContactRun::choose_mode(const Told& told) {
  look();
  std::vector<int> closed;
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool accumulated = std::find(closing_.begin(), closing_.end(), i) != closing_.end();
    const bool near = at_surface(i) || told.hit[k] || mode_[k].touches || accumulated;
    if (near && !told.opens[k] && (at_rest(contact(i).normal) || accumulated)) closed.push_back(i);
  }
  if (!sound_laws(closed)) return;
  if (closed.empty()) return take_mode(closed, {}, {});
  const std::optional<ConeProblem> problem = force_problem(closed, told);
  if (!problem) return fail("the accelerations are not determined at t = " + time_text(t_));
  const std::optional<ConeSolution> found = solve(*problem);
  if (!found) {
    if (jam(closed, *problem)) return choose_mode(Told(slack_.size(), frictions()));
    return;
  }
  take_mode(closed, *problem, *found);
}

/// The forces of contacts that stay closed; nothing where the accelerations without them are not determined.
std::optional<ConeProblem> ContactRun::force_problem(const std::vector<int>& closed, const Told& told) {
  const std::vector<int> rows = rows_of(closed);
  const std::span<const double> free = accelerations();
  if (!std::all_of(free.begin(), free.end(), [](double x) { return std::isfinite(x); })) return {};
  const std::vector<double> accelerated = system_->accelerations(free);
  ConeProblem problem = cone(closed, rows);
  for (std::size_t k = 0; k < rows.size(); ++k)
    problem.b[static_cast<Eigen::Index>(k)] = accelerated[static_cast<std::size_t>(rows[k])];
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const int i = closed[k];
    for (std::size_t j = 0; j < contact(i).friction.size(); ++j) {
      const auto f = static_cast<std::size_t>(system_->first_friction(i)) + j;
      ConeProblem::Tangent& t = problem.contacts[k].tangents[j];
      if (told.starts[f]) {
        t.slips = true;
        t.direction = told.direction[f];
      } else if (!told.stops[f]) {
        t.slips = slips(contact(i).friction[j], t.direction);
      }
    }
  }
  return problem;
}

void ContactRun::take_mode(const std::vector<int>& closed, const ConeProblem& problem, const ConeSolution& found) {
  for (ContactMode& mode : mode_) {
    mode.closed = false;
    mode.touches = false;
  }
  const double scale =
      found.w.size() > 0 ? std::max(problem.b.cwiseAbs().maxCoeff(), found.w.cwiseAbs().maxCoeff()) : 0;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const int i = closed[k];
    ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    mode.closed = found.contacts[k].active;
    mode.touches = !mode.closed && found.w[problem.contacts[k].normal] <= rounding_of_contacts * scale;
    for (std::size_t j = 0; j < mode.friction.size(); ++j) {
      const auto& state = found.contacts[k].tangents[j];
      const auto& t = problem.contacts[k].tangents[j];
      FrictionMode& own = mode.friction[j];
      std::array<double, 2> now{};
      const bool moves = slips(contact(i).friction[j], now);
      own.kind = !state.slips && !t.slips ? FrictionMode::Kind::sticks
                 : t.size > 1 && moves    ? FrictionMode::Kind::turns
                                          : FrictionMode::Kind::slips;
      own.direction = t.slips ? t.direction : state.direction;
      if (t.size == 1) own.direction = {own.direction[0] < 0 ? -1.0 : 1.0, 0};
    }
  }
  find_shared();
}

/// Closed gaps and what sticks to rounding, in the mass metric.
void ContactRun::project() {
  look();
  std::vector<int> normals, all;
  for (int i = 0; i < count(); ++i) {
    const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    if (!mode.closed) continue;
    normals.push_back(contact(i).normal);
    all.push_back(contact(i).normal);
    for (std::size_t j = 0; j < mode.friction.size(); ++j)
      for (int r = 0; mode.friction[j].kind == FrictionMode::Kind::sticks && r < contact(i).friction[j].size; ++r)
        all.push_back(contact(i).friction[j].first + r);
  }
  if (normals.empty()) return;
  const auto moved = [&](const std::vector<int>& rows, const Eigen::VectorXd& off) -> Eigen::VectorXd {
    const Eigen::MatrixXd D = system_->response(rows);
    return system_->change(rows, Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(D).solve(-off));
  };
  Eigen::VectorXd gaps(static_cast<Eigen::Index>(normals.size())), rates(static_cast<Eigen::Index>(all.size()));
  Eigen::Index k = 0;
  for (int i = 0; i < count(); ++i)
    if (mode_[static_cast<std::size_t>(i)].closed) gaps[k++] = system_->gap(i);
  const Eigen::VectorXd dy = system_->displacement(moved(normals, gaps));
  for (Eigen::Index i = 0; i < dy.size(); ++i) state_[static_cast<std::size_t>(i)] += dy[i];
  look();
  for (std::size_t i = 0; i < all.size(); ++i) rates[static_cast<Eigen::Index>(i)] = system_->rate(all[i]);
  const std::vector<double> dz = list_of(moved(all, rates));
  for (std::size_t i = 0; i < dz.size(); ++i) state_[e_.y.size() + i] += dz[i];
  look();
}

/// Slip that has begun in a constant direction gets the one in which friction and what pulls are in line, and that it
/// keeps to from then on: it turns faster than any step, and what stands across would swing. Its direction.
std::array<double, 2> ContactRun::align_slip(int i, std::size_t j, std::array<double, 2> direction) {
  std::vector<int> closed;
  for (int k = 0; k < count(); ++k)
    if (mode_[static_cast<std::size_t>(k)].closed) closed.push_back(k);
  Told told(slack_.size(), frictions());
  told.stops[static_cast<std::size_t>(system_->first_friction(i)) + j] = true;
  const std::optional<ConeProblem> problem = force_problem(closed, told);
  const std::optional<ConeSolution> found = problem ? solve(*problem) : std::nullopt;
  if (!found) return direction;
  const auto place = static_cast<std::size_t>(std::find(closed.begin(), closed.end(), i) - closed.begin());
  const ConeSolution::Tangent& wanted = found->contacts[place].tangents[j];
  if (!wanted.slips || wanted.direction[0] * direction[0] + wanted.direction[1] * direction[1] <= 0) return direction;
  std::vector<int> rows;
  for (const int k : closed) rows.push_back(contact(k).normal);
  const SlipRows& f = contact(i).friction[j];
  const double size = std::hypot(system_->rate(f.first), system_->rate(f.first + 1));
  Eigen::VectorXd off = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows.size()) + 2);
  for (int r = 0; r < 2; ++r) {
    off[static_cast<Eigen::Index>(rows.size())] =
        system_->rate(f.first + r) - size * wanted.direction[static_cast<std::size_t>(r)];
    rows.push_back(f.first + r);
  }
  const Eigen::VectorXd impulses =
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(system_->response(rows)).solve(-off);
  const Eigen::VectorXd change = system_->change(rows, impulses);
  for (Eigen::Index k = 0; k < change.size(); ++k) state_[e_.y.size() + static_cast<std::size_t>(k)] += change[k];
  look();
  return wanted.direction;
}

/// How far the segment goes at most; slip in space that begins or ends gets its direction.
double ContactRun::piece_end() {
  if (ended_) return t_;
  double end = std::min(options_.end, closing_t_);
  look();
  std::vector<double> accelerated = system_->accelerations(compiled_->engine.multipliers.at(t_, state_));
  const double h = std::abs(options_.step);
  const auto within = [&](double length) {
    if (t_ + length <= t_ || t_ + length >= end) return;
    end = t_ + length;
    handed_.ends_on_grid = false;
  };
  handed_.ends_on_grid = false;
  const auto on_grid = [&](double length) {
    const double steps = std::floor((t_ + length - base_.t0) / h * (1 + 1e-14));
    const double at = base_.t0 + steps * h;
    if (at <= t_ || at >= end) return;
    end = at;
    handed_.ends_on_grid = true;
  };
  bool changed = false;
  for (int i = 0; i < count(); ++i) {
    ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    const double rate = system_->rate(contact(i).normal);
    const double a = accelerated[static_cast<std::size_t>(contact(i).normal)];
    if (!mode.closed) {
      const double flight = a < 0 && rate > 0 && at_surface(i) ? -2 * rate / a : INFINITY;
      if (flight < short_flight * h) within(flight / 2);
      continue;
    }
    for (std::size_t j = 0; j < mode.friction.size(); ++j) {
      const SlipRows& f = contact(i).friction[j];
      FrictionMode& own = mode.friction[j];
      if (f.size == 1 || own.kind == FrictionMode::Kind::sticks) continue;
      std::array<double, 2> now{};
      const bool moves = slips(f, now);
      double size = 0, along = 0, across = 0, scale = 0;
      const double s1 = system_->rate(f.first), s2 = system_->rate(f.first + 1);
      const double a1 = accelerated[static_cast<std::size_t>(f.first)], a2 = accelerated[f.first + 1];
      size = std::hypot(s1, s2);
      scale = std::max(system_->rate_scale(f.first), system_->rate_scale(f.first + 1));
      along = size > 0 ? (s1 * a1 + s2 * a2) / size : 0;
      across = size > 0 ? std::abs(s1 * a2 - s2 * a1) / size : 0;
      const double stop = along < 0 ? -size / along : INFINITY;
      const bool begins = along >= 0 && size <= slip_of_start * scale;
      const FrictionMode::Kind kind =
          begins || stop < last_of_stop * h ? FrictionMode::Kind::slips : FrictionMode::Kind::turns;
      changed = changed || kind != own.kind || (moves && kind == FrictionMode::Kind::slips);
      if (own.kind == FrictionMode::Kind::slips && kind == FrictionMode::Kind::turns && along > 0)
        now = align_slip(i, j, now);
      own.kind = kind;
      if (moves) own.direction = now;
      if (begins) within(std::max(last_of_stop * h, size / std::hypot(a1, a2)));
      if (kind != FrictionMode::Kind::turns) continue;
      // Steps in which the slip grows many times over, or turns far, have no solution that Newton's method finds.
      const double change = size / std::hypot(a1, a2);
      if (change < h / 2) within(2 * change);
      if (across > 0 && size / across < 2 * h) within(size / across / 2);
      if (stop < near_stop * h) within(stop / 2);
      else on_grid(std::min(stop / 2, steps_between_looks * h));
    }
  }
  within(shortened_);
  if (changed) project();
  if (changed) compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  return end;
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
}

int ContactRun::frictions() const {
  int all = 0;
  for (const ContactLayout& c : system_->contacts()) all += static_cast<int>(c.friction.size());
  return all;
}

}  // namespace alembert::internal
