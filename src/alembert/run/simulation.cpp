#include "alembert/run/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/base/profile.h"
#include "alembert/run/report_names.h"

namespace alembert::internal {

namespace {

constexpr double progress_pause = 0.1;  // seconds between two calls for progress
constexpr long progress_steps = 256;    // between two looks at the clock

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void add(EnergyBalance& balance, double predicted, double change) {
  ++balance.steps;
  balance.predicted += predicted;
  balance.actual += change;
  balance.max_change = std::max(balance.max_change, std::abs(change));
  balance.max_residual = std::max(balance.max_residual, std::abs(predicted - change));
}

// An angle is taken on the branch nearest to where the step began: half a turn is the end of what can be told, and a
// step of half of that leaves no doubt.
constexpr double doubtful_turn = 1.5707963267948966;

/// The name of an angle that a step turned so far that its branch is in doubt; "" where there is none.
std::string turned_too_far(const Equations& e, std::span<const double> from, std::span<const double> to) {
  const std::size_t own = e.y.size() - e.auxiliary.size();
  for (std::size_t i = 0; i < e.auxiliary.size(); ++i)
    if (e.auxiliary[i].sine && std::abs(to[own + i] - from[own + i]) > doubtful_turn) return e.y_names[own + i];
  return "";
}

std::vector<double> list(std::span<const double> values) { return {values.begin(), values.end()}; }

}  // namespace

Simulation::Simulation(Engine& engine, const SimulateOptions& options, SampleTimes samples, Report& report,
                       Segment* segment)
    : engine_(engine),
      options_(options),
      samples_(std::move(samples)),
      report_(report),
      segment_(segment),
      grid_(segment ? segment->grid : engine.grid_start),
      rows_(engine, options.observers),
      short_steps_(engine),
      light_(engine.light.explain(engine.t0, options.step, engine.point().state)),
      n_y_(engine.e.y.size()),
      every_(options.every.value_or(samples_.any() ? 0 : 1)),
      point_(engine.point()) {
  control_ = make_control(engine, options.steps, options.end, options.step, point_, grid_);
  if (!engine.e.actions.empty()) resets_.emplace(segment ? *segment->base : engine);
  parameters_ = engine.parameters;
  counts_.assign(engine.model.events.size(), 0);
  acted_.resize(engine.model.events.size());
  if (engine.events) engine.events->begin(point_);
  if (!engine.events_before.empty()) counts_ = engine.events_before;
  if (segment) counts_ = segment->counts;
  if (engine.events) engine.events->count_from(counts_);
  if (engine.ports) {
    engine.ports->look(engine.t0, point_.state, engine.initial.psi);
    report.port->first_energies = list(engine.ports->energies());
  }
  report.has_discrete = engine.step.has_discrete();
  if (!engine.method.claims.velocity) engine.watch.velocity_ranges.resize(engine.e.g.size());
  if (!light_.empty() && report.note.empty()) report.note = light_;
  plain_ = is_plain();
  if (engine.kernel && !segment && StepKernel::serves(options)) kernel_.emplace(engine.kernel, engine.parameters);
  next_[0] = point_;
  next_[1] = point_;
  if (options.resume.empty()) rows_.begin(report);
}

void Simulation::run() {
  started_ = now();
  saved_ = started_;
  {
    const During watching(Activity::watching);
    if (options_.resume.empty()) start();
    else take_up();
  }
  if (options_.end != engine_.t0) loop();
  if (kernel_) land();
  {
    const During writing(Activity::output);
    rows_.end();
  }
  if (!rows_.failure().empty()) end(Ending::failed, rows_.failure());
  report_.run_seconds = now() - started_;
  finish();
  if (report_.steps > 0 && report_.ending != Ending::failed) assess();
  if (segment_) {
    segment_->counts = counts_;
    segment_->parameters = segment_->base->parameters;
    segment_->samples = std::move(samples_);
  }
  std::copy(parameters_.begin(), parameters_.end(), engine_.parameters.begin());
}

void Simulation::begin_watching() {
  engine_.watch.look(engine_.behind(point_.t), point_.state, {});
  observe(point_);
  energy_ = engine_.watch.energy();
  judge_.emplace(engine_, point_);
  if (engine_.work) {
    engine_.work->restart();
    engine_.work->look(engine_.behind(point_.t), point_.state, energy_ + taken(), engine_.multipliers);
  }
  if (options_.steps.control == Control::fixed && (!segment_ || segment_->probes))
    probe_.emplace(engine_, report_.names, count_steps(engine_.t0, options_.end, options_.step), options_.step, point_);
  const double steps = probe_ ? count_steps(engine_.t0, options_.end, options_.step) : 0;
  if (probe_ || by_tolerance()) twin_.emplace(engine_, report_.names, point_, steps);
  balance_ = {.t = point_.t, .parted = true};
  if (engine_.inputs.any()) times_.push_back(point_.t);
  in_view_ = true;
}

void Simulation::start() {
  begin_watching();
  const bool row = every_ > 0 && (!segment_ || segment_->row);
  if (row) keep(point_);
  engine_.rank.look(point_.t, point_.state);
  take_samples(point_, point_, point_.t, row, row);
  if (!segment_) return;
  for (const int number : segment_->announced) {
    engine_.watch.glance(point_.t, point_.state);
    rows_.record_event(number, point_.t, point_.state, balance_);
  }
}

void Simulation::loop() {
  for (bool going = true; going;) {
    if (checkpoint_due()) leave_checkpoint();
    if (kernel_ && leap()) {
      going = report_.ending == Ending::done;
      if (going) progress();
      continue;
    }
    bool last = false;
    int count = 0;
    {
      const During stepping(Activity::stepping);
      count = control_->advance(point_, next_, last);
    }
    if (control_->crowded())
      warn("kinks",
           "forces switch more than 50 times in the step behind t = " + time_text(point_.t) +
               ": it goes over the last of them; try a smaller step",
           point_.t);
    if (count == 0) {
      explain();
      if (!segment_) keep(point_);
      return;
    }
    for (int i = 0; i < count && going; ++i) {
      if (twin_ && by_tolerance())
        twin_->follow(point_, next_[i], i + 1 == count ? control_->error() : std::span<const double>());
      going = arrive(point_, next_[i], last && i + 1 == count);
      if (!acting_.empty()) break;  // the motion goes on from somewhere else
    }
    if (going) progress();
  }
}

void Simulation::progress() {
  if (!options_.progress || report_.steps - shown_steps_ < progress_steps) return;
  shown_steps_ = report_.steps;
  const double elapsed = now() - started_;
  if (elapsed - shown_ <= progress_pause) return;
  shown_ = elapsed;
  options_.progress((report_.t - engine_.t0) / (options_.end - engine_.t0));
}

void Simulation::end(Ending ending, std::string reason) {
  if (report_.ending != Ending::done) return;
  report_.ending = ending;
  report_.reason = std::move(reason);
}

bool Simulation::warned(const std::string& code) const {
  return std::any_of(report_.warnings.begin(), report_.warnings.end(),
                     [&](const Warning& other) { return other.code == code; });
}

void Simulation::warn(const std::string& code, std::string text, double t) {
  if (warned(code)) return;
  if (options_.strict) end(Ending::failed, text);
  report_.warnings.push_back({code, std::move(text), t});
}

void Simulation::explain() {
  const FailedStep& why = engine_.maker.failed;
  if (!control_->failure().empty()) {
    const std::string jump = why.state.empty() ? "" : engine_.failure.explain_jump(why.t, why.state);
    return end(Ending::failed, control_->failure() + (jump.empty() ? "" : "; " + jump));
  }
  std::string reason = engine_.failure.explain_step(why.result.newton, engine_.step.label(why.result), why.t, why.h,
                                                    why.state, engine_.longest());
  if (!light_.empty()) reason += "; " + light_;
  end(Ending::failed, std::move(reason));
}

bool Simulation::is_plain() const {
  const bool told = report_.has_energy && engine_.step.energy_change();
  if (segment_ && segment_->arrived) return false;
  return options_.steps.control == Control::fixed && options_.steps.most_steps == 0 && !rows_.wanted() && !told &&
         !report_.has_discrete && !engine_.observed.any() && !engine_.dense && !engine_.ports && !engine_.work &&
         engine_.e.auxiliary.empty();
}

// The usual grid point: nobody waits for it.
void Simulation::pass(const GridPoint& from, GridPoint& to) {
  report_.t = to.t;
  count(std::abs(to.t - from.t));
  recorded_ = false;
  in_view_ = true;
  engine_.watch.look(to.t, to.state, {});
  const bool fine = judge_->fine();
  const RankWatch::Rank seen = engine_.rank.look(to.t, to.state);
  if (!fine || seen != RankWatch::Rank::kept) react(to, fine, seen);
  if (engine_.watch.turned()) check_branch(from, to);
  if (probe_) follow(from, to);
}

void Simulation::follow(const GridPoint& from, const GridPoint& to) {
  probe_->follow(from, to);
  twin_->follow(from, to);
}

// Whether the whole run ends here, and not a segment alone.
bool Simulation::closes(bool last) const {
  if (!segment_) return true;
  const bool by_user = std::any_of(report_.events.begin(), report_.events.end(), [&](const EventRecord& record) {
    return !report_.stopped.empty() && record.event < segment_->own_events &&
           engine_.model.events[record.event].name == report_.stopped;
  });
  return by_user || (last && segment_->final && report_.stopped.empty());
}

// A new grid point. False where the run ends with it.
bool Simulation::arrive(const GridPoint& from, GridPoint& to, bool last) {
  const During watching(Activity::watching);
  if (plain_ && !last && !interrupted()) {
    pass(from, to);
    swap(point_, to);
    return report_.ending == Ending::done;
  }
  if (segment_ && last && !segment_->final) to.on_grid = segment_->ends_on_grid;
  if (!between(from, to, last))
    end(Ending::failed, "the events between t = " + time_text(from.t) + " and " + time_text(to.t) +
                            " could not be found: part of the step has no solution; try a smaller step");
  const bool stopped = !report_.stopped.empty();
  const bool acts = !acting_.empty();
  if (acts && to.t != options_.end) last = false;
  report_.t = to.t;
  const bool made = !((stopped || acts) && to.t == from.t);
  bool row = made && look(from, to, last);
  if (probe_ && made && !stopped) follow(from, to);
  if (acts && report_.ending == Ending::done) row = act(to, made) && row;
  // Where checkpoints are asked for, one is left first.
  const bool leaves = !options_.checkpoint.path.empty() && !segment_ && !left_;
  if (interrupted() && !leaves) end(Ending::interrupted, "interrupted at t = " + time_text(report_.t));
  if (!rows_.failure().empty()) end(Ending::failed, rows_.failure());
  last = last || stopped;
  const long most = options_.steps.most_steps;
  if (!last && most > 0 && report_.steps >= most)
    end(Ending::failed, "the largest number of steps, " + std::to_string(most) +
                            ", was made at t = " + time_text(report_.t) + "; allow more with `most_steps`");
  const bool early = report_.ending != Ending::done || stopped;
  if (row || (early && (report_.ending != Ending::done || closes(last)))) keep(to);
  swap(point_, to);
  if (acts && segment_ && !segment_->arrived) return false;  // what acts in the next segment is found out anew
  if (acts && !last && !early) go_on();
  return !last && !early;
}

// What events set here, one after the other in the order of the text. False where that cannot be.
bool Simulation::act(GridPoint& at, bool looked) {
  if (!looked) engine_.watch.glance(at.t, at.state);
  for (const std::size_t i : acting_) {
    const Event& event = engine_.model.events[report_.events[i].event];
    const std::string wrong = resets_->apply(report_.events[i].event, at);
    if (wrong.empty()) continue;
    end(Ending::failed, "what '" + event.name + "' sets at t = " + time_text(at.t) + " cannot be: " + wrong);
    return false;
  }
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
  engine_.events->go_on(point_);
  judge_.emplace(engine_, point_);
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

// What a step that was made says. Whether its end has a row by its number.
bool Simulation::look(const GridPoint& from, GridPoint& to, bool last) {
  const bool stopped = !report_.stopped.empty();
  if (to.kink || to.at_kink) ++report_.kinks;
  if (engine_.impulse)
    warn("impulse",
         "a constraint has a kink at t = " + time_text(*engine_.impulse) +
             ": the velocities jump there, as by an impulse; smooth it (a `spline` or `monotone` table) where the real "
             "motion has no such jump",
         *engine_.impulse);
  if (to.on_grid) count(std::abs(to.t - from.t));
  if (segment_ && segment_->arrived) {
    segment_->arrived(from, to);
    if (!segment_->failed.empty()) end(Ending::failed, std::exchange(segment_->failed, ""));
  }
  const bool kept = std::exchange(recorded_, false);
  const bool ends = (last || stopped) && closes(last);
  const long steps = report_.steps + (segment_ ? segment_->steps : 0);
  const bool row = every_ > 0 && (ends || (to.on_grid && steps % every_ == 0));
  watch(to);
  if (engine_.watch.turned() && !(segment_ && segment_->arrived)) check_branch(from, to);
  if (!engine_.e.auxiliary.empty())
    if (const std::string angle = turned_too_far(engine_.e, from.state, to.state); !angle.empty())
      warn("turn",
           angle +
               " changes by more than a quarter of a turn in a step, and turns may be missed; take a smaller "
               "`step`",
           to.t);
  const double up_to = last && !stopped ? options_.end : to.t;
  if (engine_.watch.finite()) sample(from, to, up_to, kept, row);
  return row;
}

void Simulation::sample(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept) {
  if (!take_samples(from, to, up_to, from_kept, to_kept))
    end(Ending::failed, "the motion between t = " + time_text(from.t) + " and " + time_text(to.t) +
                            " could not be sampled: part of the step has no solution; try a smaller step");
}

void Simulation::check_branch(const GridPoint& from, const GridPoint& to) {
  // Steps by a tolerance turn the constraints by little more than one that resolves them, and often.
  constexpr int parts = 64, parts_by_tolerance = 8;
  if (warned("branch") || short_steps_.agree(from, to, by_tolerance() ? parts_by_tolerance : parts)) return;
  warn("branch",
       "short steps do not lead to where the step from t = " + time_text(from.t) + " to " + time_text(to.t) +
           " ends: it passes over a bend of the constraints, and may have come to another branch of them; try a "
           "smaller step",
       to.t);
}

void Simulation::count(double h) {
  ++report_.steps;
  if (engine_.inputs.any() && times_.size() <= TimeInputs::most_steps) times_.push_back(report_.t);
  report_.smallest_step = report_.steps == 1 ? h : std::min(report_.smallest_step, h);
  report_.largest_step = std::max(report_.largest_step, h);
}

// Segments and what lies between two kinks may be short: the account of the work has points inside their first steps.
void Simulation::look_between(double to) {
  constexpr int parts = 5;
  const double from = engine_.work->last_t();
  for (int i = 1; i < parts; ++i) {
    const double t = from + (to - from) * i / parts;
    if (!engine_.dense->at(engine_.dense->share(t), sampled_)) return;
    engine_.watch.glance(t, sampled_);
    engine_.work->look(t, sampled_, engine_.watch.energy(), engine_.multipliers);
  }
}

void Simulation::watch(const GridPoint& to) {
  in_view_ = true;
  const bool time_stepping = segment_ && segment_->arrived;
  if (!time_stepping && engine_.dense && engine_.work && engine_.work->few())
    look_between((to.kink || to.at_kink) && !to.before.empty() ? to.t_before : to.t);
  engine_.watch.look(to.at_kink ? engine_.behind(to.t) : to.t, to.state, {});
  observe(to);
  take_balance(to);
  const bool at_kink = to.kink || to.at_kink;
  if (engine_.work && at_kink && !to.before.empty()) part_account(to);
  take_impulse();
  if (at_kink) kink_times_.push_back(to.t);
  if (engine_.work) {
    // In the kink itself a force that jumps would be seen from the other side.
    const double t = to.at_kink ? engine_.behind(to.t) : to.t;
    engine_.work->look(t, to.state, engine_.watch.energy() + taken(), engine_.multipliers);
  }
  const bool fine = judge_->fine();
  react(to, fine, engine_.rank.look(to.t, to.state));
  if (engine_.work && engine_.work->lost() && report_.ending == Ending::done)
    end(Ending::failed, "what the forces do cannot be determined at t = " + time_text(to.t) +
                            ": no accelerations and reactions fit together there; a force that jumps with a "
                            "reaction may have no solution");
}

// Forces may jump in a kink: what was before is integrated for itself. The energy may jump too, by an impulse or where
// it depends on time.
void Simulation::part_account(const GridPoint& to) {
  constexpr double rounding = 1e-9;  // relative to the energy: what the forces do within the kink
  const double after = engine_.watch.energy();
  engine_.watch.glance(to.t_before, to.before);
  const double before = engine_.watch.energy();
  engine_.watch.glance(to.at_kink ? engine_.behind(to.t) : to.t, to.state);
  engine_.work->look(to.t_before, to.before, before + taken(), engine_.multipliers);
  const bool jumps = std::abs(after - before) > rounding * std::max(std::abs(after), std::abs(before));
  engine_.work->go_on(jumps ? after - before : 0);
  if (jumps) engine_.impulse_energy = after - before;
}

// What a kink did to the energy at once.
void Simulation::take_impulse() {
  const double jump = std::exchange(engine_.impulse_energy, 0);
  (jump > 0 ? gained_ : lost_) += std::abs(jump);
}

// What the watch has just seen at a point, where it is not as expected.
void Simulation::react(const GridPoint& to, bool fine, RankWatch::Rank seen) {
  if (!engine_.watch.finite())
    end(Ending::failed, "energy or constraints are not finite at t = " + time_text(to.t) + "; try a smaller step");
  if (!fine)
    if (std::string why = judge_->broken(to); !why.empty()) end(Ending::failed, std::move(why));
  if (seen == RankWatch::Rank::lost)
    end(Ending::failed, engine_.failure.explain_rank(to.t, to.state, engine_.longest()));
  if (seen == RankWatch::Rank::passed)
    report_.singular_positions.push_back({to.t, engine_.failure.dependence(to.t, to.state, engine_.longest()).words});
}

void Simulation::observe(const GridPoint& point) {
  if (!engine_.observed.any()) return;
  engine_.observed.look(point.t, point.state, engine_.multipliers);
  if (const std::string& words = engine_.observed.beyond(); !words.empty() && !warned("table"))
    warn("table", words, point.t);
  if (const int i = engine_.observed.undefined(); i >= 0)
    warn("undefined",
         "the observed value '" + flat_names(engine_.model.observed)[static_cast<std::size_t>(i)] +
             "' is no number at t = " + time_text(point.t) +
             ": its expression has no value there, or the reactions in it cannot be determined",
         point.t);
}

// The watch has just looked at the point.
void Simulation::take_balance(const GridPoint& point) {
  const double before = std::exchange(energy_, engine_.watch.energy());
  report_.discrete = std::max(report_.discrete, point.discrete);
  if (!report_.has_energy || !point.energy_change) {
    balance_.parted = false;
    return;
  }
  EnergyBalance& sums = report_.balance;
  add(sums, *point.energy_change, energy_ - before);
  if (!point.energy_parts) {
    balance_.parted = false;
    return;
  }
  sums.parted = true;
  sums.dissipated += point.energy_parts->first;
  sums.supplied += point.energy_parts->second;
  balance_ = {point.t, true, sums.dissipated, sums.supplied, energy_ - before - *point.energy_change};
}

// What happens inside a step: events, which may end it early, and rows. False where the dense output fails.
bool Simulation::between(const GridPoint& from, GridPoint& to, bool last) {
  acting_.clear();
  if (!engine_.dense) return true;
  engine_.dense->begin(from, to.t - from.t);
  if (!engine_.events) return true;
  if (!engine_.events->search(from, to, last, found_)) return false;
  if (engine_.events->unsure())
    warn("events",
         "an event comes so often in the step behind t = " + time_text(from.t) +
             " that not all of them may be found; try a smaller step",
         from.t);
  double share = 1;  // of the step that is left
  for (EventRecord& record : found_) {
    const Event& event = engine_.model.events[record.event];
    const bool enough = ++counts_[counter(event, record.event)] == event.stop_after;
    if (event.stop || enough || !event.actions.empty()) {
      cut(to, record);
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

// An event that acts again and again after shorter and shorter times: behind their limit it is not found any more.
void Simulation::look_for_accumulation(const Event& event, const EventRecord& record) {
  constexpr double much_shorter = 0.01;  // than a step
  constexpr int in_a_row = 4;
  Acted& last = acted_[record.event];
  const double passed = std::abs(record.t - std::exchange(last.t, record.t));
  last.shrinking = passed < last.passed ? last.shrinking + 1 : 0;
  last.passed = passed;
  if (last.shrinking >= in_a_row && passed < much_shorter * std::abs(options_.step))
    warn("accumulation",
         "'" + event.name + "' happens after shorter and shorter times near t = " + time_text(record.t) +
             ": what it sets comes to rest there, and what the run shows behind that is no result; let `stop` end it, "
             "or "
             "write a contact",
         record.t);
}

// kept: the grid points have rows of their own.
bool Simulation::take_samples(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept) {
  if (!samples_.any()) return true;
  const During writing(Activity::output);
  while (const std::optional<double> t = rows_.wanted() ? samples_.next(up_to) : std::nullopt) {
    const double h = to.t - from.t;
    // Within rounding of a grid point it is that point.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(to.t), std::abs(h));
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

void Simulation::finish() {
  const Watch& watch = engine_.watch;
  report_.rejected = rejected_ + control_->rejected();
  report_.comparisons = comparisons_ + control_->comparisons();
  report_.energy = watch.energy_watched;
  report_.drift = watch.drift.fit();
  if (engine_.work || gained_ > 0 || lost_ > 0) take_account();
  report_.position = watch.max_position;
  report_.velocity = watch.max_velocity;
  report_.nonholonomic = watch.max_nonholonomic;
  report_.velocity_ranges = watch.velocity_ranges;
  report_.invariants = watch.invariants_watched();
  report_.observed = engine_.observed.watched();
  NewtonStatistics newton = control_->statistics();
  newton.iterations += spent_.iterations;
  newton.factorizations += spent_.factorizations;
  newton.evaluations += spent_.evaluations;
  report_.newton = reported(newton);
  report_state();
  if (report_.steps > 0) report_internal();
}

// The error of the energy is what the account does not explain.
void Simulation::take_account() {
  EnergyAccount account = engine_.work ? engine_.work->account() : EnergyAccount{0, 0, 0, report_.energy.max_error};
  account.supplied += gained_;
  account.dissipated += lost_;
  if (report_.balance.parted) {
    account.dissipated = report_.balance.dissipated + lost_;
    account.supplied = report_.balance.supplied + gained_;
    account.error = std::abs(report_.energy.final - report_.energy.initial - account.supplied + account.dissipated);
  }
  report_.energy.max_error = account.error;
  report_.drift = {0, INFINITY};
  report_.account = account;
}

void Simulation::report_state() {
  const std::span<const double> state = point_.state;
  engine_.motion.look(report_.t, state);
  report_.momentum = list(engine_.motion.momentum());
  report_.v = list(engine_.motion.velocity());
  report_.y = list(state.first(n_y_));
  report_.z = list(state.subspan(n_y_));
  const std::span<const double> multipliers = engine_.multipliers.at(report_.t, state).subspan(report_.z.size());
  report_.lambda = list(multipliers.first(engine_.e.lambda.size()));
  report_.psi = list(multipliers.subspan(engine_.e.lambda.size()));
  if (engine_.ports) report_ports(report_.psi);
  report_.joints = engine_.joints.at(report_.t, state, report_.lambda, report_.psi);
}

void Simulation::report_ports(std::span<const double> psi) {
  engine_.ports->look(report_.t, point_.state, psi);
  PortReport& port = *report_.port;
  port.x = port_states(*engine_.model.port, report_.z, report_.psi);
  port.u = list(engine_.ports->inputs());
  port.y = list(engine_.ports->outputs());
  port.energies = list(engine_.ports->energies());
}

void Simulation::report_internal() {
  // A step that an event cut short was made once more, as long as it then was.
  const bool cut = !report_.stopped.empty() && report_.events.back().share > 0 && report_.events.back().share < 1;
  report_.internal = cut ? engine_.dense->internal() : control_->internal();
  report_.internal_names = engine_.step.internal_names();
}

}  // namespace alembert::internal
