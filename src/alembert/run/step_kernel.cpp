#include "alembert/run/step_kernel.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "alembert/run/engine_program.h"

namespace alembert::internal {

namespace {

// Compiling takes as long for an operation as the kernel saves in so many steps: 38 microseconds an operation against
// 200 nanoseconds a step of RATTLE on the double pendulum, 55 against 530 with four stages.
constexpr double steps_for_operation = 200;
// Rows that are nearer to each other leave too little to do between them.
constexpr long fewest_between_rows = 8;

/// What the engine does at the end of every step that no kernel does.
bool asks_for_more(const Engine& engine) {
  const Claims& claims = engine.method.claims;
  const Equations& e = engine.e;
  const bool held = (e.g.empty() || (claims.position && claims.velocity)) && (e.k.empty() || claims.nonholonomic);
  const bool told = e.energy && engine.step.energy_change();
  return !held || told || engine.step.has_discrete() || engine.observed.any() || engine.ports || engine.work ||
         engine.kinks || engine.inputs.any() || !e.auxiliary.empty() || !e.events.empty() || !engine.watch.is_simple();
}

}  // namespace

bool StepKernel::serves(const SimulateOptions& options) {
  if (options.steps.control != Control::fixed || options.steps.guess != Guess::extrapolated) return false;
  if (options.steps.most_steps != 0) return false;
  if (options.observers.empty()) return true;
  const bool samples = !options.at.empty() || options.sample > 0;
  const long every = options.every.value_or(samples ? 0 : 1);
  const double between = fewest_between_rows * std::abs(options.step);
  if (options.sample > 0 && options.sample < between) return false;
  return every == 0 || every >= fewest_between_rows;
}

std::shared_ptr<const StepKernel> StepKernel::make(Engine& engine, double steps) {
  const KernelOptions& asked = engine.options.newton.kernel;
  if (asked.backend == Backend::interpreter || !native_available() || asks_for_more(engine)) return nullptr;
  const bool always = asked.backend == Backend::native;
  constexpr double fewest_operations = 300;  // of the smallest program
  if (!always && steps < steps_for_operation * fewest_operations) return nullptr;
  EngineProgram made = program_of(engine, {.reduce = true, .ledger = true});
  if (!made.step) return nullptr;
  const auto operations = static_cast<double>(made.step->program.operations());
  if (!always && steps < steps_for_operation * operations) return nullptr;
  try {
    LaneProgram code(made.step->program, 1);
    return std::shared_ptr<const StepKernel>(new StepKernel(std::move(*made.step), std::move(code)));
  } catch (const std::runtime_error&) {
    if (always) throw;
    return nullptr;  // a machine that forbids new code still computes
  }
}

KernelMotion::KernelMotion(std::shared_ptr<const StepKernel> kernel, const std::vector<double>& parameters)
    : kernel_(std::move(kernel)),
      step_(&kernel_->step),
      parameters_(parameters.data()),
      row_(static_cast<std::size_t>(step_->program.scratch), 0.0) {}

void KernelMotion::begin(Step<double>& step, const GridPoint& from, std::span<const double> rates, double t0, long n,
                         double h) {
  step.restart(rates.data());
  step.carry_on(from.carried);
  row_.assign(static_cast<std::size_t>(step_->program.variables), 0.0);
  step_->begin(row_.data(), t0, h, 0, from.state.data(), rates, from.carried);
  row_[step_->made] = static_cast<double>(n);
  std::copy(from.compensation.begin(), from.compensation.end(), row_.begin() + step_->compensation);
  const std::size_t inputs = 2 + from.state.size();
  std::vector<double> guesses;
  for (const std::vector<double>& start : step.first_points(from.t, h, from.state.data()))
    guesses.insert(guesses.end(), start.begin() + static_cast<std::ptrdiff_t>(inputs), start.end());
  step_->guess(row_.data(), guesses);
  row_.resize(static_cast<std::size_t>(step_->program.scratch));
  const StepProgram::Ledger& ledger = step_->ledger;
  for (const int bound : {ledger.residual_bound, ledger.energy_bound, ledger.prediction_bound}) row_[bound] = HUGE_VAL;
}

long KernelMotion::run(long steps) noexcept {
  const double before = row_[step_->made];
  row_[step_->left] = static_cast<double>(steps);
  row_[step_->ledger.pause] = 0;
  kernel_->code.run(row_.data(), parameters_, 1);
  return static_cast<long>(row_[step_->made] - before);
}

void KernelMotion::put(GridPoint& at) const {
  at.t = t();
  const auto copy = [&](int from, std::vector<double>& to) { std::copy_n(row_.begin() + from, to.size(), to.begin()); };
  copy(step_->state, at.state);
  copy(step_->compensation, at.compensation);
  at.carried.resize(static_cast<std::size_t>(step_->carries));
  copy(step_->carried, at.carried);
  at.prediction_error = row_[step_->ledger.correction];
  at.on_grid = true;
}

}  // namespace alembert::internal
