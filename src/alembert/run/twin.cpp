#include "alembert/run/twin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/base/finite.h"

namespace alembert::internal {

namespace {

// The twin starts this far beside the run, relative to the state: far above rounding, far below what bends the motion.
constexpr double beside = 1e-7;
// So much of that in no direction of its own: the first error may lie along the motion, where nothing grows, while
// later ones do not (a body that spins about its middle axis).
constexpr double in_any_direction = 0.3;
// Where a step moves next to nothing: so far beside the run, relative to the state.
constexpr double above_rounding = 1000 * std::numeric_limits<double>::epsilon();
// Distances smaller than that, relative to the state, are lost in rounding.
constexpr double lost = 16 * std::numeric_limits<double>::epsilon();
// From this part of the range on distances do not grow as small ones do.
constexpr double parted = 1e-2;
// So many unknowns are solved for in a few milliseconds; a longer run may have this share of its steps made twice.
constexpr double free_unknowns = 4e4;
constexpr double share_of_steps = 0.04;
// Steps of a kernel take about a tenth of the time.
constexpr double kernel_steps = 10;
constexpr double share_of_fixed_steps = 0.01;  // beside which a companion goes too (accuracy.h)
// A longer step that ends farther from the run than this, relative to the range, is too long to follow its errors:
// perturbations of this size in every step let distances of regular motions grow, too, like their power 2/3 in a step.
// With 1e-3 Kepler's ellipses seem to be sensitive.
constexpr double near_run = 1e-6;
constexpr double longest_interval = 1 << 20;  // steps: far beyond any that could be near, and a whole number
// Fewer say nothing of a whole run: of systems so large errors are followed as far as a few steps go.
constexpr double fewest_intervals = 200;
// Intervals in a row that one step was good for, before they become longer.
constexpr int before_longer = 8;
// In intervals of fewer steps twin and copy together cost more than the twin alone beside the run, which has a guess
// from there, or is made by a kernel. It goes there then, and tries longer steps again after so many, twice as many
// each time.
constexpr long shortest_interval = 4, shortest_for_kernels = 20, first_steps_beside = 64;
// What errors are multiplied with where nothing of a motion is left to be known.
constexpr double all_lost = 1e15;
// Distances that were made smaller by this are known to be lost.
constexpr double enough = 1e100;
// Steps of the twin are solved for to this part of its distance, and the last correction takes more than that off: in
// the few thousand steps that it makes not even all of it in one direction would look like growth.
constexpr double rough_part = 1e-4;
// The same for as many steps as a run has.
constexpr double finer_part = 1e-5;
// Nearer than this, relative to the state, rounding is the measure.
constexpr double nearest = 1e-11;
// What an error does depends on where it is made: near the top of a swing it hardly changes the energy, at the bottom
// it does. The twin is pushed along the motion where that has become this much faster: what it says is then off by no
// more than that.
constexpr double much_faster = 3;
// Nearer to the run than this, relative to the range, where it meets a kink is a matter of rounding.
constexpr double too_near = 1e-10;
// So many steps next to kinks the twin makes, fewer of large systems: each takes a copy of all that a run has.
constexpr double most_crossed = 200, crossing_unknowns = 1e4;

/// Whether the twin may stand on the other side of a kink than the run at an end of this step.
bool next_to_kink(const GridPoint& from, const GridPoint& to) {
  return from.kink || from.at_kink || to.kink || to.at_kink || to.off_kink;
}

}  // namespace

bool leads(const SolvedStep<double>& step, const GridPoint& from, const GridPoint& to) {
  constexpr double same = 1e-9;  // of a step
  const double h = to.t - from.t;
  return step.h != 0 && step.t == from.t && std::abs(step.h - h) <= same * std::abs(h);
}

Twin::Twin(const Engine& engine, const ReportNames& names, const GridPoint& start, double steps, double h)
    : engine_(engine),
      multipliers_(engine.multipliers),
      n_y_(engine.e.y.size()),
      ranges_(names, n_y_, start.state),
      h_(h),
      t0_(start.t),
      t_(start.t),
      sum_(start.state.size(), 0),
      largest_(start.state.size(), 0) {
  const double budget = free_unknowns / std::max(1, engine.step.unknowns());
  // Longer steps would pass over kinks.
  if (steps > free_steps() && budget >= fewest_intervals && !engine.kinks)
    longest_ = interval_ = static_cast<long>(std::min(std::ceil(2 * steps / budget), longest_interval));
  shortest_ = std::min(engine.kernel ? shortest_for_kernels : shortest_interval, longest_);
}

// That it may make without being counted against those of the run.
double Twin::free_steps() const {
  return (engine_.kernel && h_ != 0 ? kernel_steps : 1) * free_unknowns / std::max(1, engine_.step.unknowns());
}

void Twin::follow(const GridPoint& from, const GridPoint& to, std::span<const double> error,
                  const SolvedStep<double>* run) {
  ++n_;
  t_ = to.t;
  ranges_.add(to.state);
  double size = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    sum_[i] += std::abs(error[i]);
    largest_[i] = std::max(largest_[i], std::abs(error[i]));
    size = std::max(size, std::abs(error[i]));
  }
  if (size > worst_) {
    worst_ = size;
    worst_t_ = to.t;
  }
  if (step_) {
    go_along(from, to, run);
    return kick(to);
  }
  if (!done_ && size > 0) begin(to, error);
}

void Twin::archive(Archive& fields) {
  bool there = step_.has_value();
  fields(there);
  if (!there) step_.reset();
  else if (!step_) step_ = engine_.step.clone();
  if (step_) fields(*step_);
  archive_motion(fields, kernel_, engine_);
  fields(multipliers_, ranges_, t_, n_, sum_, largest_, worst_, worst_t_, kicked_, done_, at_, last_, made_, followed_,
         crossed_, prolonged_, checked_, interval_, longest_, beside_left_, steps_beside_, since_, in_one_, sync_,
         beside_, factor_, seen_);
}

void Twin::begin_step(std::span<const double> rates) {
  step_ = engine_.step.clone();
  step_->begin(rates.data());
  kernel_.reset();
  last_.h = 0;
  made_ = 0;
}

// Beside the run, mostly in the direction of an error that was made.
void Twin::begin(const GridPoint& at, std::span<const double> direction) {
  const std::span<const double> here = multipliers_.at(at.t, at.state);
  double most = 0, size = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    most = std::max(most, std::abs(direction[i]));
    size = std::max(size, std::abs(at.state[i]));
  }
  if (!all_finite(here) || size == 0) return;
  begin_step(here);
  at_ = at;
  const std::vector<double> scales = ranges_.scales();
  const double range = *std::max_element(scales.begin(), scales.end());
  for (std::size_t i = 0; i < direction.size(); ++i) {
    const double any = range > 0 ? in_any_direction * scales[i] / range * std::cos(1.0 + static_cast<double>(i)) : 0;
    at_.state[i] += beside * size * (direction[i] / most + any);
  }
  seen_.push_back(distance(at));
}

// Beside the run in no direction of its own, measured by what a step moves.
void Twin::begin_anywhere(const GridPoint& from, const GridPoint& to) {
  const std::span<const double> here = multipliers_.at(from.t, from.state);
  if (!all_finite(here)) return end();
  double moved[2] = {0, 0}, size[2] = {0, 0};
  for (std::size_t i = 0; i < to.state.size(); ++i) {
    const int kind = i < n_y_ ? 0 : 1;
    moved[kind] = std::max(moved[kind], std::abs(to.state[i] - from.state[i]));
    size[kind] = std::max(size[kind], std::abs(from.state[i]));
  }
  // Nothing moves yet, or rounding alone: what is fixed has velocities of 1e-32.
  const double nothing = lost * size[0];
  if (moved[0] <= nothing && moved[1] * std::abs(to.t - from.t) <= nothing) return;
  begin_step(here);
  at_ = from;
  for (std::size_t i = 0; i < to.state.size(); ++i) {
    const int kind = i < n_y_ ? 0 : 1;
    at_.state[i] +=
        std::max(beside * moved[kind], above_rounding * size[kind]) * std::cos(1.0 + static_cast<double>(i));
  }
  seen_.push_back(distance(from));
}

// From here on it goes beside the run as one does that was pushed along the motion. What was wrong before has become
// what the twin has seen.
void Twin::kick(const GridPoint& to) {
  if (!step_) return;
  double speed = 0;
  for (std::size_t i = n_y_; i < to.state.size(); ++i) speed = std::max(speed, std::abs(to.state[i]));
  if (speed <= much_faster * kicked_) return;
  const double before = std::exchange(kicked_, speed);
  if (before == 0) return;
  const double factor = amplification(t_);
  for (double& error : sum_) error *= factor;
  seen_.clear();
  factor_ = 1;
  std::vector<double> along(to.state.size(), 0);
  std::copy(to.state.begin() + static_cast<long>(n_y_), to.state.end(), along.begin() + static_cast<long>(n_y_));
  begin(to, along);
}

// A motion that begins at rest moves next to nothing in its first step, and the twin began that near.
void Twin::begin_farther(const GridPoint& from, const GridPoint& to) {
  checked_ *= 2;
  const auto far = [&, to = ranges()](const Distance& d) { return relative(d, to) > too_near; };
  if (std::any_of(seen_.begin(), seen_.end(), far)) return;
  std::vector<double> along(to.state.size());
  for (std::size_t i = 0; i < along.size(); ++i) along[i] = to.state[i] - from.state[i];
  if (std::all_of(along.begin(), along.end(), [](double x) { return x == 0; })) return;
  seen_.clear();
  begin(from, along);
}

void Twin::end() {
  step_.reset();
  kernel_.reset();
  done_ = true;
}

void Twin::jumped(const GridPoint& at) {
  ranges_.add(at.state);
  sync_ = at;
  since_ = 0;
  if (!step_ || beside_.empty()) return;
  at_ = at;
  for (std::size_t i = 0; i < at.state.size(); ++i) at_.state[i] += beside_[i];
  last_.h = 0;
  made_ = 0;
}

void Twin::follow_fixed(const GridPoint& from, const GridPoint& to, long steps, const SolvedStep<double>* run) {
  n_ += steps;
  t_ = to.t;
  ranges_.add(to.state);
  if (longest_ > 1) return follow_far(from, to, steps, run);
  if (!step_) begin_anywhere(from, to);
  else if (n_ >= checked_) begin_farther(from, to);
  if (!step_) return;
  if (factor_ > enough) return end();
  const double budget = std::max(free_steps(), share_of_fixed_steps * static_cast<double>(n_));
  if (static_cast<double>(followed_) > prolonged_ * budget && !prolong()) return;
  if (next_to_kink(from, to)) {
    if (!engine_.e.actions.empty()) return jumped(to);  // which events set something is the run's to say
    if (!cross_kink(from, to)) return end();
    followed_ += steps;
  } else if (!go_beside(from, to, steps, run)) {
    return end();
  }
  compare(to);
}

// Exponential growth is not extrapolated while it can be seen, and there is something left to lose.
bool Twin::prolong() {
  const bool goes_on = growth() != 0 && amplification(t_) <= all_lost;
  if (goes_on) prolonged_ *= 2;
  else end();
  return goes_on;
}

// The steps that the run has made.
bool Twin::go_beside(const GridPoint& from, const GridPoint& to, long steps, const SolvedStep<double>* run) {
  const double h = length_of(from.t, to.t, steps, h_) / static_cast<double>(steps);
  for (long i = run ? 0 : leap(steps, h); i < steps; ++i) {
    if (!advance(h, run)) return false;
    at_.t += h;
  }
  followed_ += steps;
  at_.t = to.t;
  return true;
}

void Twin::follow_far(const GridPoint& from, const GridPoint& to, long steps, const SolvedStep<double>* run) {
  if (!step_) {
    begin_anywhere(from, to);
    if (!step_) return;
    sync_ = from;
    beside_.resize(from.state.size());
    for (std::size_t i = 0; i < beside_.size(); ++i) beside_[i] = at_.state[i] - from.state[i];
  }
  since_ += steps;
  if (since_ < interval_) return;
  const double budget = free_unknowns / std::max(1, engine_.step.unknowns());
  const double most = 4 * budget + share_of_steps * static_cast<double>(n_);
  if (static_cast<double>(followed_) > prolonged_ * most && !prolong()) return;
  if (beside_left_ > 0 ? !go_beside(from, to, steps, run) : !follow_in_parts(to)) return end();
  compare(to);
  since_ = 0;
  sync_ = to;
  if (factor_ > enough) return end();
  if (beside_left_ == 0 || (beside_left_ -= steps) > 0) return;
  beside_left_ = 0;
  interval_ = shortest_;
  if (amplification(t_) > all_lost) end();
}

// In one step from where the run stood last, or in as many as it takes, from which the next interval follows.
bool Twin::follow_in_parts(const GridPoint& to) {
  long parts = 1;
  if (engine_.kinks) {
    // Kinks lie between.
    free_.assign(engine_.parameters.begin(), engine_.parameters.end());
    free_.resize(free_.size() + engine_.sides.size());
    engine_.kinks->let_go(std::span(free_).last(engine_.sides.size()));
    step_->bind(free_.data());
  }
  while (parts <= since_ && !go_far(to, parts)) parts = parts < since_ ? std::min(2 * parts, since_) : since_ + 1;
  if (engine_.kinks) step_->bind(engine_.parameters.data());
  if (parts > since_) return false;
  if (parts > 1) interval_ /= 2;
  in_one_ = parts > 1 ? 0 : in_one_ + 1;
  if (in_one_ >= before_longer) {
    interval_ = std::min(2 * interval_, longest_);
    in_one_ = 0;
  }
  if (interval_ < shortest_) {
    interval_ = 1;
    beside_left_ = steps_beside_ = std::max(first_steps_beside, 2 * steps_beside_);
    step_->be_brief(false);
    step_->carry_on(at_.carried);
    made_ = 0;
  }
  return true;
}

// The twin meets the kink at a time of its own. The run may have made several parts of a step since it stood there.
bool Twin::cross_kink(const GridPoint& from, const GridPoint& to) {
  const double most = std::min(most_crossed, crossing_unknowns / std::max(1, engine_.step.unknowns()));
  if (static_cast<double>(++crossed_) > most) return false;
  at_.t = from.t;
  at_.carried = from.carried;
  Companion beside(engine_, at_, to.t - from.t);
  if (!beside.ready() || !beside.advance(to.t)) return false;
  at_.state = beside.point().state;
  at_.compensation = beside.point().compensation;
  at_.carried = beside.point().carried;
  at_.t = to.t;
  last_.h = 0;
  made_ = 0;
  return true;
}

// Both go in so many steps from where the run stood to about where it stands. False where these are too long. Newton
// starts from the curve of the last step of the copy, and the twin from the solution of the copy; shorter steps are
// tried rather than what else would find a long one.
bool Twin::go_far(const GridPoint& to, long parts) {
  const double h = length_of(sync_.t, to.t, since_, h_) / static_cast<double>(parts);
  const std::span<const double> here = multipliers_.at(sync_.t, sync_.state);
  if (!all_finite(here)) return false;
  step_->restart(here.data());
  step_->be_brief(parts < since_);
  step_->be_rough(0);
  GridPoint copy = sync_;
  at_ = sync_;
  for (std::size_t i = 0; i < beside_.size(); ++i) at_.state[i] += beside_[i];
  for (long i = 0; i < parts; ++i) {
    const double t = sync_.t + static_cast<double>(i) * h;
    if (last_.h != 0 && step_->has_stages()) step_->guess_from(here.data(), &last_);
    if (!make(copy, t, h)) {
      last_.h = 0;
      return false;
    }
    step_->solved(copy.state.data(), last_);
    if (step_->substeps() == 1) step_->guess_as(last_);
    if (!make(at_, t, h)) return false;
  }
  std::vector<double> apart(beside_.size());
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = at_.state[i] - copy.state[i];
  at_ = copy;
  const bool near = relative(distance(to), ranges()) <= factor_ * near_run;
  at_ = to;
  for (std::size_t i = 0; i < apart.size(); ++i) at_.state[i] += apart[i];
  return near;
}

// So many steps by a kernel, or fewer: how many.
long Twin::leap(long steps, double h) {
  if (!engine_.kernel || std::abs(h - h_) > 1e-9 * std::abs(h)) return 0;
  if (!kernel_ || made_ != h_) {
    const std::span<const double> here = multipliers_.at(at_.t, at_.state);
    if (!all_finite(here)) return 0;
    const std::vector<double> rates(here.begin(), here.end());
    kernel_.emplace(engine_.kernel, engine_.parameters);
    kernel_->begin(*step_, at_, rates, at_.t, 0, h_);
    made_ = h_;
  }
  const long made = kernel_->run(steps);
  kernel_->put(at_);
  if (made < steps) {
    kernel_.reset();
    made_ = 0;
  }
  return made;
}

bool Twin::make(GridPoint& point, double t, double h) {
  ++followed_;
  step_->carry_on(point.carried);
  const StepResult made = step_->advance(t, h, point.state.data(), point.compensation.data());
  point.carried = step_->carried();
  return made.newton.outcome == Outcome::converged;
}

// Once a step of the run is known, its twin has a guess that is off by no more than the distance between them.
void Twin::solve_roughly(double part) {
  double apart[2] = {0, 0}, size[2] = {0, 0};
  for (std::size_t i = 0; i < beside_.size(); ++i) {
    const int kind = i < n_y_ ? 0 : 1;
    apart[kind] = std::max(apart[kind], std::abs(beside_[i]));
    size[kind] = std::max(size[kind], std::abs(at_.state[i]));
  }
  double distance = INFINITY;
  for (const int kind : {0, 1})
    if (apart[kind] > 0) distance = std::min(distance, apart[kind] / size[kind]);
  step_->be_rough(distance > nearest && distance < 1 ? part * distance : 0);
}

// A step of the run's size; the history serves where it is that of the last one, but for rounding of the time.
bool Twin::advance(double h, const SolvedStep<double>* run) {
  kernel_.reset();
  if (run) {
    step_->guess_as(*run);
    solve_roughly(finer_part);
    made_ = 0;
    return step_->advance(at_.t, h, at_.state.data(), at_.compensation.data()).newton.outcome == Outcome::converged;
  }
  if (std::abs(h - made_) > 1e-9 * std::abs(h)) {
    const std::span<const double> here = multipliers_.at(at_.t, at_.state);
    if (!all_finite(here)) return false;
    step_->restart(here.data());
  }
  made_ = h;
  step_->be_rough(0);
  return step_->advance(at_.t, h, at_.state.data(), at_.compensation.data()).newton.outcome == Outcome::converged;
}

// What rounding makes of the positions, and of the velocities, is no distance.
Twin::Distance Twin::distance(const GridPoint& to) const {
  Distance apart{.t = to.t}, size;
  for (std::size_t i = 0; i < to.state.size(); ++i) {
    double& most = i < n_y_ ? apart.q : apart.v;
    most = std::max(most, std::abs(at_.state[i] - to.state[i]));
    double& largest = i < n_y_ ? size.q : size.v;
    largest = std::max(largest, std::abs(to.state[i]));
  }
  const auto beyond = [&](double x, double of) { return x > lost * of ? factor_ * x : 0; };
  apart.q = beyond(apart.q, size.q);
  apart.v = beyond(apart.v, size.v);
  return apart;
}

// To the ranges of positions and of velocities.
double Twin::relative(const Distance& d, const Ranges& to) {
  const auto part = [](double x, double range) { return x > 0 && range > 0 ? x / range : 0; };
  return std::max(part(d.q, to.q), part(d.v, to.v));
}

void Twin::go_along(const GridPoint& from, const GridPoint& to, const SolvedStep<double>* run) {
  const double budget =
      std::max(free_unknowns / std::max(1, engine_.step.unknowns()), share_of_steps * static_cast<double>(n_));
  if (static_cast<double>(++followed_) > budget) return end();
  if (next_to_kink(from, to)) {
    if (!engine_.e.actions.empty()) return jumped(to);
    return cross_kink(from, to) ? compare(to) : end();
  }
  if (run && leads(*run, from, to)) {
    step_->guess_as(*run);
    solve_roughly(rough_part);
  } else {
    const std::span<const double> here = multipliers_.at(at_.t, at_.state);
    if (!all_finite(here)) return end();
    step_->guess_from(here.data(), last_.h != 0 ? &last_ : nullptr);
    step_->be_rough(0);
  }
  const StepResult result = step_->advance(at_.t, to.t - from.t, at_.state.data(), at_.compensation.data());
  at_.t = to.t;
  if (result.newton.outcome != Outcome::converged) return end();
  if (step_->has_stages()) step_->solved(at_.state.data(), last_);
  compare(to);
}

void Twin::compare(const GridPoint& to) {
  seen_.push_back(distance(to));
  const double now = relative(seen_.back(), ranges()) / factor_;
  if (now > parted) {
    // Made small again, in the same direction.
    const double smaller = beside / now;
    for (std::size_t i = 0; i < at_.state.size(); ++i)
      at_.state[i] = to.state[i] + smaller * (at_.state[i] - to.state[i]);
    factor_ /= smaller;
    last_.h = 0;
    made_ = 0;
  }
  beside_.resize(at_.state.size());
  for (std::size_t i = 0; i < at_.state.size(); ++i) beside_[i] = at_.state[i] - to.state[i];
}

}  // namespace alembert::internal
