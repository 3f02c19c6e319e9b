#pragma once

// The only time loop. It advances, watches energy, constraints and invariants at every step, and hands rows to
// observers.

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "alembert/methods/method.h"
#include "alembert/model/model.h"
#include "alembert/report.h"
#include "alembert/run/control.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

struct SimulateOptions {
  double t0 = 0;
  double end = 0;
  double step = 0;  // may be negative, as end
  // Rows: every Nth step (all where unset), and always the first and the last; or, where they are given, the times `at`
  // in any order and the multiples of `sample` from the start on, in the order of the run. Both with `every` too.
  std::optional<long> every;
  std::vector<double> at;
  double sample = 0;   // above 0
  bool dirac = false;  // rows also hold the flows E x' and efforts z of a port-Hamiltonian system
  StepOptions steps;
  std::vector<Observer*> observers;
  const std::atomic<bool>* interrupt = nullptr;  // set by Ctrl-C
  std::function<void(double done)> progress;     // fraction, called a few times a second at most
  NewtonOptions newton;
};

/// Runs a model. Throws InputError for wrong input (method refuses the model, step 0, ...); failing numbers end the run
/// early, with Report::ending and reason, after the observers got all rows.
Report simulate(const Model& model, const Equations& equations, const Method& method, const SimulateOptions& options);

}  // namespace alembert::internal
