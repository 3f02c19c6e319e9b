#pragma once

// The whole step of a small system as one compiled function that makes many steps at a time, watches them, and says
// when something is unusual (newton/step_program.h). Whoever uses it falls back on the engine there.

#include <memory>
#include <optional>
#include <vector>

#include "alembert/code/lanes.h"
#include "alembert/newton/step_program.h"
#include "alembert/run/engine.h"
#include "alembert/simulate.h"

namespace alembert::internal {

/// The code, shared by all motions of an engine and of its copies.
class StepKernel {
 public:
  /// Whether a run with these options could use one.
  static bool serves(const SimulateOptions& options);
  /// Null where the engine's steps are more than usual ones, where so many steps do not pay for compiling, and where
  /// there is no compiler. Makes expressions: not while a copy of the engine is used by another thread.
  static std::shared_ptr<const StepKernel> make(Engine& engine, double steps);

  const StepProgram step;
  const LaneProgram code;

 private:
  StepKernel(StepProgram program, LaneProgram compiled) : step(std::move(program)), code(std::move(compiled)) {}
};

/// One motion with a kernel: where it stands, and its history.
class KernelMotion {
 public:
  /// parameters: of the engine, which outlives the motion.
  KernelMotion(std::shared_ptr<const StepKernel> kernel, std::span<const double> parameters);

  /// From a point, with steps whose ends are t0 + (n + 1) h, t0 + (n + 2) h, ... rates: z', lambda, psi at the point;
  /// `step` forgets its history for them.
  void begin(Step<double>& step, const GridPoint& from, std::span<const double> rates, double t0, long n, double h);

  /// Makes so many steps or fewer; how many.
  long run(long steps) noexcept;
  StepStatus status() const { return static_cast<StepStatus>(static_cast<int>(row_[step_->status])); }
  StepProgram::Pause pause() const {
    return static_cast<StepProgram::Pause>(static_cast<int>(row_[step_->ledger.pause]));
  }
  /// After a step that was not made: as if it had not been tried.
  void excuse() { row_[step_->status] = 0; }
  /// Where it stands, without what only the engine knows.
  void put(GridPoint& at) const;
  double t() const { return row_[step_->start] + row_[step_->made] * row_[step_->h]; }

  double& value(int place) { return row_[place]; }
  const StepProgram& program() const { return *step_; }
  std::vector<double>& row() { return row_; }

 private:
  std::shared_ptr<const StepKernel> kernel_;
  const StepProgram* step_;
  const double* parameters_;
  std::vector<double> row_;  // variables that are no scratch
};

/// Saves a motion that may be there; when it is loaded it has the engine's kernel, which is none where that has none.
void archive_motion(Archive& fields, std::optional<KernelMotion>& motion, const Engine& engine);

}  // namespace alembert::internal
