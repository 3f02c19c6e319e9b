#pragma once

// The step of an engine as a program (newton/step_program.h), with what is watched in a run.

#include <optional>
#include <string>
#include <vector>

#include "alembert/newton/step_program.h"
#include "alembert/run/engine.h"

namespace alembert::internal {

struct EngineProgram {
  std::optional<StepProgram> step;
  std::string why;  // there is none, in words; "" where there is one
};

struct EngineProgramOptions {
  int rows = 6;         // see StepProgramOptions
  bool reduce = false;  // see StepProgramOptions
  bool own_matrix = false;
  bool lean = false;    // see StepProgramOptions
  bool watch = false;   // energy, constraints and events at every step
  bool energy = true;   // is watched, where anything is
  bool locate = false;  // events are located by the program
  bool ledger = false;  // see StepProgramOptions
};

/// The usual step with steps of the size that the engine was made for. Makes expressions: not while a copy of the
/// engine is used by another thread.
EngineProgram program_of(Engine& engine, const EngineProgramOptions& options);

/// Variables of the program for the motion that the engine begins, ready for the first step.
void begin_program(Engine& engine, const StepProgram& step, double steps, double* variables);

}  // namespace alembert::internal
