#include "alembert/run/time_input.h"

#include <algorithm>
#include <cmath>

#include "alembert/derive/work.h"

namespace alembert::internal {

namespace {

// A part of the range of a function that a step may miss.
constexpr double missed = 0.1;
// Places at which a step is looked at, at least; fewer where there are many steps, so that the whole costs
// milliseconds.
constexpr int places = 32;
constexpr int fewest_places = 4;
constexpr double evaluations = 1e5;
// Higher ones swing between places at equal distances, where the step itself does not.
constexpr int highest_degree = 6;

/// weights[k][j]: what the value at node j adds to the polynomial at place k; nodes are every `apart` places.
std::vector<std::vector<double>> lagrange_weights(int degree, int apart) {
  const int last = degree * apart;
  std::vector<std::vector<double>> weights(last + 1, std::vector<double>(degree + 1, 1.0));
  for (int k = 0; k <= last; ++k)
    for (int j = 0; j <= degree; ++j)
      for (int i = 0; i <= degree; ++i)
        if (i != j) weights[k][j] *= static_cast<double>(k - i * apart) / ((j - i) * apart);
  return weights;
}

}  // namespace

TimeInputs::TimeInputs(const Equations& e)
    : kernel_(Exprs{e.t}, time_functions(e), KernelOptions{.backend = Backend::interpreter, .optimise = false}) {}

std::optional<TimeInputs::Jump> TimeInputs::jumped_over(std::span<const double> times, int degree) const {
  const int count = kernel_.outputs();
  if (count == 0 || times.size() < 2 || times.size() > most_steps + 1) return {};
  const double t0 = times.front(), steps = static_cast<double>(times.size() - 1);
  degree = std::clamp(degree, 1, highest_degree);
  const double affordable = std::clamp(evaluations / steps, double(fewest_places), double(places));
  const int apart = std::max(2, static_cast<int>(affordable) / degree);
  const auto weights = lagrange_weights(degree, apart);
  const int last = degree * apart;
  std::vector<double> work(kernel_.work()), values((last + 1) * count);
  std::vector<double> low(count, INFINITY), high(count, -INFINITY), worst(count, 0), where(count, t0);
  for (std::size_t n = 0; n + 1 < times.size(); ++n) {
    const double from = times[n], h = times[n + 1] - from;
    for (int k = 0; k <= last; ++k) {
      const double t = from + h * k / last;
      kernel_(&t, values.data() + k * count, work.data());
    }
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k <= last; ++k) {
        const double value = values[k * count + i];
        double polynomial = 0;
        for (int j = 0; j <= degree; ++j) polynomial += weights[k][j] * values[j * apart * count + i];
        low[i] = std::min(low[i], value);
        high[i] = std::max(high[i], value);
        if (!(std::abs(value - polynomial) > worst[i])) continue;
        worst[i] = std::abs(value - polynomial);
        where[i] = from + h * k / last;
      }
    }
  }
  Jump found;
  for (int i = 0; i < count; ++i) {
    const double range = high[i] - low[i];
    if (!(range > 0) || !(worst[i] > found.share * range)) continue;
    found = {where[i], worst[i] / range};
  }
  if (found.share <= missed) return {};
  return found;
}

}  // namespace alembert::internal
