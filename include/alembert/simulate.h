#pragma once

// A whole run: steps up to an end, rows, events, and what was preserved.

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "alembert/numerics.h"
#include "alembert/report.h"
#include "alembert/stepper.h"
#include "alembert/trajectory.h"

namespace alembert {

/// Where Newton starts in a step: extrapolated from the steps before; with the accelerations 0 and the multipliers of
/// now (naive), or with both of now (educated), as Symank 2025, section 7.3.1, calls them.
enum class Guess { extrapolated, naive, educated };

/// Limits for the steps that follow the first one. Sizes are magnitudes.
struct StepOptions {
  Control control = Control::fixed;
  // With tolerance only. In a step every quantity of the state (a vector counts as one) may be off by
  // absolute + tolerance*|its size now and shortly before|, but for rounding.
  double tolerance = 1e-8;
  double absolute = 0;  // in the units of each entry
  double largest = 0;   // no step is longer; 0: a part of the whole time
  double growth = 2;    // from one size to the next, at most
  double shrink = 0.2;  // at least, and where Newton fails
  long good_steps = 1;  // that must go well, one after the other, before steps grow
  // With tolerance and reversible.
  double smallest = 0;  // where steps would become shorter the run fails; 0: a tiny part of the whole time
  // With all.
  long most_steps = 0;  // the run fails where it needs more; 0: no limit
  // With fixed steps only.
  Guess guess = Guess::extrapolated;
};

/// Where a run leaves what it takes to go on. The file always is whole: the new one is put in the place of the old one.
struct Checkpoint {
  std::string path;    // empty: none is written
  double seconds = 0;  // of computing between two of them; 0: see steps
  long steps = 0;      // between two; 0: see seconds. Where both are 0 once a minute
};

struct SimulateOptions {
  double end = 0;
  double step = 0;  // may be negative, as end; 0: the step that was compiled for
  // Rows: every Nth step (all where unset), and always the first and the last; or, where they are given, the times `at`
  // in any order and the multiples of `sample` from the start on, in the order of the run. Both with `every` too.
  std::optional<long> every = {};
  std::vector<double> at = {};
  double sample = 0;   // above 0
  bool dirac = false;  // rows also hold the flows E x' and efforts z of a port-Hamiltonian system
  StepOptions steps = {};
  std::vector<Observer*> observers = {};
  const std::atomic<bool>* interrupt = nullptr;    // set by Ctrl-C
  std::function<void(double done)> progress = {};  // fraction, called a few times a second at most
  bool strict = false;                             // what would be a warning ends the run
  NewtonOptions newton = {};                       // of what is compiled for the run
  Checkpoint checkpoint = {};                      // also written where the run is interrupted
  /// The bytes of a checkpoint of the same model, method and options: the run goes on behind it with the same bits, and
  /// so do the files of observers. Throws InputError where they belong to another run.
  std::vector<std::byte> resume = {};
};

struct Run {
  Trajectory trajectory;
  Report report;
};

/// Runs on from where the stepper stands, which stays where it is, and keeps the rows in memory (at most 100,000 of
/// them, evenly spaced; observers get all). Throws InputError for wrong input; failing numbers end the run early, with
/// Report::ending and reason, after the observers got all rows.
Run simulate(const Stepper& stepper, const SimulateOptions& options);

/// The same with rows for the observers alone: nothing is kept.
Report follow(const Stepper& stepper, const SimulateOptions& options);
/// Compiles for this one run and makes it from the model's initial values, t = 0 on: what `alembert run` does.
Report follow(const Method& method, const Equations& equations, const SimulateOptions& options);

/// Writes the rows of a run: .csv, .h5 or .json by the ending of the name.
void write(const Run& run, const std::string& path);
/// Prints the report to standard output.
void print(const Report& report);

}  // namespace alembert
