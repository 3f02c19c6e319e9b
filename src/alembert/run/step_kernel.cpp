#include "alembert/run/step_kernel.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "alembert/run/engine_program.h"

namespace alembert::internal {

namespace {

// Compiling takes 40 microseconds an operation, and an operation that is in the kernel saves 0.15 to 0.25 nanoseconds
// in every step: on the double pendulum, 36 ms against 140 ns a step of RATTLE, 138 ms against 600 with four stages.
constexpr double fewest_kernel_steps = 2e5;
// Beyond, compiling takes longer for an operation.
constexpr double long_program = 4000;

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

// Whatever rows are asked for: the motion must not depend on them by a bit.
bool StepKernel::serves(const SimulateOptions& options) {
  return options.steps.control == Control::fixed && options.steps.guess == Guess::extrapolated &&
         options.steps.most_steps == 0;
}

std::shared_ptr<const StepKernel> StepKernel::make(Engine& engine, double steps) {
  const KernelOptions& asked = engine.options.newton.kernel;
  if (asked.backend == Backend::interpreter || !native_available() || asks_for_more(engine)) return nullptr;
  const bool always = asked.backend == Backend::native;
  if (!always && steps < fewest_kernel_steps) return nullptr;
  EngineProgram made = program_of(engine, {.rows = 0, .reduce = true, .ledger = true});
  if (!made.step) return nullptr;
  const double length = static_cast<double>(made.step->program.operations()) / long_program;
  if (!always && steps < fewest_kernel_steps * length) return nullptr;
  try {
    LaneProgram code(made.step->program, 1);
    return std::shared_ptr<const StepKernel>(new StepKernel(std::move(*made.step), std::move(code)));
  } catch (const std::runtime_error&) {
    if (always) throw;
    return nullptr;  // a machine that forbids new code still computes
  }
}

KernelMotion::KernelMotion(std::shared_ptr<const StepKernel> kernel, std::span<const double> parameters)
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

void archive_motion(Archive& fields, std::optional<KernelMotion>& motion, const Engine& engine) {
  std::vector<double> row;
  if (motion) row = motion->row();
  fields(row);
  if (!fields.reading()) return;
  motion.reset();
  if (!row.empty() && engine.kernel) motion.emplace(engine.kernel, engine.parameters).row() = row;
}

}  // namespace alembert::internal
