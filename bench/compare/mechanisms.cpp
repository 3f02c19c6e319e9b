// Car axis and Andrews' mechanism: what an accuracy costs.

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "alembert/lab/benchmark.h"
#include "contests.h"
#include "mechanism.h"
#include "rivals.h"

namespace alembert::bench {

namespace {

using internal::benchmark::Problem;
using internal::benchmark::Row;
using internal::benchmark::Trial;

/// What all runs of one problem share.
struct Shared {
  explicit Shared(const Problem& asked)
      : problem(asked),
        model(
            internal::read_model(std::string(ALEMBERT_SOURCE_DIR) + "/models/" + asked.model + ".alm", asked.changes)),
        e(derive(model)),
        mechanism(model) {}
  Problem problem;
  internal::Model model;
  internal::Equations e;
  Mechanism mechanism;

  /// The largest relative error of what the problem counts.
  double error(const std::vector<double>& state) {
    internal::MotionPoint<double> end;
    std::vector<double> rates(state.size());
    end.lambda.resize(static_cast<std::size_t>(mechanism.constraints()));
    if (!mechanism.rates(problem.end, state.data(), rates.data(), end.lambda.data())) return NAN;
    end.y.assign(state.begin(), state.begin() + mechanism.positions());
    end.z.assign(state.begin() + mechanism.positions(), state.begin() + mechanism.positions() + mechanism.velocities());
    return std::pow(10.0, -internal::benchmark::scd(problem.counted.value(end), problem.counted.expected));
  }
};

/// In equal steps, and by a tolerance alone, as `alembert benchmark` runs them.
void add_ours(const std::shared_ptr<Shared>& shared, std::vector<Contestant>& contestants) {
  const auto once = [shared](const Trial& trial) {
    return internal::benchmark::run_trial(shared->problem, shared->model, shared->e, trial);
  };
  for (Trial trial : shared->problem.trials) {
    trial.compiled = true;  // as the rivals' functions are
    if (trial.dear || (trial.tolerance > 0 && trial.method != "auto")) continue;
    const Row row = once(trial);
    if (!row.failure.empty()) continue;
    const std::string name = row.chosen ? "tolerance alone" : row.trial.method + ", equal steps";
    contestants.push_back({name, Kind::ours,
                           [once, trial]() -> double {
                             const Row again = once(trial);
                             return again.failure.empty() ? again.seconds : NAN;
                           },
                           std::pow(10.0, -row.scd)});
  }
}

void add_rivals(const std::shared_ptr<Shared>& shared, bool quick, std::vector<Contestant>& contestants) {
  for (const MechanismRival& rival : mechanism_rivals())
    for (double tolerance = 1e-3; tolerance > 0.9e-12; tolerance /= quick ? 1000 : 10) {
      const auto once = [shared, run = rival.run, tolerance] {
        return run(shared->mechanism, shared->problem.end, tolerance);
      };
      const std::optional<Integrated> first = once();
      const double error = first ? shared->error(first->state) : NAN;
      if (!(error < 1)) continue;
      contestants.push_back({rival.name, Kind::rival,
                             [once]() -> double {
                               const std::optional<Integrated> again = once();
                               return again ? again->seconds : NAN;
                             },
                             error});
    }
}

}  // namespace

void compare_mechanisms(const BenchOptions& options, Results& results) {
  for (const Problem& problem : internal::benchmark::problems()) {
    if (problem.name != "car_axis" && problem.name != "andrews") continue;
    const auto shared = std::make_shared<Shared>(problem);
    std::vector<Contestant> contestants;
    add_ours(shared, contestants);
    add_rivals(shared, options.quick, contestants);
    results.diagrams.push_back({fmt::format("{}, to t = {}", problem.title, problem.end), "CPU seconds of the run",
                                "largest relative error at the end", measure(contestants, options.quick ? 1 : 5)});
  }
}

}  // namespace alembert::bench
