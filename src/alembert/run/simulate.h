#pragma once

// The only time loop. It advances, watches energy, constraints and invariants at every step, and hands rows to
// observers.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alembert/methods/method.h"
#include "alembert/model/model.h"
#include "alembert/run/control.h"
#include "alembert/run/events.h"
#include "alembert/run/reactions.h"
#include "alembert/run/watch.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

/// What a row of a trajectory holds, in this order; names as the user wrote them ("x1", "x1'", "q[2]", "lambda.rod1").
struct Columns {
  std::vector<std::string> names;
  // Where the parts begin: t is column 0.
  int y = 1, z = 0, momentum = 0, multipliers = 0, energy = 0, residuals = 0, invariants = 0, ports = 0, count = 0;
  std::vector<std::string> events;  // names of those that may be found
};

/// Gets every recorded row while the run goes on, so that a failing run leaves what it computed.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Columns& columns, const std::map<std::string, std::string>& attributes) = 0;
  virtual void row(std::span<const double> values) = 0;
  /// An event, by its number in Columns::events; values as in a row. Not every observer cares.
  virtual void event(int number, std::span<const double> values) { (void)number, (void)values; }
  virtual void end() = 0;
};

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

/// The change of energy in a step as the method's stages foretell it, beside the actual one (Symank 2025, (6.15)).
struct EnergyForetold {
  long steps = 0;  // 0: the method foretells nothing
  double total = 0, actual = 0, max_change = 0, max_residual = 0;
  bool parted = false;                  // the parts are known: port-Hamiltonian systems
  double dissipated = 0, supplied = 0;  // over all steps
  void add(double foretold, double change);
};

enum class Ending { done, interrupted, failed };

struct Report {
  std::string model, method;
  int stages = 0;
  Claims claims;
  Control control = Control::fixed;
  double step = 0, t = 0;
  double smallest_step = 0, largest_step = 0;  // magnitudes of those that were made; the last one may be cut
  bool has_energy = false;
  Watched energy;
  Drift drift;
  EnergyForetold foretold;
  double position = 0, velocity = 0, nonholonomic = 0;  // largest residual over all steps
  std::vector<Extremes> velocity_ranges;                // of g', where the method does not hold it
  bool has_discrete = false;        // the method keeps nonholonomic constraints in a form of its own
  double discrete = 0;              // largest residual of that form
  std::vector<Watched> invariants;  // one per entry of Model::invariant_values
  long steps = 0, rejected = 0;
  NewtonStatistics newton;
  double compile_seconds = 0, run_seconds = 0;
  Ending ending = Ending::done;
  std::string reason;  // why it failed: place in time, constraint, what to try
  InitialValues initial;
  std::vector<double> y, z, momentum, lambda, psi;  // at t
  std::vector<double> inputs, outputs;              // of the ports, at t
  std::vector<double> energies, first_energies;     // of the components, at t and at the start
  std::vector<double> v;                            // v(t,y,z) at t
  std::vector<double> internal;                     // stage multipliers of the last step
  std::vector<std::string> internal_names;
  std::vector<JointForces> joints;  // at t
  std::vector<EventRecord> events;
  std::string stopped;  // the event that ended the run; "" where none did
  struct SingularPosition {
    double t = 0;       // of the step behind it
    std::string words;  // "rocker becomes dependent on crank, coupler"
  };
  std::vector<SingularPosition> singular_positions;  // that the motion passed on its regular branch
};

/// Runs a model. Throws InputError for wrong input (method refuses the model, step 0, ...); failing numbers end the run
/// early, with Report::ending and reason, after the observers got all rows.
Report simulate(const Model& model, const Equations& equations, const Method& method, const SimulateOptions& options);

}  // namespace alembert::internal
