// What the distances of the twin say: how fast errors grow, and what that leaves of the answer.

#include <algorithm>
#include <array>
#include <cmath>

#include "alembert/run/twin.h"

namespace alembert::internal {

namespace {

// Errors that grow by more than this in the second half of the time grow exponentially; regular motions, like t or t^2.
constexpr double regular_growth = 8;
// Each half of the time then has eight: a swing of the distance within one is not taken for growth.
constexpr std::size_t fewest_looks = 16;

}  // namespace

/// In e-folds per time; 0 where errors grow like a power of time.
double Twin::growth() const {
  if (seen_.size() < fewest_looks) return 0;
  const double middle = (seen_.front().t + seen_.back().t) / 2, half = std::abs(seen_.back().t - middle);
  const Ranges to = ranges();
  double first = 0, whole = 0;
  for (const Distance& d : seen_) {
    const double now = relative(d, to);
    if (std::abs(d.t - seen_.front().t) <= half) first = std::max(first, now);
    whole = std::max(whole, now);
  }
  if (first == 0 || whole <= regular_growth * first) return 0;
  return std::log(whole / first) / half;
}

/// As the largest Lyapunov exponent, over the time that was seen: growth() is what errors may do in a part of it. It is
/// taken from the means of the logarithm in blocks of equal time, whose differences scatter as the growth does. The
/// first block is left out: the distance turns into the direction that grows.
MeanRate Twin::mean_growth() const {
  constexpr std::size_t blocks = 9;           // eight that count: of fewer the scatter is not known
  constexpr std::size_t fewest_in_block = 4;  // a swing of the distance has that many looks at least
  if (seen_.size() < blocks * fewest_in_block || growth() == 0) return {};
  const Ranges to = ranges();
  const double first = seen_.front().t, length = (seen_.back().t - first) / static_cast<double>(blocks);
  std::array<double, blocks> sum{}, count{};
  for (const Distance& d : seen_) {
    const double now = relative(d, to);
    const std::size_t block = std::min(blocks - 1, static_cast<std::size_t>((d.t - first) / length));
    if (!(now > 0)) continue;
    sum[block] += std::log(now);
    count[block] += 1;
  }
  std::vector<double> rates;
  for (std::size_t k = 2; k < blocks; ++k) {
    if (count[k] == 0 || count[k - 1] == 0) return {};
    rates.push_back((sum[k] / count[k] - sum[k - 1] / count[k - 1]) / std::abs(length));
  }
  MeanRate mean{.until = seen_.back().t};
  const double n = static_cast<double>(rates.size());
  for (const double rate : rates) mean.rate += rate / n;
  double squares = 0;
  for (const double rate : rates) squares += (rate - mean.rate) * (rate - mean.rate);
  // Of so few rates that hang together the standard error says less than that of many: for 95 in 100.
  constexpr double few_rates = 3;
  mean.uncertainty = few_rates * std::sqrt(squares / (n - 1) / n);
  return mean;
}

/// What an error at any time is later, at most.
double Twin::amplification(double t) const {
  if (seen_.empty()) return 1;
  const Ranges to = ranges();
  double most = 1, least = INFINITY;
  for (const Distance& d : seen_) {
    const double now = relative(d, to);
    if (now > 0) least = std::min(least, now);
    most = std::max(most, now / least);
  }
  const double seen = std::abs(seen_.back().t - seen_.front().t), whole = std::abs(t - seen_.front().t);
  if (seen == 0 || whole <= seen) return most;
  const double rate = growth();
  return rate > 0 ? most * std::exp(rate * (whole - seen)) : most * whole / seen;
}

Growth Twin::growth_until(double t) const {
  constexpr double nearly_all = 0.9;  // of the time: a regular motion does not become another one in the rest
  const double rate = growth();
  const bool followed = !seen_.empty() && std::abs(seen_.back().t - t0_) >= nearly_all * std::abs(t - t0_);
  return {amplification(t), rate, followed && rate == 0 && seen_.size() >= fewest_looks, mean_growth()};
}

std::optional<AccuracyProbe::Result> Twin::finish(const GridPoint& at, std::size_t singular_positions) {
  if (t_ == t0_ || n_ == 0) return {};
  const AccuracyProbe::Result found = estimate(singular_positions);
  if (found.at_end < may_be_rest) return found;
  const double time = std::abs(t_ - t0_), h = h_ != 0 ? h_ : time / static_cast<double>(n_);
  if (!ranges_.rest_beside(balanced_forces(multipliers_, at, n_y_, h), time)) return found;
  AccuracyProbe::Result rest = AccuracyProbe::Result::of_rest(n_, time);
  rest.accuracy.compared = found.accuracy.compared;
  return rest;
}

AccuracyProbe::Result Twin::estimate(std::size_t singular_positions) const {
  const double length = std::abs(t_ - t0_);
  const std::vector<double> scales = ranges_.scales();
  const auto relative = [&](const std::vector<double>& errors) {
    double most = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (errors[i] > 0) most = std::max(most, errors[i] / scales[i]);
    return most;
  };
  const double rounding = rounding_of(n_, ranges_.resolution(), singular_positions), factor = amplification(t_);
  AccuracyProbe::Result result;
  result.at_end = (relative(sum_) + rounding) * factor;
  result.rounding = rounding * factor;
  result.growth = growth();
  result.mean = mean_growth();
  result.moves = ranges_.time();
  result.accuracy = {.per_time = std::min(result.at_end, 1.0) / length,
                     .per_step = relative(largest_),
                     .worst_t = worst_t_,
                     .compared = n_};
  return result;
}

}  // namespace alembert::internal
