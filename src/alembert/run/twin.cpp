#include "alembert/run/twin.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alembert/base/finite.h"

namespace alembert::internal {

namespace {

// The twin starts this far beside the run, relative to the state: far above rounding, far below what bends the motion.
constexpr double beside = 1e-7;
// Distances smaller than that, relative to the state, are lost in rounding.
constexpr double lost = 16 * std::numeric_limits<double>::epsilon();
// From this part of the range on distances do not grow as small ones do.
constexpr double parted = 1e-2;
// So many unknowns are solved for in a few milliseconds; a longer run may have this share of its steps made twice.
constexpr double free_unknowns = 4e4;
constexpr double share_of_steps = 0.04;
// Errors that grow by more than this in the second half of the time grow exponentially; regular motions, like t or t^2.
constexpr double regular_growth = 8;
constexpr std::size_t fewest_looks = 16;

}  // namespace

Twin::Twin(const Engine& engine, const ReportNames& names, const GridPoint& start)
    : engine_(engine),
      multipliers_(engine.multipliers),
      n_y_(engine.e.y.size()),
      ranges_(names, n_y_, start.state),
      t0_(start.t),
      t_(start.t),
      sum_(start.state.size(), 0),
      largest_(start.state.size(), 0) {}

void Twin::follow(const GridPoint& from, const GridPoint& to, std::span<const double> error) {
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
  if (step_) return go_along(from, to);
  if (!done_ && size > 0) begin(to, error);
}

// Beside the run in the direction of an error that was made.
void Twin::archive(Archive& fields) {
  bool there = step_.has_value();
  fields(there);
  if (!there) step_.reset();
  else if (!step_) step_ = engine_.step.clone();
  if (step_) fields(*step_);
  fields(multipliers_, ranges_, t_, n_, sum_, largest_, worst_, worst_t_, done_, at_, last_, factor_, seen_);
}

void Twin::begin(const GridPoint& at, std::span<const double> direction) {
  const std::span<const double> here = multipliers_.at(at.t, at.state);
  double most = 0, size = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    most = std::max(most, std::abs(direction[i]));
    size = std::max(size, std::abs(at.state[i]));
  }
  if (!all_finite(here) || size == 0) return;
  step_ = engine_.step.clone();
  step_->begin(here.data());
  at_ = at;
  for (std::size_t i = 0; i < direction.size(); ++i) at_.state[i] += beside * size * direction[i] / most;
  last_.h = 0;
  seen_.push_back(distance(at));
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
double Twin::relative(const Distance& d) const {
  const auto part = [](double x, double range) { return x > 0 && range > 0 ? x / range : 0; };
  return std::max(part(d.q, ranges_.positions()), part(d.v, ranges_.velocities()));
}

void Twin::go_along(const GridPoint& from, const GridPoint& to) {
  const double budget =
      std::max(free_unknowns / std::max(1, engine_.step.unknowns()), share_of_steps * static_cast<double>(n_));
  const std::span<const double> here = multipliers_.at(at_.t, at_.state);
  if (static_cast<double>(seen_.size()) > budget || !all_finite(here)) {
    step_.reset();
    done_ = true;
    return;
  }
  step_->guess_from(here.data(), last_.h != 0 ? &last_ : nullptr);
  const StepResult result = step_->advance(at_.t, to.t - from.t, at_.state.data(), at_.compensation.data());
  at_.t = to.t;
  if (result.newton.outcome != Outcome::converged) {
    step_.reset();
    done_ = true;
    return;
  }
  if (step_->has_stages()) step_->solved(at_.state.data(), last_);
  seen_.push_back(distance(to));
  const double now = relative(seen_.back()) / factor_;
  if (now <= parted) return;
  // Made small again, in the same direction.
  const double smaller = beside / now;
  for (std::size_t i = 0; i < at_.state.size(); ++i)
    at_.state[i] = to.state[i] + smaller * (at_.state[i] - to.state[i]);
  factor_ /= smaller;
  last_.h = 0;
}

/// In e-folds per time; 0 where errors grow like a power of time.
double Twin::growth() const {
  if (seen_.size() < fewest_looks) return 0;
  const double middle = (seen_.front().t + seen_.back().t) / 2, half = std::abs(seen_.back().t - middle);
  double first = 0, whole = 0;
  for (const Distance& d : seen_) {
    const double now = relative(d);
    if (std::abs(d.t - seen_.front().t) <= half) first = std::max(first, now);
    whole = std::max(whole, now);
  }
  if (first == 0 || whole <= regular_growth * first) return 0;
  return std::log(whole / first) / half;
}

/// What an error at any time is later, at most.
double Twin::amplification() const {
  if (seen_.empty()) return 1;
  double most = 1, least = INFINITY;
  for (const Distance& d : seen_) {
    const double now = relative(d);
    if (now > 0) least = std::min(least, now);
    most = std::max(most, now / least);
  }
  const double seen = std::abs(seen_.back().t - seen_.front().t), whole = std::abs(t_ - seen_.front().t);
  if (seen == 0 || whole <= seen) return most;
  const double rate = growth();
  return rate > 0 ? most * std::exp(rate * (whole - seen)) : most * whole / seen;
}

std::optional<AccuracyProbe::Result> Twin::finish(std::size_t singular_positions) const {
  const double length = std::abs(t_ - t0_);
  if (length == 0 || n_ == 0) return {};
  const std::vector<double> scales = ranges_.scales();
  const auto relative = [&](const std::vector<double>& errors) {
    double most = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (errors[i] > 0) most = std::max(most, errors[i] / scales[i]);
    return most;
  };
  // What rounding alone makes of so many steps, as a random walk. A singular position lets its root through.
  constexpr double unit = std::numeric_limits<double>::epsilon();
  const double rounding =
      10 * unit * std::sqrt(static_cast<double>(n_)) + 10 * std::sqrt(unit) * static_cast<double>(singular_positions);
  AccuracyProbe::Result result;
  result.at_end = (relative(sum_) + rounding) * amplification();
  result.growth = growth();
  result.accuracy = {.per_time = std::min(result.at_end, 1.0) / length,
                     .per_step = relative(largest_),
                     .worst_t = worst_t_,
                     .compared = n_};
  return result;
}

}  // namespace alembert::internal
