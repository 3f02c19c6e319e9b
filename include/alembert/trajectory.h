#pragma once

// The motion, row by row: given to observers while a run goes on, held in memory, written to files, read back, and
// looked at.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/model.h"

namespace alembert {

/// fixed: all equal, a shorter one at the end. tolerance: steps are judged by their stages, and now and then two are
/// compared with one of twice their size; where they err too much they are made again, smaller. reversible: the density
/// of steps follows the motion in a way that is symmetric in time (Hairer and Soederlind 2005), so that a symmetric
/// method keeps the long-time behaviour that it has with equal steps.
enum class Control { fixed, tolerance, reversible };

/// Which run it was. Trajectories carry it too.
struct RunDescription {
  std::string model;                          // its title
  std::string model_text;                     // its source, as it was read
  std::vector<Parameter> parameters;          // after all that replaces what the text says
  std::string method;                         // "lobatto(3)"
  double step = 0;                            // the first one; negative where time runs backward
  Control control = Control::fixed;           // how the others follow
  double tolerance = 0, absolute = 0;         // of Control::tolerance; 0 else
  double start = 0, end = 0;                  // of the time; the end that was asked for
  std::vector<std::string> settings;          // what else was not as usual: "every = 10", "newton_tolerance = 1e-06"
  std::vector<std::string> overrides;         // values in place of the model's, as given: "l=2", "x'=1"
  std::vector<std::string> inputs;            // what inputs followed, as given: "F=wind.csv"
  std::vector<FileText> files;                // what the model was read from beside its text, each once
  std::vector<std::string> observed_columns;  // of what the model observes
  std::string version;                        // of alembert
};

/// Neighbouring columns of one kind: from `begin` up to `end`, which is none of them.
struct ColumnRange {
  int begin = 0, end = 0;

  int size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool operator==(const ColumnRange&) const = default;
};

/// What a row holds, in this order: the time, then groups of columns, any of which may be empty. Names are as the user
/// wrote them ("x1", "x1'", "q[2]", "lambda.rod1").
struct Columns {
  std::vector<std::string> names;  // "t" first
  ColumnRange coordinates;
  ColumnRange velocities;   // the other half of the state: momenta in the Hamiltonian form, else what the user called z
  ColumnRange momenta;      // in the Lagrangian form, where they are no part of the state
  ColumnRange multipliers;  // "lambda.rod1", "psi.roll"; algebraic states of a port-Hamiltonian system
  ColumnRange energy;       // one column, or none
  ColumnRange residuals;    // position, velocity, nonholonomic: largest |g|, |g'|, |k|
  ColumnRange invariants;
  ColumnRange observed;             // by the names that the model gives them, behind "observed." where one is taken
  ColumnRange ports;                // inputs, outputs, energies of components, balance
  std::vector<std::string> events;  // names of those that may be found
  std::vector<std::string> units;   // of the columns, "" where the model gives none; empty where it gives none at all

  int count() const { return static_cast<int>(names.size()); }
};

/// A file cannot be written: the disk is full, the path leads nowhere, another run writes there. What was written
/// before is still there, in whole rows.
class WriteError : public InputError {
 public:
  using InputError::InputError;
};

/// Gets every recorded row while the run goes on, so that a failing run leaves what it computed. One that throws
/// WriteError gets no more rows, and the run ends.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Columns& columns, const RunDescription& run) = 0;
  virtual void row(std::span<const double> values) = 0;
  /// An event, by its number in Columns::events; values as in a row. Not every observer cares.
  virtual void event([[maybe_unused]] int number, [[maybe_unused]] std::span<const double> values) {}
  virtual void end() = 0;

  /// What go_on() needs to go on behind the last row; everything is on disk then. Empty where it needs nothing.
  using Mark = std::vector<std::byte>;
  virtual Mark mark() { return {}; }
  /// In place of begin(), where a run is taken up again. `marks` are those of all observers: a writer that finds its
  /// own goes on there and removes the rows behind it, others begin. Throws InputError where the file is not the one
  /// that was marked.
  virtual void go_on(const Columns& columns, const RunDescription& run, [[maybe_unused]] std::span<const Mark> marks) {
    begin(columns, run);
  }
};

struct Trajectory {
  RunDescription run;  // what is known of it: a .csv file says nothing
  Columns columns;
  std::vector<std::vector<double>> values;  // one list per column
  struct EventRow {
    int event = 0;  // its number in Columns::events
    std::vector<double> values;
  };
  std::vector<EventRow> events;
  long every = 1;    // rows of the run that one row here stands for
  std::string note;  // what a file lacked whose writing was cut short; "" where it is whole

  std::size_t rows() const { return values.empty() ? 0 : values[0].size(); }
  const std::vector<double>& t() const { return values.at(0); }
  bool has_energy() const { return !columns.energy.empty(); }
};

/// Takes every row of a run, and every second, fourth ... one where they become more than `most_rows`.
class Recorder : public Observer {
 public:
  explicit Recorder(std::size_t most_rows = 100'000) : most_(most_rows) {}
  void begin(const Columns& columns, const RunDescription& run) override;
  void row(std::span<const double> values) override;
  void event(int number, std::span<const double> values) override;
  void end() override;

  Trajectory trajectory;

 private:
  std::size_t most_;
  long count_ = 0;
  std::vector<double> last_;
};

/// Writes rows to a file as they come: .csv, .h5 or .json by the ending of the name. Numbers round-trip. At least once
/// a second all rows are on disk, and the file is whole. Throws InputError for an unknown ending, WriteError for a file
/// that cannot be written.
std::unique_ptr<Observer> make_writer(const std::string& path);

/// Hands on these columns alone, behind the time and in this order. A name stands for a column, or for all entries of
/// what has it ("q" for q[1], q[2]). Throws InputError, when a run begins, for names that it does not have.
std::unique_ptr<Observer> choose_columns(std::unique_ptr<Observer> to, std::vector<std::string> names);
/// The columns that a name stands for; none where there are none.
std::vector<int> columns_named(const Columns& columns, const std::string& name);

/// The same for a trajectory that is at hand.
void write(const Trajectory& trajectory, const std::string& path);

/// A file that a writer wrote; one that was cut short up to its last whole row, with a note. Throws InputError where it
/// is none.
Trajectory read_trajectory(const std::string& path);

/// Coordinates, positions of points, energy error, constraints, invariants and multipliers, a panel each: an SVG
/// document.
std::string figure(const Trajectory& trajectory);

/// A whole page that needs nothing else: the animation where the model has points, the figure, and words (the report).
std::string page(const Trajectory& trajectory, const std::string& words = {});

}  // namespace alembert
