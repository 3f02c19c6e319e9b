#include "alembert/lab/benchmark.h"

#include <fmt/format.h>

#include <algorithm>

#include "alembert/base/cpu_time.h"
#include "alembert/error.h"
#include "alembert/lab/entry.h"
#include "alembert/numerics.h"
#include "alembert/run/choose_method.h"
#include "alembert/run/report_names.h"
#include "alembert/run/simulate.h"

namespace alembert::internal::benchmark {
namespace {

constexpr double agreement = 10;  // digits

/// CPU time from the first step to the last.
class Stopwatch final : public Observer {
 public:
  void begin(const Columns&, const RunDescription&) override { begin_ = thread_seconds(); }
  void row(std::span<const double>) override {}
  void end() override { seconds = thread_seconds() - begin_; }
  double seconds = 0;

 private:
  double begin_ = 0;
};

void count(Row& row, const SolverStatistics& statistics) {
  row.evaluations += statistics.evaluations;
  row.iterations += statistics.iterations;
  row.factorizations += statistics.factorizations;
}

Method named(const std::string& text) {
  return find_method(parse_term(std::make_shared<const Source>(Source{"method", text})));
}

/// optimise: where runs are long enough to earn that back.
KernelOptions kernels_for(const Trial& trial, bool optimise) {
  if (trial.compiled && native_available()) return {.backend = Backend::native};
  return {.optimise = optimise};
}

MotionPoint<double> on_grid(const Model& model, const Equations& e, Row& row) {
  NewtonOptions newton;
  newton.kernel = kernels_for(row.trial, false);
  if (row.trial.exact) newton.linear = LinearSolver::exact;
  MotionPoint<double> point = polish<double>(e, make_consistent(model, e), 0);
  double t = 0;
  for (const Stretch& stretch : row.trial.grid) {
    const Method method = named(stretch.method.empty() ? row.trial.method : stretch.method);
    const double h = (stretch.until - t) / static_cast<double>(stretch.steps);
    const Endpoint<double> end = integrate<double>(e, method, point, t, h, stretch.steps, newton);
    row.failure = end.failure;
    row.steps += end.steps;
    row.seconds += end.seconds;
    count(row, reported(end.statistics));
    point = end.point;
    t = stretch.until;
    if (!row.failure.empty()) break;
  }
  return point;
}

/// By a tolerance, or in equal steps that are watched.
MotionPoint<double> watched(const Model& model, const Equations& e, double end, Row& row) {
  Stopwatch watch;
  SimulateOptions options;
  options.end = end;
  options.every = 1'000'000'000;
  options.observers = {&watch};
  if (row.trial.tolerance > 0) {
    options.step = *model.solve.step;
    options.steps.control = Control::tolerance;
    options.steps.tolerance = row.trial.tolerance;
  } else {
    options.step = end / static_cast<double>(row.trial.grid.at(0).steps);
  }
  options.newton.kernel = kernels_for(row.trial, row.trial.tolerance > 0);
  row.chosen = row.trial.method == "auto";
  if (row.chosen) options.steps.absolute = row.trial.tolerance;  // as the printed runs have it
  const Method method = row.chosen ? choose_method(model, e, options).method : named(row.trial.method);
  row.trial.method = method.name;
  const Report report = simulate(model, e, method, options);
  if (report.ending != Ending::done) row.failure = report.reason;
  row.steps = report.steps + report.rejected + report.comparisons;
  row.seconds = watch.seconds;
  count(row, report.newton);
  MotionPoint<double> point;
  point.y = report.y;
  point.z = report.z;
  point.lambda = report.lambda;
  point.psi = report.psi;
  return point;
}

template <class Size>
double digits_of(const std::vector<double>& values, const std::vector<double>& expected, Size size) {
  check(values.size() == expected.size(), "a reference for every value");
  double worst = 1e-17;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = std::abs(values[i] - expected[i]) / size(expected[i]);
    if (!(error <= worst) && worst == worst) worst = error;  // what is no number stays
  }
  return -std::log10(worst);
}

/// The row that is the least in some respect, of those that reach so many digits.
template <class Less>
const Row* least(const std::vector<Row>& rows, double scd, Less less) {
  const Row* found = nullptr;
  for (const Row& row : rows)
    if (row.scd >= scd && (!found || less(row, *found))) found = &row;
  return found;
}

std::vector<Problem> chosen(const std::vector<std::string>& names) {
  std::vector<Problem> all = problems();
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const Problem& problem : all) known.push_back(problem.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    throw InputError("there is no benchmark '" + name + "'", near.empty()
                                                                 ? fmt::format("there are {}", fmt::join(known, ", "))
                                                                 : "did you mean '" + near + "'?");
  }
  std::erase_if(all, [&](const Problem& p) { return std::find(names.begin(), names.end(), p.name) == names.end(); });
  return all;
}

}  // namespace

Row run_trial(const Problem& problem, const Model& model, const Equations& e, const Trial& trial) {
  Row row;
  row.trial = trial;
  const MotionPoint<double> end =
      trial.tolerance > 0 || problem.singular ? watched(model, e, problem.end, row) : on_grid(model, e, row);
  if (!row.failure.empty()) return row;
  const std::vector<double> counted = problem.counted.value(end);
  row.scd = scd(counted, problem.counted.expected);
  row.mescd = mescd(counted, problem.counted.expected);
  if (problem.others.value) row.mescd = std::min(row.mescd, mescd(problem.others.value(end), problem.others.expected));
  return row;
}

double scd(const std::vector<double>& values, const std::vector<double>& expected) {
  return digits_of(values, expected, [](double value) { return std::abs(value); });
}

double mescd(const std::vector<double>& values, const std::vector<double>& expected) {
  return digits_of(values, expected, [](double value) { return 1 + std::abs(value); });
}

const Row* Result::shortest(double scd) const {
  return least(rows, scd, [](const Row& a, const Row& b) { return a.steps < b.steps; });
}

const Row* Result::fastest(double scd) const {
  return least(rows, scd, [](const Row& a, const Row& b) { return a.seconds < b.seconds; });
}

double Result::digits() const {
  double most = -INFINITY;
  for (const Row& row : rows) most = std::max(most, row.failure.empty() ? row.scd : most);
  return most;
}

bool Result::ahead() const {
  return std::all_of(problem.published.begin(), problem.published.end(), [&](const Published& other) {
    const Row* ours = shortest(other.scd);
    return ours && ours->steps < other.steps;
  });
}

long Result::ahead_by_tolerance() const {
  const auto beaten = [&](const Published& other) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      const bool fewer = row.steps < other.steps && (other.evaluations < 0 || row.evaluations < other.evaluations);
      return row.chosen && row.scd >= other.scd && fewer;
    });
  };
  return std::count_if(problem.published.begin(), problem.published.end(), beaten);
}

std::string Result::missed() const {
  for (const Row& row : rows)
    if (!row.failure.empty()) return row.trial.method + ": " + row.failure;
  if (!whole) return "";
  if (digits() < agreement)
    return fmt::format("{:.1f} digits of the reference are reached, not {}", digits(), agreement);
  for (const Published& other : problem.published) {
    const Row* ours = shortest(other.scd);
    if (!ours || ours->steps >= other.steps)
      return fmt::format("{} reaches {} digits in {} steps, and no run of ours in fewer", other.solver, other.scd,
                         other.steps);
  }
  return "";
}

bool Benchmarks::passed() const {
  return std::all_of(results.begin(), results.end(), [](const Result& result) { return result.missed().empty(); });
}

Benchmarks run_benchmarks(const Options& options) {
  Benchmarks made;
  made.quick = options.quick;
  double all = 0, done = 0;
  for (Problem& problem : chosen(options.names)) {
    const std::size_t left_out =
        options.quick ? std::erase_if(problem.trials, [](const Trial& trial) { return trial.dear; }) : 0;
    all += static_cast<double>(problem.trials.size());
    made.results.push_back({std::move(problem), left_out == 0, {}});
  }
  for (Result& result : made.results) {
    const Problem& problem = result.problem;
    const Model model = reproduce::Workbench{}.model(problem.model, problem.changes);
    const Equations e = derive(model);
    for (const Trial& trial : problem.trials) {
      if (options.progress) options.progress(done / all, problem.name + ", " + trial.method);
      result.rows.push_back(run_trial(problem, model, e, trial));
      ++done;
    }
  }
  return made;
}

}  // namespace alembert::internal::benchmark
