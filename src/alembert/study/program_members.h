#pragma once

// What lanes and GPUs have in common: members of a study as motions of one program (newton/step_program.h). Each begins
// on the CPU, on its constraints; what comes out of it are the values of some variables.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/run/engine_program.h"
#include "alembert/study/member_engine.h"

namespace alembert::internal {

class ProgramMembers {
 public:
  /// rows, lean: see StepProgramOptions. Events are located by the program, to the fourth order of the step.
  ProgramMembers(const MemberTask& task, int rows, bool lean);

  /// Why this task is no matter of programs alone; "" where it is.
  const std::string& why_not() const { return why_; }
  const StepProgram& step() const { return *program_; }
  /// With Newton's own matrix, for members that converge too slowly where a part of it is left out; null where it
  /// does not.
  const StepProgram* exact_step() const { return exact_ ? &*exact_ : nullptr; }
  const MemberTask& task() const { return task_; }
  long steps() const { return steps_; }
  std::size_t parameters() const { return prototype_->parameters.size(); }

  /// An engine for one thread.
  std::unique_ptr<Engine> engine() const { return std::make_unique<Engine>(*prototype_); }
  /// Variables and parameters of a member at its start, for one of the programs; false where the scalar engine has to
  /// look at it.
  bool begin(const StepProgram& step, Engine& engine, const double* values, double* variables, double* table) const;
  /// The result of a member whose program has made all its steps; nothing where the numbers are such that the scalar
  /// engine should judge them.
  std::optional<MemberResult> result(const StepProgram& step, const double* variables) const;
  /// The member by the scalar engine.
  MemberResult scalar(const double* values) const;

 private:
  void find_columns();
  double stopped_at(const StepProgram& step, const double* variables) const;

  MemberTask task_;
  std::unique_ptr<MemberEngine> scalar_;
  std::unique_ptr<Engine> prototype_;
  std::optional<StepProgram> program_, exact_;
  std::string why_;
  long steps_ = 0;
  enum class Source {
    time,
    steps,
    energy_first,
    energy_last,
    energy_error,
    position,
    velocity,
    nonholonomic,
    state,
    event
  };
  struct Column {
    Source source;
    int index = 0;
  };
  std::vector<Column> columns_;
};

/// Several members side by side in the lanes of one core. Takes every task: what is no matter of lanes is left to the
/// scalar engine.
std::unique_ptr<MemberEngine> make_lane_engine(const MemberTask& task);

/// One member a thread of a GPU. Throws InputError where there is none, or where the task is not one for it.
std::unique_ptr<MemberEngine> make_gpu_engine(const MemberTask& task);

}  // namespace alembert::internal
