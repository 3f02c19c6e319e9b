#include "alembert/run/short_steps.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

// Errors up to this part of the way are inaccuracy; on the other branch of a hyperbola they begin at 0.25, and the
// gradients point elsewhere there.
constexpr double elsewhere = 0.1;

}  // namespace

bool ShortSteps::agree(const GridPoint& from, const GridPoint& to, int parts) {
  if (!step_) step_ = engine_.step.clone();
  const std::span<const double> rates = engine_.multipliers.at(from.t, from.state);
  if (!std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); })) return true;
  step_->restart(rates.data());
  step_->carry_on(from.carried);
  std::vector<double> state = from.state, compensation = from.compensation;
  const double h = (to.t - from.t) / parts;
  double way = 0, apart = 0;
  for (int i = 0; i < parts; ++i)
    if (step_->advance(from.t + i * h, h, state.data(), compensation.data()).newton.outcome != Outcome::converged)
      return true;
  for (std::size_t i = 0; i < engine_.e.y.size(); ++i) {
    way = std::max({way, std::abs(state[i] - from.state[i]), std::abs(to.state[i] - from.state[i])});
    apart = std::max(apart, std::abs(state[i] - to.state[i]));
  }
  return apart <= elsewhere * way || !engine_.watch.turned_at(to.t, state);
}

}  // namespace alembert::internal
