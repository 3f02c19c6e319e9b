#pragma once

// A parameter study: the same model run with every combination of some values, on all cores.

#include <functional>
#include <string>
#include <vector>

#include "alembert/run/simulate.h"

namespace alembert::internal {

/// What is varied, and its values, as --set takes them.
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
};

struct SweepOptions {
  std::shared_ptr<const Source> model;
  std::vector<std::string> set;  // for all runs: "m1=2"
  std::vector<SweepAxis> axes;   // the last one varies fastest
  /// Paths into the JSON report: "energy.max_error", "q.x1", "q.r[2]"; one that names a group stands for all in it.
  /// Empty: time, energy error, residuals and steps.
  std::vector<std::string> columns;
  std::function<Method(const Model&)> method;
  std::function<SimulateOptions(const Model&)> simulation;
  std::function<void(double)> progress;  // fraction of the runs; called by one thread at a time
  const std::atomic<bool>* interrupt = nullptr;
};

struct SweepRow {
  std::vector<std::string> values;  // one an axis
  using Cell = decltype(ReportEntry::value);
  std::vector<Cell> cells;  // one a column; nothing where there is none
  std::string failure;      // why the run failed; "" where it did not
  std::vector<Warning> warnings;
};

struct Sweep {
  std::string model;
  std::vector<std::string> axes, columns;
  std::vector<SweepRow> rows;
  bool failed() const;  // any row
};

/// Whether one compilation serves all numbers for it: a single parameter that does not shape the model, or a single
/// initial value.
bool can_stay_open(const Model& model, const std::string& name);

/// Equations are derived and compiled once for all values of what can stay open (parameters that do not shape the
/// model, initial values, given as numbers), and once more for each combination of the others. Runs that fail are rows
/// with their reason. Throws InputError where the model cannot be read with one of the values, and for columns that no
/// report has.
Sweep sweep(const SweepOptions& options);

std::string to_text(const Sweep& sweep);
std::string to_json(const Sweep& sweep);
std::string to_csv(const Sweep& sweep);

}  // namespace alembert::internal
