#pragma once

// The only time loop. It advances, watches energy, constraints and invariants at every step, and hands rows to
// observers.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alembert/methods/method.h"
#include "alembert/model/model.h"
#include "alembert/run/watch.h"
#include "alembert/solve/initial.h"

namespace alembert {

/// What a row of a trajectory holds, in this order; names as the user wrote them ("x1", "x1'", "q[2]", "lambda.rod1").
struct Columns {
  std::vector<std::string> names;
  // Where the parts begin: t is column 0.
  int y = 1, z = 0, momentum = 0, multipliers = 0, energy = 0, residuals = 0, invariants = 0, count = 0;
};

/// Gets every recorded row while the run goes on, so that a failing run leaves what it computed.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Columns& columns, const std::map<std::string, std::string>& attributes) = 0;
  virtual void row(std::span<const double> values) = 0;
  virtual void end() = 0;
};

/// Where Newton starts in a step: extrapolated from the steps before; with the accelerations 0 and the multipliers of
/// now (naive), or with both of now (educated), as Symank 2025, section 7.3.1, calls them.
enum class Guess { extrapolated, naive, educated };

struct SimulateOptions {
  double t0 = 0;
  double end = 0;
  double step = 0;  // may be negative, as end
  long every = 1;   // rows: every Nth step, and always the first and the last
  std::vector<Observer*> observers;
  const std::atomic<bool>* interrupt = nullptr;  // set by Ctrl-C
  std::function<void(double done)> progress;     // fraction, called a few times a second at most
  NewtonOptions newton;
  Guess guess = Guess::extrapolated;
};

/// The change of energy in a step as the method's stages foretell it, beside the actual one (Symank 2025, (6.15)).
struct EnergyForetold {
  long steps = 0;  // 0: the method foretells nothing
  double total = 0, actual = 0, max_change = 0, max_residual = 0;
  void add(double foretold, double change);
};

enum class Ending { done, interrupted, failed };

struct Report {
  std::string model, method;
  int stages = 0;
  Claims claims;
  double step = 0, t = 0;
  bool has_energy = false;
  Watched energy;
  Drift drift;
  EnergyForetold foretold;
  double position = 0, velocity = 0, nonholonomic = 0;  // largest residual over all steps
  std::vector<Watched> invariants;                      // one per entry of Model::invariant_values
  long steps = 0, rejected = 0;
  NewtonStatistics newton;
  double compile_seconds = 0, run_seconds = 0;
  Ending ending = Ending::done;
  std::string reason;  // why it failed: place in time, constraint, what to try
  InitialValues initial;
  std::vector<double> y, z, momentum, lambda, psi;  // at t
  std::vector<double> v;                            // v(t,y,z) at t
  std::vector<double> internal;                     // stage multipliers of the last step
  std::vector<std::string> internal_names;
};

/// Runs a model. Throws InputError for wrong input (method refuses the model, step 0, ...); failing numbers end the run
/// early, with Report::ending and reason, after the observers got all rows.
Report simulate(const Model& model, const Equations& equations, const Method& method, const SimulateOptions& options);

}  // namespace alembert
