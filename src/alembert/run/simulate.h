#pragma once

// Runs inside the library: of a model with what was derived from it, or of an engine that was made before.

#include "alembert/run/engine.h"
#include "alembert/simulate.h"

namespace alembert::internal {

/// What a run with these options asks of an engine.
EngineOptions engine_options(const Equations& equations, const SimulateOptions& options, double t0 = 0);

/// What a run was asked for: time, steps, rows, Newton.
void describe(RunDescription& run, const SimulateOptions& options, double t0);

/// What is known before a run begins: names, parameters, the start.
Report first_report(const Engine& engine, const SimulateOptions& options);

/// Runs an engine from where its motion begins. Throws InputError for wrong options; failing numbers end the run early,
/// with Report::ending and reason, after the observers got all rows.
Report simulate(Engine& engine, const SimulateOptions& options);

/// Makes the engine too. Throws InputError where the method refuses the model or there is no consistent start.
Report simulate(const Model& model, const Equations& equations, const Method& method, const SimulateOptions& options,
                double t0 = 0);

}  // namespace alembert::internal
