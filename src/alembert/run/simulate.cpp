#include "alembert/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "alembert/base/inside.h"
#include "alembert/base/profile.h"
#include "alembert/error.h"
#include "alembert/numerics.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_stepping.h"
#include "alembert/run/inside_stepper.h"
#include "alembert/run/report_names.h"
#include "alembert/run/simulation.h"
#include "alembert/run/step_kernel.h"

namespace alembert::internal {

namespace {

using Clock = std::chrono::steady_clock;

SampleTimes sample_times(const SimulateOptions& options, double t0) {
  return {options.at, options.sample, t0, options.end};
}

void check_options(const SimulateOptions& options, const Method& method, double t0) {
  check_steps(options.steps, method, t0, options.end, options.step);
  if (options.steps.guess != Guess::extrapolated && options.steps.control != Control::fixed)
    throw InputError("`guess` has no meaning here", "it goes with steps of one size");
  if (options.every && *options.every < 1) throw InputError("`every` must be at least 1");
  for (const Observer* observer : options.observers)
    if (!observer) throw InputError("one of `observers` is a null pointer", "leave it out");
  if (options.checkpoint.steps < 0 || !(options.checkpoint.seconds >= 0))
    throw InputError("`checkpoint` comes after a number of steps or seconds above 0");
}

}  // namespace

void describe(RunDescription& run, const SimulateOptions& options, double t0) {
  const StepOptions &steps = options.steps, usual;
  run.control = steps.control;
  if (run.control == Control::tolerance) {
    run.tolerance = steps.tolerance;
    run.absolute = steps.absolute;
  }
  run.step = options.step;
  run.start = t0;
  run.end = options.end;
  run.settings.clear();
  const auto say = [&](const char* name, const std::string& value) {
    run.settings.push_back(std::string(name) + " = " + value);
  };
  const auto number = [&](const char* name, double value, double otherwise) {
    if (value != otherwise) say(name, to_text(value));
  };
  if (options.every) say("every", std::to_string(*options.every));
  if (!options.at.empty()) {
    std::string times;
    for (const double t : options.at) times += (times.empty() ? "" : ", ") + to_text(t);
    say("at", times);
  }
  number("sample", options.sample, 0);
  if (options.dirac) say("dirac", "yes");
  if (options.strict) say("strict", "yes");
  number("max_step", steps.largest, usual.largest);
  number("min_step", steps.smallest, usual.smallest);
  number("growth", steps.growth, usual.growth);
  number("shrink", steps.shrink, usual.shrink);
  number("good_steps", static_cast<double>(steps.good_steps), static_cast<double>(usual.good_steps));
  if (steps.guess != Guess::extrapolated) say("guess", steps.guess == Guess::naive ? "naive" : "educated");
  constexpr const char* solvers[] = {"", "exact", "unrolled", "dense", "sparse", "two-matrix", "minimum-norm"};
  if (options.newton.linear != LinearSolver::automatic)
    say("newton", solvers[static_cast<std::size_t>(options.newton.linear)]);
  number("newton_tolerance", options.newton.tolerance, 0);
}

Report first_report(const Engine& engine, const SimulateOptions& options) {
  Report report;
  describe(report, engine.model, engine.e, engine.method);
  if (!engine.parameters.empty()) set_parameters(report, engine.model_parameters());
  if (!engine.remark.empty()) report.note = engine.remark;
  describe(report, options, engine.t0);
  report.t = engine.t0;
  report.initial = reported(engine.initial);
  return report;
}

EngineOptions engine_options(const Equations& e, const SimulateOptions& options, double t0) {
  const SampleTimes samples = sample_times(options, t0);
  EngineOptions result;
  result.t0 = t0;
  result.step = options.step;
  result.steps = count_steps(t0, options.end, options.step);
  result.samples = samples.count();
  const double every = static_cast<double>(options.every.value_or(samples.any() ? 0 : 1));
  if (!options.observers.empty() && every > 0) result.rows = result.steps / every;
  // Steps by a tolerance are judged by the accelerations at their ends.
  if (options.steps.control == Control::tolerance) result.rows = std::max(result.rows, result.steps);
  result.reversible = options.steps.control == Control::reversible;
  result.at_once = StepKernel::serves(options);
  result.dirac = options.dirac && e.port;
  result.newton = options.newton;
  // Two small matrices are for steps that are short beside the motion; those by a tolerance are not.
  constexpr std::size_t large = 300;
  const bool long_steps = options.steps.control == Control::tolerance && e.z.size() <= large;
  if (long_steps && result.newton.linear == LinearSolver::automatic) result.newton.linear = LinearSolver::exact;
  return result;
}

Report simulate(Engine& engine, const SimulateOptions& options) {
  check_options(options, engine.method, engine.t0);
  SampleTimes samples = sample_times(options, engine.t0);
  engine.prepare(engine_options(engine.e, options, engine.t0));
  engine.watch.restart();
  engine.observed.restart();
  if (!engine.model.contacts.empty()) {
    const Clock::time_point begin = Clock::now();
    Report report = engine.method.capabilities.inclusions ? ContactStepping(engine, options).run()
                                                          : ContactRun(engine, options).run();
    report.run_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return report;
  }
  Report report = first_report(engine, options);
  Simulation(engine, options, std::move(samples), report).run();
  return report;
}

Report simulate(const Model& model, const Equations& e, const Method& method, const SimulateOptions& options,
                double t0) {
  const Clock::time_point begin = Clock::now();
  require_taken(method, model, e);
  check_options(options, method, t0);
  std::optional<During> preparing(Activity::preparing);
  Engine engine(model, e, method, engine_options(e, options, t0));
  preparing.reset();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  Report report = simulate(engine, options);
  report.compile_seconds = seconds;
  return report;
}

}  // namespace alembert::internal

namespace alembert {

Run simulate(const Stepper& stepper, const SimulateOptions& asked) {
  SimulateOptions options = asked;
  Recorder recorder;
  options.observers.push_back(&recorder);
  Run run;
  run.report = follow(stepper, options);
  run.trajectory = std::move(recorder.trajectory);
  return run;
}

Report follow(const Stepper& stepper, const SimulateOptions& asked) {
  SimulateOptions options = asked;
  if (options.step == 0) options.step = stepper.h();
  if (options.end == stepper.t() && options.at.empty() && options.resume.empty())
    throw InputError("a run that ends where the stepper stands, at t = " + to_text(stepper.t()) + ", makes no step",
                     "say when it ends: {.end = 10}");
  const std::unique_ptr<internal::Engine> engine = internal::InsideStepper::engine_here(stepper, options.step);
  Report report = internal::simulate(*engine, options);
  report.compile_seconds = stepper.compile_seconds();
  return report;
}

Report follow(const Method& method, const Equations& equations, const SimulateOptions& options) {
  return internal::simulate(internal::inside(equations.model()), internal::inside(equations), internal::inside(method),
                            options);
}

void write(const Run& run, const std::string& path) { write(run.trajectory, path); }

void print(const Report& report) { fmt::print("{}", to_text(report)); }

}  // namespace alembert
