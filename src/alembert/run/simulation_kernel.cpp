// Steps that the kernel makes many at a time. What a run adds up is lent to it; the engine looks at what is due by the
// number of a step, and makes the steps that are unusual.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/finite.h"
#include "alembert/base/profile.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

// Between two looks at interrupts.
constexpr long longest_stretch = 4096;
// Steps that are looked at one by one where something was unusual: a singular position is seen from three.
constexpr long slow_steps = 4;
// The engine makes so many steps where the kernel could not, twice as many each time where that comes again soon.
constexpr long shortest_wait = 4, longest_wait = 4096, soon = 64;

long in_kernel(KernelMotion& kernel, long most) {
  const During steps(Activity::kernel);
  return kernel.run(most);
}

}  // namespace

/// Some steps by the kernel. False where the engine has to make the next one.
bool Simulation::leap() {
  Flight& f = flight_;
  const StepControl::Ahead ahead = interrupted() ? StepControl::Ahead{} : control_->ahead();
  if (ahead.count < 1) {
    land();
    return false;
  }
  if (!f.flying && (f.wait-- > 0 || !take_off(ahead))) return false;
  if (f.slowly > 0) take_back();
  else if (!f.lent) lend();
  const long most = next_stretch(ahead);
  if (f.lent) f.begin = kernel_->row();
  const long made = in_kernel(*kernel_, most);
  f.since_start += made;
  const bool unusual = kernel_->status() != StepStatus::made;
  if (!f.lent) {
    if (made > 0) look_closely();
    f.slowly -= made;
  } else if (unusual || kernel_->pause() == StepProgram::Pause::other) {
    retrace(made);
  } else {
    settle(made);
  }
  if (!unusual || report_.ending != Ending::done) return true;
  f.pause = f.since_start < soon ? std::clamp(2 * f.pause, shortest_wait, longest_wait) : shortest_wait;
  f.wait = f.pause - 1;
  land();
  return made > 0;
}

bool Simulation::take_off(const StepControl::Ahead& ahead) {
  const std::span<const double> here = engine_.multipliers.at(point_.t, point_.state);
  if (!all_finite(here) || !engine_.watch.finite()) return false;
  const std::vector<double> rates(here.begin(), here.end());
  kernel_->begin(engine_.step, point_, rates, ahead.t0, ahead.n, ahead.h);
  kernel_->value(kernel_->program().first_energy) = engine_.watch.energy_watched.initial;
  flight_.flying = true;
  flight_.since_start = 0;
  flight_.slowly = 0;
  return true;
}

/// The next step is made by the engine.
void Simulation::land() {
  if (!flight_.flying) return;
  take_back();
  flight_.flying = false;
  const StepProgram::Ledger& ledger = kernel_->program().ledger;
  const auto iterations = static_cast<long>(kernel_->value(ledger.iterations));
  spent_.iterations += iterations;
  spent_.evaluations += iterations;
  spent_.factorizations += static_cast<long>(kernel_->value(ledger.factorizations));
  const std::span<const double> rates = engine_.multipliers.at(point_.t, point_.state);
  if (all_finite(rates)) engine_.step.restart(rates.data());
}

/// What the run adds up goes on in the kernel.
void Simulation::lend() {
  const StepProgram& p = kernel_->program();
  const Watch::Sums sums = engine_.watch.sums();
  kernel_->value(p.energy_error) = sums.energy_error;
  kernel_->value(p.position) = sums.position;
  kernel_->value(p.velocity) = sums.velocity;
  kernel_->value(p.nonholonomic) = sums.nonholonomic;
  const std::span<const double> longest = engine_.watch.longest();
  for (std::size_t i = 0; i < longest.size(); ++i)
    kernel_->value(p.ledger.longest + static_cast<int>(i)) = longest[i] * longest[i];
  kernel_->value(p.ledger.independence) = engine_.watch.independence() * engine_.watch.independence();
  const std::vector<Watched>& invariants = engine_.watch.invariants_watched();
  for (int i = 0; i < static_cast<int>(invariants.size()); ++i) {
    kernel_->value(p.ledger.first_invariant + i) = invariants[i].initial;
    kernel_->value(p.ledger.invariant + i) = invariants[i].final;
    kernel_->value(p.ledger.invariant_error + i) = invariants[i].max_error;
  }
  flight_.made_before = 0;
  flight_.lent = true;
}

/// The engine goes on from what the kernel has seen.
void Simulation::take_back() {
  if (!flight_.lent) return;
  flight_.lent = false;
  const StepProgram& p = kernel_->program();
  const std::size_t gradients = engine_.watch.longest().size();
  engine_.watch.take({kernel_->value(p.energy_error), kernel_->value(p.position), kernel_->value(p.velocity),
                      kernel_->value(p.nonholonomic)},
                     std::span<const double>(kernel_->row()).subspan(p.ledger.longest, gradients));
  std::vector<Watched>& invariants = engine_.watch.invariants_lent();
  for (int i = 0; i < static_cast<int>(invariants.size()); ++i) {
    invariants[i].final = kernel_->value(p.ledger.invariant + i);
    invariants[i].max_error = kernel_->value(p.ledger.invariant_error + i);
  }
  feed_rank();
  energy_ = engine_.watch.energy();
  in_view_ = true;
}

/// The last two points: three in a row tell whether a singular position was passed.
void Simulation::feed_rank() {
  if (flight_.made_before == 0) return engine_.watch.look_again(point_.t, point_.state);  // it has seen them all
  engine_.rank.forget();
  KernelMotion earlier = *kernel_;
  earlier.row() = flight_.before;
  earlier.run(flight_.made_before - 1);
  GridPoint at = point_;
  earlier.put(at);
  look_again(at);
  look_again(point_);
}

void Simulation::look_again(const GridPoint& at) {
  engine_.watch.look_again(at.t, at.state);
  engine_.rank.look(at.t, at.state);
}

/// How many steps may be made up to what is due next. Sets the bounds of what is usual.
long Simulation::next_stretch(const StepControl::Ahead& ahead) {
  const StepProgram::Ledger& ledger = kernel_->program().ledger;
  const auto set_bounds = [&](double residual, double energy, double prediction) {
    kernel_->value(ledger.residual_bound) = residual;
    kernel_->value(ledger.energy_bound) = energy;
    kernel_->value(ledger.prediction_bound) = prediction;
  };
  set_bounds(HUGE_VAL, HUGE_VAL, HUGE_VAL);
  if (!flight_.lent) return 1;
  long most = std::min({ahead.count, longest_stretch, engine_.watch.drift.room()});
  double surprised = HUGE_VAL;
  if (engine_.conservative) most = std::min(most, judge_->until_closer());
  if (every_ > 0 && rows_.wanted()) most = std::min(most, every_ - report_.steps % every_);
  if (samples_.any() && rows_.wanted()) {
    constexpr double rounding = 1e-6;  // of a step: in doubt it is the one with the sample
    const double before = std::floor((samples_.upcoming() - point_.t) / ahead.h - rounding);
    most = static_cast<long>(std::clamp(before, 1.0, static_cast<double>(most)));
  }
  const Checkpoint& asked = options_.checkpoint;
  if (!asked.path.empty() && asked.steps > 0)
    most = std::min(most, std::max(1L, asked.steps - (steps_so_far() - clock_.steps)));
  if (probe_) {
    const long compared = probe_->until_compared();
    most = std::min({most, probe_->until_look(), std::max(1L, compared - 1), twin_->stride()});
    if (compared > 1) surprised = probe_->surprised();
  }
  set_bounds(judge_->residual_bound(), judge_->energy_bound(), surprised);
  kernel_->value(ledger.sum_t) = engine_.watch.drift.sum_t();
  kernel_->value(ledger.sum_error) = engine_.watch.drift.sum_error();
  return most;
}

/// So many steps went as usual.
void Simulation::settle(long made) {
  GridPoint& to = next_[0];
  kernel_->put(to);
  report_.t = to.t;
  count(std::abs(to.t - point_.t) / static_cast<double>(made));
  report_.steps += made - 1;
  in_view_ = false;
  const StepProgram& p = kernel_->program();
  engine_.watch.drift.put(kernel_->value(p.ledger.sum_t), kernel_->value(p.ledger.sum_error), made);
  const bool closer = made == judge_->until_closer() || kernel_->pause() == StepProgram::Pause::energy;
  judge_->skip(made);
  std::string broken = closer ? judge_->look_closer(to, kernel_->value(p.energy)) : "";
  if (probe_) {
    probe_->skip(made - 1);
    probe_->follow(point_, to);
    twin_->follow(point_, to, made);
  }
  control_->pass(made);
  flight_.before.swap(flight_.begin);
  flight_.made_before = made;
  keep_rows(made);
  if (broken.empty()) return;
  take_back();
  end(Ending::failed, std::move(broken));
}

/// A step of the kernel that the engine looks at.
void Simulation::look_closely() {
  GridPoint& to = next_[0];
  kernel_->put(to);
  const bool kept = recorded_;
  pass(point_, to);
  recorded_ = kept;
  control_->pass(1);
  keep_rows(1);
}

/// So many steps, of which one was not usual or was followed by such a one, are made again under the eyes of the
/// engine.
void Simulation::retrace(long made) {
  kernel_->row() = flight_.begin;
  take_back();
  flight_.slowly = slow_steps;
  const StepProgram::Ledger& ledger = kernel_->program().ledger;
  for (const int bound : {ledger.residual_bound, ledger.energy_bound, ledger.prediction_bound})
    kernel_->value(bound) = HUGE_VAL;
  for (long i = 0; i < made && report_.ending == Ending::done; ++i) {
    kernel_->run(1);
    look_closely();
  }
}

/// Rows of the steps that were made up to next_[0], which becomes the present point.
void Simulation::keep_rows(long made) {
  GridPoint& to = next_[0];
  balance_.parted = false;
  const bool kept = std::exchange(recorded_, false);
  if (made == 1 && samples_.any()) {
    engine_.dense->begin(point_, to.t - point_.t);
    sample(point_, to, to.t, kept, row_due());
  }
  swap(point_, to);
  if (row_due()) keep(point_);
  if (!rows_.failure().empty()) end(Ending::failed, rows_.failure());
}

void Simulation::archive_flight(Archive& fields) {
  std::vector<double> row;
  if (kernel_) row = kernel_->row();
  const std::size_t size = row.size();
  fields(row, flight_);
  if (!fields.reading()) return;
  if (kernel_ && row.size() == size) {
    kernel_->row() = row;
  } else if (std::exchange(flight_.flying, false)) {  // left where there was a kernel
    const std::span<const double> rates = engine_.multipliers.at(point_.t, point_.state);
    if (all_finite(rates)) engine_.step.restart(rates.data());
  }
}

}  // namespace alembert::internal
