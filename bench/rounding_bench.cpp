// What rounding does to energy and momenta in long runs: 10^9 RATTLE steps of the pendulum, 10^8 of gauss(3), 10^7 of
// the heavy top. Truncation makes the energy swing, a million times wider than rounding; it goes out of averages over a
// block of steps with a smooth window (weighted Birkhoff averages: of quasi-periodic motions nothing is left of it).
// The differences of averages that lie m blocks apart grow like the root of m where errors are a walk at random, and
// like m where something is lost at every step.
//   rounding_bench [SHARE]     SHARE of the steps (0.01: seconds instead of minutes)

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "alembert/base/cpu_time.h"
#include "alembert/run/engine.h"

namespace alembert::internal {

namespace {

struct Case {
  const char* model;
  const char* method;
  double step;
  long steps, block;
};

constexpr Case cases[] = {
    {"pendulum", "lobatto(2)", 0.01, 1'000'000'000, 100'000}, {"pendulum", "gauss(3)", 0.01, 100'000'000, 20'000},
    {"heavy_top", "lobatto(2)", 0.0005, 10'000'000, 20'000},  {"heavy_top", "lobatto(3)", 0.0005, 10'000'000, 20'000},
    {"heavy_top", "gauss(2)", 0.0005, 10'000'000, 20'000},
};

constexpr double lowest_slope = 0.35, highest_slope = 0.65;

/// Averages over blocks of steps, of the energy and of what else is conserved.
class Averages {
 public:
  explicit Averages(long block) {
    double sum = 0;
    for (long i = 0; i < block; ++i) {
      const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(block);
      weights_.push_back(std::exp(-1 / (u * (1 - u))));
      sum += weights_.back();
    }
    for (double& w : weights_) w /= sum;
  }
  void add(double value) {
    if (i_ == 0) first_ = value;  // differences to it are small: their sum loses nothing
    sum_ += weights_[i_] * (value - first_);
    if (++i_ < weights_.size()) return;
    blocks_.push_back(first_ + sum_);
    i_ = 0, sum_ = 0;
  }
  const std::vector<double>& blocks() const { return blocks_; }

 private:
  std::vector<double> weights_, blocks_;
  std::size_t i_ = 0;
  double first_ = 0, sum_ = 0;
};

double root_mean_square(const std::vector<double>& x, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < x.size(); ++i) sum += std::pow(x[i] - x[i - lag], 2);
  return std::sqrt(sum / static_cast<double>(x.size() - lag));
}

/// The power of the number of steps with which differences grow: least squares over lags of 1, 2, 4, ... blocks.
double slope(const std::vector<double>& x) {
  double n = 0, a = 0, b = 0, aa = 0, ab = 0;
  for (std::size_t lag = 1; lag <= x.size() / 8; lag *= 2) {
    const double size = root_mean_square(x, lag);
    if (size == 0) continue;
    const double u = std::log(static_cast<double>(lag)), v = std::log(size);
    n += 1, a += u, b += v, aa += u * u, ab += u * v;
  }
  return (n * ab - a * b) / (n * aa - a * a);
}

void print_row(const Case& c, const std::string& what, const std::vector<double>& x, long steps, double seconds) {
  const double per_step = (x.back() - x.front()) / (static_cast<double>(x.size() - 1) * static_cast<double>(c.block));
  fmt::print("{:<10} {:<11} {:>11} {:<10} {:>7.2f} {:>12.1e} {:>14.1e} {:>9.0f}\n", c.model, c.method, steps, what,
             slope(x), root_mean_square(x, 1), per_step, seconds);
}

/// False where something does not walk at random.
bool measure(const Case& c, double share) {
  const long steps = std::max(64 * c.block, static_cast<long>(share * static_cast<double>(c.steps)));
  const Model model = read_model(fmt::format("{}/models/{}.alm", ALEMBERT_SOURCE_DIR, c.model));
  const Equations e = derive(model);
  EngineOptions options;
  options.step = c.step;
  options.steps = static_cast<double>(steps);
  const double before = thread_seconds();
  Engine engine(model, e, find_method(c.method), options);
  GridPoint from = engine.point(), to = from;
  engine.watch.restart();
  engine.watch.look(from.t, from.state, {});
  std::vector<std::string> names = {"energy"};
  for (const Block& one : model.invariants) names.push_back(one.name);
  std::vector<Averages> averages(1 + engine.watch.invariants().size(), Averages(c.block));
  for (long i = 0; i < steps; ++i) {
    if (!engine.maker.make(engine.step, from, c.step, c.step * static_cast<double>(i + 1), to)) {
      fmt::print("{} {}: no step at t = {}\n", c.model, c.method, from.t);
      return false;
    }
    engine.watch.glance(to.t, to.state);
    averages[0].add(engine.watch.energy());
    for (std::size_t k = 1; k < averages.size(); ++k) averages[k].add(engine.watch.invariants()[k - 1]);
    swap(from, to);
  }
  bool random = true;
  for (std::size_t k = 0; k < averages.size(); ++k) {
    print_row(c, names[k], averages[k].blocks(), steps, thread_seconds() - before);
    const double power = slope(averages[k].blocks());
    random = random && power >= lowest_slope && power <= highest_slope;
  }
  return random;
}

}  // namespace

int measure_rounding(double share) {
  fmt::print("{:<10} {:<11} {:>11} {:<10} {:>7} {:>12} {:>14} {:>9}\n", "model", "method", "steps", "of", "slope",
             "rms a block", "drift a step", "CPU s");
  bool random = true;
  for (const Case& c : cases) random = measure(c, share) && random;
  return random ? 0 : 1;
}

}  // namespace alembert::internal

int main(int count, char** arguments) {
  return alembert::internal::measure_rounding(count > 1 ? std::atof(arguments[1]) : 1);
}
