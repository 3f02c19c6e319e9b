// What a run looks at in every grid point: energy, constraints, branch, rank, observed values and the account of the
// work.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/run/report_names.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

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

}  // namespace

void Simulation::begin_watching() {
  const GridPoint begin = segment_ && segment_->in_kink ? engine_.behind(point_) : point_;
  const double t0 = segment_ && segment_->in_kink ? begin.t : engine_.behind(point_.t);
  engine_.watch.look(t0, begin.state, {});
  observe(point_);
  energy_ = engine_.watch.energy();
  // Time stepping adds to the account what its contacts do, but in the end only.
  judge_.emplace(engine_, point_, !(segment_ && segment_->arrived));
  if (engine_.work) {
    engine_.work->restart();
    engine_.work->look(t0, begin.state, energy_ + taken(), engine_.multipliers);
  }
  const bool probes = !segment_ || segment_->probes;
  if (options_.steps.control == Control::fixed && probes)
    probe_.emplace(engine_, report_.names, count_steps(engine_.t0, options_.end, options_.step), options_.step, point_);
  const double steps = probe_ ? count_steps(engine_.t0, options_.end, options_.step) : 0;
  if (probe_ || (by_tolerance() && probes))
    twin_.emplace(engine_, report_.names, point_, steps, probe_ ? options_.step : 0);
  balance_ = {.t = point_.t, .parted = true};
  if (engine_.inputs.any()) times_.push_back(point_.t);
  in_view_ = true;
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
  const SolvedStep<double>* const run = solution_of(from, to);
  probe_->follow(from, to, run);
  twin_->follow(from, to, 1, run);
}

// What the engine has solved for this step; null where it was made otherwise, in parts, or by a kernel.
const SolvedStep<double>* Simulation::solution_of(const GridPoint& from, const GridPoint& to) {
  if (engine_.step.substeps() != 1 || !(probe_->looks_at_steps() || twin_->looks_at_steps())) return nullptr;
  engine_.step.solved(to.state.data(), solved_);
  return leads(solved_, from, to) ? &solved_ : nullptr;
}

// What a step that was made says. Whether its end has a row by its number.
bool Simulation::look(const GridPoint& from, GridPoint& to, bool last) {
  if (to.kink || to.at_kink) ++report_.kinks;
  if (engine_.torn)
    end(Ending::failed, "the constraints jump at t = " + time_text(engine_.torn->first) + ": they are off by " +
                            to_text(engine_.torn->second) +
                            " at once, and no motion follows that; lead there by a ramp (a `table`), or by a force or "
                            "torque");
  if (engine_.impulse)
    warn("impulse",
         "a constraint has a kink at t = " + time_text(*engine_.impulse) +
             ": the velocities jump there, as by an impulse; smooth it (a `spline` or `monotone` table) where the real "
             "motion has no such jump",
         *engine_.impulse);
  // The rest of a fixed step that was cut follows, and belongs to it.
  if (to.on_grid || by_tolerance()) count(std::abs(to.t - from.t));
  if (segment_ && segment_->arrived) {
    segment_->arrived(from, to);
    if (!segment_->failed.empty()) end(Ending::failed, std::exchange(segment_->failed, ""));
  }
  const bool stopped = !report_.stopped.empty();
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
  constexpr int parts = 5;  // six points with both ends: what the account's polynomial goes through
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
  // Steps by a tolerance are too long for the account of friction at contacts.
  const bool told = engine_.work && engine_.work->tells(to.work);
  const bool closely = engine_.work && !told && (engine_.work->few(to.t) || (segment_ && by_tolerance()));
  if (!time_stepping && engine_.dense && closely)
    look_between((to.kink || to.at_kink) && !to.before.empty() ? to.t_before : to.t);
  const bool ends = ends_in_kink(to);
  if (ends) engine_.watch.look(to.t_before, to.before, {});
  else engine_.watch.look(to.at_kink ? engine_.behind(to.t) : to.t, to.state, {});
  observe(to);
  take_balance(to);
  const bool at_kink = to.kink || to.at_kink;
  const bool parted = engine_.work && at_kink && !to.before.empty();
  if (parted) part_account(to);
  take_impulse();
  if (at_kink) kink_times_.push_back(to.t);
  if (engine_.work && !ends) {
    // In the kink itself a force that jumps would be seen from the other side.
    const double t = to.at_kink ? engine_.behind(to.t) : to.t;
    const double energy = engine_.watch.energy() + taken();
    if (told && !parted) engine_.work->take(t, to.state, energy, to.work, engine_.multipliers);
    else engine_.work->look(t, to.state, energy, engine_.multipliers);
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
  if (engine_.work->tells(to.work))
    engine_.work->take(to.t_before, to.before, before + taken(), to.work, engine_.multipliers);
  else engine_.work->look(to.t_before, to.before, before + taken(), engine_.multipliers);
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
  if (!engine_.watch.finite()) {
    const bool state_alone = !report_.has_energy && engine_.e.g.empty() && engine_.e.k.empty();
    end(Ending::failed, (state_alone ? "the state is" : "energy or constraints are") +
                            std::string(" not finite at t = ") + time_text(to.t) + "; try a smaller step");
  }
  std::string why = fine ? "" : judge_->broken(to);
  // First the cause: where the rank is lost, multipliers and energy grow without bound.
  if (seen == RankWatch::Rank::lost ||
      (!why.empty() && engine_.failure.loses_rank(point_.t, to.t - point_.t, point_.state, engine_.longest())))
    end(Ending::failed, engine_.failure.explain_rank(to.t, to.state, engine_.longest()));
  if (!why.empty()) end(Ending::failed, std::move(why));
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

}  // namespace alembert::internal
