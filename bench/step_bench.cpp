// What a step costs, as a table. Argument "chain": only how it grows with the number of rods; "long": 10^8 RATTLE steps
// of the pendulum, with the fitted drift of the energy.

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "alembert/run/simulate.h"

using namespace alembert;

namespace {

Model gallery(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return read_model(std::string(ALEMBERT_SOURCE_DIR) + "/models/" + name + ".alm", overrides);
}

double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);  // other processes do not count
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double nanoseconds, iterations;
};

// CPU time of bare steps: the best of several batches, since these machines are noisy.
Cost step_cost(const Model& model, const std::string& family, int s, double h, long batch, NewtonOptions options = {}) {
  const Equations e = derive(model);
  const InitialValues start = make_consistent(model, e);
  std::vector<double> state = start.y, hints = start.z_dot;
  state.insert(state.end(), start.z.begin(), start.z.end());
  hints.insert(hints.end(), start.lambda.begin(), start.lambda.end());
  hints.insert(hints.end(), start.psi.begin(), start.psi.end());
  std::vector<double> rest(state.size(), 0.0);
  options.kernel.backend = native_available() ? Backend::native : Backend::interpreter;
  Step<double> step(find_method(family, {double(s)}).step(e), 0.0, h, state, hints, options);
  double best = 1e300;
  long n = 0;
  for (int round = 0; round < 7; ++round) {
    const double before = seconds();
    for (long i = 0; i < batch; ++i, ++n)
      if (step.advance(static_cast<double>(n) * h, h, state.data(), rest.data()).newton.outcome != Outcome::converged)
        return {-1, -1};
    best = std::min(best, (seconds() - before) / static_cast<double>(batch));
  }
  return {1e9 * best, static_cast<double>(step.statistics().iterations) / static_cast<double>(n)};
}

void table() {
  fmt::print(
      "Double pendulum, h = 0.01, one core, CPU time of a step (hand-written code: RATTLE 69 ns, lobatto(3) 580 ns)\n");
  fmt::print("{:<14} {:>12} {:>12}\n", "method", "ns a step", "iterations");
  const Model model = gallery("double_pendulum");
  for (const auto& [family, s] : std::vector<std::pair<std::string, int>>{
           {"lobatto", 2}, {"lobatto", 3}, {"lobatto", 4}, {"gauss", 1}, {"gauss", 2}, {"gauss", 3}}) {
    const Cost cost = step_cost(model, family, s, 0.01, 20000);
    fmt::print("{:<14} {:>12.0f} {:>12.2f}\n", fmt::format("{}({})", family, s), cost.nanoseconds, cost.iterations);
  }
}

void chain_table() {
  fmt::print("\nChain of N rods in space, h = 0.0001: CPU time of a step per rod\n");
  fmt::print("{:<14} {:>8} {:>12} {:>12}\n", "method", "N", "ns a rod", "iterations");
  for (const int n : {100, 1000, 10000})
    for (const auto& [family, s] : std::vector<std::pair<std::string, int>>{{"lobatto", 2}, {"gauss", 3}}) {
      NewtonOptions options;
      options.kernel.optimise = false;
      const Cost cost =
          step_cost(gallery("chain", {"N=" + std::to_string(n)}), family, s, 0.0001, 20000 / n + 5, options);
      fmt::print("{:<14} {:>8} {:>12.0f} {:>12.2f}\n", fmt::format("{}({})", family, s), n, cost.nanoseconds / n,
                 cost.iterations);
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

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "long") == 0) long_run();
  else if (argc > 1 && std::strcmp(argv[1], "chain") == 0) chain_table();
  else table(), chain_table();
}
