#include "alembert/run/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "alembert/base/profile.h"

namespace alembert::internal {

namespace {

constexpr double progress_pause = 0.1;  // seconds between two calls for progress
constexpr long progress_steps = 256;    // between two looks at the clock

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

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
  parameters_ = list(engine.parameters);
  counts_.assign(engine.model.events.size(), 0);
  acted_.resize(engine.model.events.size());
  if (engine.events) engine.events->begin(point_);
  if (engine.events && segment) engine.events->come_from(segment->sides);
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
  if (segment_) clock_ = segment_->clock;
  if (clock_.saved == 0) clock_.saved = started_;
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
    segment_->parameters = list(segment_->base->parameters);
    segment_->samples = std::move(samples_);
    segment_->clock = clock_;
  }
  std::copy(parameters_.begin(), parameters_.end(), engine_.parameters.begin());
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
               ": not all of these places end a step; try a smaller one",
           point_.t);
    if (count == 0) {
      explain();
      if (!segment_) keep(point_);
      return;
    }
    for (int i = 0; i < count && going; ++i) {
      if (twin_ && by_tolerance())
        twin_->follow(point_, next_[i], i + 1 == count ? control_->error() : std::span<const double>(),
                      control_->solved(i));
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
    const std::string jump =
        why.state.empty() ? "" : engine_.failure.jumps().explain(why.t, why.state, engine_.moves(why));
    const bool said = jump.empty() || control_->failure().ends_with(jump);
    return end(Ending::failed, control_->failure() + (said ? "" : "; " + jump));
  }
  std::string reason = engine_.failure.explain_step(why.result.newton, engine_.step.label(why.result), why.t, why.h,
                                                    why.state, engine_.longest(), engine_.moves(why));
  if (!light_.empty()) reason += "; " + light_;
  end(Ending::failed, std::move(reason));
}

bool Simulation::is_plain() const {
  const bool told = report_.has_energy && engine_.step.energy_change();
  if (segment_ && (segment_->arrived || segment_->refuses)) return false;
  return options_.steps.control == Control::fixed && options_.steps.most_steps == 0 && !rows_.wanted() && !told &&
         !report_.has_discrete && !engine_.observed.any() && !engine_.dense && !engine_.ports && !engine_.work &&
         engine_.e.auxiliary.empty();
}

// Whether the whole run ends here, and not a segment alone.
bool Simulation::closes(bool last) const {
  if (!segment_ || (segment_->arrived && !report_.stopped.empty())) return true;
  const bool by_user = std::any_of(report_.events.begin(), report_.events.end(), [&](const EventRecord& record) {
    return !report_.stopped.empty() && record.event < segment_->own_events &&
           engine_.model.events[record.event].name == report_.stopped;
  });
  return by_user || (last && segment_->final && report_.stopped.empty());
}

// Whether what happens in a kink at this point is for who goes on behind the segment.
bool Simulation::ends_in_kink(const GridPoint& to) const {
  return segment_ && segment_->stops_at_kinks && (to.kink || to.at_kink) && !to.before.empty();
}

// A segment that stops at kinks has the point in front of one as its last, but where an event of the model lies in it,
// or the run ends there.
bool Simulation::stop_at_kink(double kink, GridPoint& to, bool last) {
  if (!segment_) return false;
  segment_->kink.reset();
  segment_->sides.clear();
  if (!ends_in_kink(to) || (last && segment_->final)) return false;
  segment_->kink = kink;
  if (engine_.events) {
    const std::span<const int> sides = engine_.events->sides();
    segment_->sides.assign(sides.begin(), sides.begin() + segment_->own_events);
  }
  segment_->row_in_kink = false;
  if (!acting_.empty() || !report_.stopped.empty()) return true;
  segment_->row_in_kink = to.on_grid;
  to.t = to.t_before;
  to.state = to.before;
  to.kink = to.at_kink = to.on_grid = false;
  return true;
}

void Simulation::count_kink(const GridPoint& from) {
  ++report_.kinks;
  kink_times_.push_back(*segment_->kink);
  if (!segment_->row_in_kink) return;
  count(std::abs(*segment_->kink - from.t));
  segment_->row_in_kink = every_ > 0 && (report_.steps + segment_->steps) % every_ == 0;
}

// A new grid point. False where the run ends with it.
bool Simulation::arrive(const GridPoint& from, GridPoint& to, bool last) {
  const During watching(Activity::watching);
  if (segment_ && segment_->refuses && segment_->refuses(from, to)) {
    end(Ending::failed, "a slip in space turns too fast for the step behind t = " + time_text(from.t));
    return false;
  }
  if (plain_ && !last && !interrupted()) {
    pass(from, to);
    swap(point_, to);
    if (segment_ && segment_->passed) segment_->passed(point_);
    return report_.ending == Ending::done;
  }
  if (segment_ && last && !segment_->final) to.on_grid = segment_->ends_on_grid;
  const double kink = to.t;
  if (!between(from, to, last))
    end(Ending::failed, "the events between t = " + time_text(from.t) + " and " + time_text(to.t) +
                            " could not be found: part of the step has no solution; try a smaller step");
  const bool at_kink = stop_at_kink(kink, to, last);
  bool stopped = !report_.stopped.empty();
  bool acts = !acting_.empty();
  if (acts && to.t != options_.end) last = false;
  report_.t = to.t;
  const bool made = !((stopped || acts) && to.t == from.t);
  bool row = made && look(from, to, last);
  if (at_kink && !stopped && !acts) count_kink(from);
  if (probe_ && made && !stopped) follow(from, to);
  if (segment_) changing_ = std::exchange(segment_->acting, {});
  stopped = !report_.stopped.empty();
  acts = acts || !changing_.empty();
  if (acts && report_.ending == Ending::done) row = act(to, made) && row;
  // Where checkpoints are asked for, one is left first.
  if (interrupted() && (left_ || !leaves_checkpoints()))
    end(Ending::interrupted, "interrupted at t = " + time_text(report_.t));
  if (!rows_.failure().empty()) end(Ending::failed, rows_.failure());
  last = last || stopped;
  const long most = options_.steps.most_steps;
  if (!last && most > 0 && report_.steps >= most)
    end(Ending::failed, "the largest number of steps, " + std::to_string(most + (segment_ ? segment_->steps : 0)) +
                            ", was made at t = " + time_text(report_.t) + "; allow more with `most_steps`");
  const bool early = report_.ending != Ending::done || stopped;
  if (row || (early && (report_.ending != Ending::done || closes(last)))) keep(to);
  swap(point_, to);
  if (segment_ && segment_->passed && point_.on_grid && !stopped && !acts) segment_->passed(point_);
  if (acts && segment_ && !segment_->arrived) return false;  // what acts in the next segment is found out anew
  if (acts && !last && !early) go_on();
  return !last && !early && !at_kink;
}

}  // namespace alembert::internal
