#include "alembert/run/dense.h"

#include <algorithm>
#include <cmath>

#include "alembert/run/motion.h"

namespace alembert::internal {

namespace {

// Up to here the straight line from the left end is exact to rounding, and a step would be rounding only.
constexpr double tiny_share = 1e-8;

}  // namespace

DenseOutput::DenseOutput(const Equations& e, const Step<double>& step, const GridPoint& start, Multipliers& multipliers,
                         NewtonOptions options)
    : n_y_(e.y.size()),
      step_(step.clone()),
      multipliers_(multipliers),
      projection_(e, start.t, start.state, options),
      velocity_(state_arguments(e), e.v, interpreted),
      from_(start),
      rates_(e.z.size() + e.lambda.size() + e.psi.size(), 0.0),
      compensation_(start.state.size()),
      in_(1 + start.state.size()),
      v_(n_y_),
      work_(velocity_.work()) {}

DenseOutput::DenseOutput(const DenseOutput& other, Multipliers& multipliers)
    : n_y_(other.n_y_),
      step_(other.step_.clone()),
      multipliers_(multipliers),
      projection_(other.projection_),
      velocity_(other.velocity_),
      from_(other.from_),
      rates_(other.rates_.size(), 0.0),
      compensation_(other.compensation_.size()),
      in_(other.in_.size()),
      v_(other.v_.size()),
      work_(other.work_.size()) {}

void DenseOutput::bind(const double* parameters) noexcept {
  step_.bind(parameters);
  projection_.bind(parameters);
  velocity_.bind(parameters);
}

void DenseOutput::begin(const GridPoint& from, double h) {
  from_.t = from.t;
  from_.state.assign(from.state.begin(), from.state.end());
  from_.compensation.assign(from.compensation.begin(), from.compensation.end());
  from_.carried.assign(from.carried.begin(), from.carried.end());
  h_ = h;
  ready_ = false;
}

bool DenseOutput::at(double share, std::vector<double>& state) {
  state.assign(from_.state.begin(), from_.state.end());
  if (share == 0) return true;
  if (!ready_) {
    // Where they are not determined the last ones are as good a start as any.
    const std::span<const double> rates = multipliers_.at(from_.t, from_.state);
    if (std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); }))
      std::copy(rates.begin(), rates.end(), rates_.begin());
    ready_ = true;
  }
  const double part = share * h_;
  if (std::abs(share) < tiny_share) {
    in_[0] = from_.t;
    std::copy(from_.state.begin(), from_.state.end(), in_.begin() + 1);
    velocity_(in_.data(), v_.data(), work_.data());
    for (std::size_t i = 0; i < n_y_; ++i) state[i] += part * v_[i];
    for (std::size_t i = n_y_; i < state.size(); ++i) state[i] += part * rates_[i - n_y_];
  } else {
    compensation_.assign(from_.compensation.begin(), from_.compensation.end());
    step_.restart(rates_.data());
    step_.carry_on(from_.carried);
    if (step_.advance(from_.t, part, state.data(), compensation_.data()).newton.outcome != Outcome::converged)
      return false;
  }
  return projection_.apply(time(share), state.data()) == Outcome::converged;
}

void DenseOutput::tell_energy(double share, GridPoint& step_end) {
  if (!step_end.energy_change && step_end.work.empty()) return;
  if (std::abs(share) < tiny_share) {
    if (step_end.energy_change) *step_end.energy_change *= share;
    for (double& part : step_end.work) part *= share;
    if (step_end.energy_parts)
      step_end.energy_parts = {share * step_end.energy_parts->first, share * step_end.energy_parts->second};
    return;
  }
  std::vector<double> state;
  const bool made = at(share, state);
  step_end.energy_change = made ? step_.energy_change() : std::nullopt;
  step_end.energy_parts = made ? step_.energy_parts() : std::nullopt;
  step_end.work = made ? step_.work() : std::vector<double>();
  step_end.discrete = made ? step_.discrete() : 0;
}

}  // namespace alembert::internal
