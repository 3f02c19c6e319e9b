#include "alembert/run/choose_method.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/finite.h"
#include "alembert/run/kinks.h"
#include "alembert/run/multipliers.h"

namespace alembert::internal {

namespace {

// A run has twenty steps at least. What dies away by this factor, as a power of e, within one of these is not followed
// but must be damped: symmetric methods would let it ring.
constexpr double damped_in_a_step = 20;
constexpr double longest_step = 1.0 / 20;
// Of the power iteration for the fastest decay: the right order of size is enough, and a rate that is three times all
// others outweighs them 3^6 times. Velocities are moved by the second: curvature and rounding of the forces then leave
// six digits and more of a difference.
constexpr int looks = 6;
constexpr double small = 1e-6;

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

/// The largest rate at which velocities die away by forces that depend on them, at the start.
double fastest_decay(const Equations& e, const InitialValues& initial, double t0) {
  NewtonOptions newton;
  newton.kernel = interpreted;
  Multipliers accelerations(e, initial, t0, newton);
  const std::size_t n_y = initial.y.size(), n = initial.z.size();
  std::vector<double> state = initial.y;
  state.insert(state.end(), initial.z.begin(), initial.z.end());
  const std::span<const double> here = accelerations.at(t0, state);
  if (n == 0 || !all_finite(here)) return 0;
  const std::vector<double> before(here.begin(), here.begin() + static_cast<long>(n));
  const double size = small * std::max(1.0, norm(initial.z));
  std::vector<double> direction(n);
  for (std::size_t i = 0; i < n; ++i) direction[i] = 1 + 0.3 * std::sin(static_cast<double>(i));
  double decay = 0;
  for (int look = 0; look < looks; ++look) {
    const double length = norm(direction);
    if (length == 0 || !std::isfinite(length)) return decay;
    for (double& x : direction) x /= length;
    std::vector<double> moved = state;
    for (std::size_t i = 0; i < n; ++i) moved[n_y + i] += size * direction[i];
    const std::span<const double> there = accelerations.at(t0, moved);
    if (!all_finite(there)) return decay;
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double change = (there[i] - before[i]) / size;
      along -= change * direction[i];
      direction[i] = change;
    }
    decay = std::max(decay, along);
  }
  return decay;
}

}  // namespace

MethodChoice choose_method(const Model& model, const Equations& e, const SimulateOptions& options, double t0) {
  MethodNeeds needs;
  needs.tolerance = options.steps.tolerance;
  const auto acts = [](const Event& event) { return !event.actions.empty(); };
  needs.interrupted =
      !kinks(e).empty() || !model.contact_events.empty() || std::any_of(model.events.begin(), model.events.end(), acts);
  const double longest = options.steps.largest > 0 ? options.steps.largest : longest_step * std::abs(options.end - t0);
  const InitialValues initial = make_consistent(model, e);
  needs.redundant = !initial.redundant.empty();
  needs.decays_fast = !e.port && fastest_decay(e, initial, t0) * longest > damped_in_a_step;
  return choose_method(e, needs);
}

}  // namespace alembert::internal
