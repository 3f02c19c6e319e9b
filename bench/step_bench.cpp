// What a step costs, as a table (in runs, and against code by hand: alembert bench). Argument "chain": only how it
// grows with the number of rods; "long": 10^8 RATTLE steps of the pendulum, with the fitted drift of the energy.

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "alembert/base/cpu_time.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {

namespace {

Model gallery(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return read_model(std::string(ALEMBERT_SOURCE_DIR) + "/models/" + name + ".alm", overrides);
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
    const double before = thread_seconds();
    for (long i = 0; i < batch_; ++i, ++n_) {
      const double t = static_cast<double>(n_) * h_;
      if (step_->advance(t, h_, state_.data(), rest_.data()).newton.outcome != Outcome::converged) failed_ = true;
    }
    best_ = std::min(best_, (thread_seconds() - before) / static_cast<double>(batch_));
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

void table() {
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
