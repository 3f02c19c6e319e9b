// What a step costs, as a table. Argument "chain": only how it grows with the number of rods; "long": 10^8 RATTLE steps
// of the pendulum, with the fitted drift of the energy.

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>

#include "alembert/run/simulate.h"

namespace alembert::internal {

namespace {

Model gallery(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return read_model(std::string(ALEMBERT_SOURCE_DIR) + "/models/" + name + ".alm", overrides);
}

double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);  // other processes do not count
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A step that is made again and again; its cost is that of the best batch, since these machines are noisy.
class Timed {
 public:
  Timed(const Model& model, const std::string& family, int s, double h, long batch, NewtonOptions options = {})
      : h_(h), batch_(batch) {
    const Equations e = derive(model);
    const InitialValues start = make_consistent(model, e);
    std::vector<double> hints = start.z_dot;
    state_ = start.y;
    state_.insert(state_.end(), start.z.begin(), start.z.end());
    hints.insert(hints.end(), start.lambda.begin(), start.lambda.end());
    hints.insert(hints.end(), start.psi.begin(), start.psi.end());
    rest_.assign(state_.size(), 0.0);
    options.kernel.backend = native_available() ? Backend::native : Backend::interpreter;
    step_.emplace(find_method(family, {double(s)}).step(e), 0.0, h, state_, hints, options);
  }
  void batch() {
    const double before = seconds();
    for (long i = 0; i < batch_; ++i, ++n_) {
      const double t = static_cast<double>(n_) * h_;
      if (step_->advance(t, h_, state_.data(), rest_.data()).newton.outcome != Outcome::converged) failed_ = true;
    }
    best_ = std::min(best_, (seconds() - before) / static_cast<double>(batch_));
  }
  double nanoseconds() const { return failed_ ? NAN : 1e9 * best_; }
  double iterations() const { return static_cast<double>(step_->statistics().iterations) / static_cast<double>(n_); }

 private:
  double h_;
  long batch_, n_ = 0;
  std::vector<double> state_, rest_;
  std::optional<Step<double>> step_;
  double best_ = 1e300;
  bool failed_ = false;
};

// The double pendulum of models/double_pendulum.alm by hand: RATTLE with Newton for two multipliers, which are
// extrapolated from the last three steps. Nothing is watched.
class HandWritten {
 public:
  explicit HandWritten(double h) : h_(h) {}

  void step() {
    double next[2];
    for (int i = 0; i < 2; ++i) next[i] = 3 * (last_[0][i] - last_[1][i]) + last_[2][i];
    const double g1x = 2 * x_[0], g1y = 2 * x_[1], g2x = 2 * (x_[2] - x_[0]), g2y = 2 * (x_[3] - x_[1]);
    double q[4];
    for (int iteration = 0; iteration < 20; ++iteration) {
      half(next, g1x, g1y, g2x, g2y);
      for (int i = 0; i < 4; ++i) q[i] = x_[i] + h_ * half_[i];
      const double dx = q[2] - q[0], dy = q[3] - q[1];
      const double r1 = q[0] * q[0] + q[1] * q[1] - 1, r2 = dx * dx + dy * dy - 1;
      const double c = -h_ * h_ / 2;
      const double a11 = c * 2 * (q[0] * g1x + q[1] * g1y) / m1, a12 = -c * 2 * (q[0] * g2x + q[1] * g2y) / m1;
      const double a21 = -c * 2 * (dx * g1x + dy * g1y) / m1;
      const double a22 = c * 2 * (dx * g2x + dy * g2y) * (1 / m1 + 1 / m2);
      const double determinant = a11 * a22 - a12 * a21;
      const double d1 = (r1 * a22 - r2 * a12) / determinant, d2 = (r2 * a11 - r1 * a21) / determinant;
      next[0] -= d1;
      next[1] -= d2;
      if (std::abs(d1) + std::abs(d2) <= 1e-11 * (std::abs(next[0]) + std::abs(next[1]) + 1)) break;
    }
    half(next, g1x, g1y, g2x, g2y);
    for (int i = 0; i < 4; ++i) x_[i] += h_ * half_[i];
    end_velocities();
    for (int i = 0; i < 2; ++i) {
      last_[2][i] = last_[1][i];
      last_[1][i] = last_[0][i];
      last_[0][i] = next[i];
    }
  }

  double constraint() const { return x_[0] * x_[0] + x_[1] * x_[1] - 1; }

 private:
  static constexpr double m1 = 3, m2 = 1, gravity = 9.81;

  void half(const double* l, double g1x, double g1y, double g2x, double g2y) {
    half_[0] = v_[0] - h_ / 2 * (l[0] * g1x - l[1] * g2x) / m1;
    half_[1] = v_[1] - h_ / 2 * (gravity + (l[0] * g1y - l[1] * g2y) / m1);
    half_[2] = v_[2] - h_ / 2 * l[1] * g2x / m2;
    half_[3] = v_[3] - h_ / 2 * (gravity + l[1] * g2y / m2);
  }

  void end_velocities() {
    const double ax = x_[0], ay = x_[1], bx = x_[2] - x_[0], by = x_[3] - x_[1];
    double v[4] = {half_[0], half_[1] - h_ / 2 * gravity, half_[2], half_[3] - h_ / 2 * gravity};
    const double r1 = ax * v[0] + ay * v[1], r2 = bx * (v[2] - v[0]) + by * (v[3] - v[1]);
    const double a11 = (ax * ax + ay * ay) / m1, a12 = -(ax * bx + ay * by) / m1;
    const double a22 = (bx * bx + by * by) * (1 / m1 + 1 / m2);
    const double determinant = a11 * a22 - a12 * a12;
    const double d1 = (r1 * a22 - r2 * a12) / determinant, d2 = (r2 * a11 - r1 * a12) / determinant;
    v_[0] = v[0] - (ax * d1 - bx * d2) / m1;
    v_[1] = v[1] - (ay * d1 - by * d2) / m1;
    v_[2] = v[2] - bx * d2 / m2;
    v_[3] = v[3] - by * d2 / m2;
  }

  double h_;
  double x_[4] = {1, 0, 2, 0}, v_[4] = {}, half_[4] = {}, last_[3][2] = {};
};

// Nanoseconds a step of a whole run: energy, both levels of the constraints, rank and accuracy watched at every step.
double run_nanoseconds(const Model& model, const std::string& method, double h, long steps) {
  SimulateOptions options;
  options.step = h;
  options.end = h * static_cast<double>(steps);
  options.newton.kernel.backend = native_available() ? Backend::native : Backend::interpreter;
  return 1e9 * simulate(model, derive(model), find_method(method), options).run_seconds / static_cast<double>(steps);
}

// In turn with code by hand, so that what disturbs the machine disturbs both.
void rattle_table() {
  constexpr double h = 0.01;
  constexpr long steps = 200000;
  const Model model = gallery("double_pendulum");
  double by_hand = 1e300, whole = 1e300;
  for (int round = 0; round < 7; ++round) {
    HandWritten pendulum(h);
    const double before = seconds();
    for (long i = 0; i < steps; ++i) pendulum.step();
    by_hand = std::min(by_hand, 1e9 * (seconds() - before) / steps);
    if (!(std::abs(pendulum.constraint()) < 1e-12)) fmt::print("by hand: the constraints are lost\n");
    whole = std::min(whole, run_nanoseconds(model, "lobatto(2)", h, steps));
  }
  fmt::print(
      "Double pendulum, RATTLE, h = 0.01: by hand {:.0f} ns a step, in a run with all that is watched {:.0f} ns\n",
      by_hand, whole);
  fmt::print("  {:.1f} times the code by hand\n\n", whole / by_hand);
}

void table() {
  rattle_table();
  fmt::print("Double pendulum, h = 0.01, one core, CPU time of a step\n");
  fmt::print("{:<14} {:>12} {:>12}\n", "method", "ns a step", "iterations");
  const Model model = gallery("double_pendulum");
  for (const auto& [family, s] : std::vector<std::pair<std::string, int>>{
           {"lobatto", 2}, {"lobatto", 3}, {"lobatto", 4}, {"gauss", 1}, {"gauss", 2}, {"gauss", 3}}) {
    Timed step(model, family, s, 0.01, 20000);
    for (int round = 0; round < 7; ++round) step.batch();
    fmt::print("{:<14} {:>12.0f} {:>12.2f}\n", fmt::format("{}({})", family, s), step.nanoseconds(), step.iterations());
  }
}

// All sizes in turn, round after round, so that what disturbs the machine for a while disturbs all of them.
void chain_table() {
  fmt::print("\nChain of N rods in space, h = 0.0001: CPU time of a step per rod\n");
  fmt::print("{:<14} {:>8} {:>12} {:>12} {:>16}\n", "method", "N", "ns a rod", "iterations", "against N = 100");
  const std::vector<int> sizes = {100, 1000, 10000};
  for (const auto& [family, s] : std::vector<std::pair<std::string, int>>{{"lobatto", 2}, {"gauss", 3}}) {
    NewtonOptions options;
    options.kernel.optimise = false;
    std::vector<std::unique_ptr<Timed>> steps;
    for (const int n : sizes)
      steps.push_back(std::make_unique<Timed>(gallery("chain", {"N=" + std::to_string(n)}), family, s, 0.0001,
                                              20000 / n + 5, options));
    for (int round = 0; round < 30; ++round)
      for (const auto& step : steps) step->batch();
    for (std::size_t i = 0; i < sizes.size(); ++i)
      fmt::print("{:<14} {:>8} {:>12.0f} {:>12.2f} {:>16.2f}\n", fmt::format("{}({})", family, s), sizes[i],
                 steps[i]->nanoseconds() / sizes[i], steps[i]->iterations(),
                 steps[i]->nanoseconds() / sizes[i] / (steps[0]->nanoseconds() / sizes[0]));
  }
}

void long_run() {
  const Model model = gallery("pendulum");
  SimulateOptions options;
  options.step = 0.01;
  options.end = 1e6;
  const Report report = simulate(model, derive(model), find_method("lobatto", {2}), options);
  fmt::print(
      "pendulum, lobatto(2), {} steps of 0.01: max energy error {:.3g}, drift ({:.2g} +- {:.2g}) per time, position "
      "{:.2g}, "
      "velocity {:.2g}, {:.1f} s\n",
      report.steps, report.energy.max_error, report.drift.per_time, report.drift.uncertainty, report.position,
      report.velocity, report.run_seconds);
}

}  // namespace

int measure(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "long") == 0) long_run();
  else if (argc > 1 && std::strcmp(argv[1], "chain") == 0) chain_table();
  else table(), chain_table();
  return 0;
}

}  // namespace alembert::internal

int main(int argc, char** argv) { return alembert::internal::measure(argc, argv); }
