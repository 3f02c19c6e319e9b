#include "alembert/run/contact_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/error.h"
#include "alembert/run/contact_system.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

// Contacts that touch without force may go so far into each other, against their sizes, until they count as closed.
constexpr double slack_of_touch = 1e-10;

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
      opens_(engine.model.contacts.size(), char(0)),
      notes_(engine.model.contacts.size()),
      piece_begin_(engine.t0) {
  std::vector<Diagnostic> wrong;
  if (const auto backward = backward_with_contacts(engine.model, options.step)) wrong.push_back(*backward);
  if (options.steps.control == Control::reversible)
    wrong.push_back(
        at_contacts(engine.model, "`control` reversible does not go with contacts", "`control` tolerance does"));
  if (!wrong.empty()) throw InputError(std::move(wrong));
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
  fields(base_, *system_, books_, track_, mode_, t_, state_, parameters_, changes_, impacts_, opens_, notes_, closing_,
         event_t_, at_once_, jams_, largest_force_, turned_, breaks_, ended_, shortened_, piece_begin_, end_, spent_,
         handed_.steps, handed_.first, handed_.probes, handed_.rests, handed_.final, handed_.ends_on_grid,
         handed_.counts);
}

int ContactRun::frictions() const {
  int all = 0;
  for (const ContactLayout& c : system_->contacts()) all += static_cast<int>(c.friction.size());
  return all;
}

}  // namespace alembert::internal
