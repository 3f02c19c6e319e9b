#pragma once

// Many runs of one model, and what is measured on it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alembert/findings.h"
#include "alembert/simulate.h"

namespace alembert {

/// A set of values for one run: open parameters and initial values by name.
using Values = std::map<std::string, double>;

struct Member {
  Values values;
  Report report;
  std::string failure;  // why there was no run (no consistent start, say); "" where there was one
};

/// Who gets the rows of a member, by its number; null: nobody. Called by the threads that run the members.
using MemberObserver = std::function<Observer*(std::size_t member)>;

/// The same run with many sets of values, on all cores, from one compilation. The stepper stays as it is; each member
/// starts from the model's initial values with its own in their place. Members come back in their order. progress is
/// the share of members that are done, told by one thread at a time; interrupt ends those that run and begins no other.
std::vector<Member> sweep(const Stepper& stepper, const std::vector<Values>& values, const SimulateOptions& options,
                          const MemberObserver& observer = {});

// Grids, draws and tables --------------------------------------------------------------------------------------------

enum class Distribution { normal, uniform };

/// A parameter or initial value that is drawn for each member.
struct Draw {
  std::string name;
  Distribution distribution = Distribution::uniform;
  double a = 0, b = 1;  // normal: mean and deviation; uniform: the ends
};

/// How the numbers behind draws are chosen: independently; one in each of as many equal parts as there are members
/// (latin hypercube); or by Sobol's sequence, shifted at random, for at most 40 draws.
enum class Sampling { random, latin, sobol };

/// The values of all draws, member after member: those that ensemble() gives them.
std::vector<Values> draw_members(const std::vector<Draw>& draws, std::uint64_t members, std::uint64_t seed = 0,
                                 Sampling sampling = Sampling::random);

/// A parameter or initial value that takes each of some values.
struct StudyAxis {
  std::string name;
  std::vector<double> values;
};

struct EnsembleOptions {
  std::vector<StudyAxis> axes = {};  // all combinations are run; the last one varies fastest
  std::vector<Draw> draws = {};
  std::uint64_t members = 1;  // draws for each combination of the axes
  std::uint64_t seed = 0;     // another seed: other draws; the same seed: the same, on every machine
  Sampling sampling = Sampling::random;
  /// Paths as of ReportEntry ("energy.max_error", "q.x1", a group such as "q"), and of events by their names:
  /// "events.flip.t" (first time), "events.flip.last", "events.flip.count". Empty: time, energy error, residuals.
  std::vector<std::string> columns = {};
  SimulateOptions run = {};  // of every member; no observers; progress is the share of members that are done
  int threads = 0;           // 0: all cores. What comes out does not depend on them
  /// Where the table goes while it grows, .csv, .json or .h5; "": nowhere. Finished members are safe in `out`.journal
  /// until all are there: with resume a study that was ended goes on from it.
  std::string out = {};
  bool resume = false;
  bool keep_rows = true;  // in the result; without them a study of any size needs little memory
};

/// What a report has in such columns (of single values, no groups); nothing where there is none.
std::vector<decltype(ReportEntry::value)> cells(const Report& report, const std::vector<std::string>& columns);

/// What the members have in one column, of those that have a finite number there.
struct ColumnStatistics {
  std::string column;
  std::uint64_t count = 0;
  double mean = 0, deviation = 0;  // the latter with count - 1
  double least = 0, most = 0;
  /// Shares 0.05, 0.25, 0.5, 0.75 and 0.95 of the members are below; exact up to two million of them, then with an
  /// error of their share below 1e-5.
  double quantiles[5] = {};
  std::vector<std::uint64_t> histogram;  // in equal parts between least and most
};

struct EnsembleRow {
  std::vector<std::string> values;                  // of the axes, then of the draws
  std::vector<decltype(ReportEntry::value)> cells;  // one a column; nothing where there is none
  std::string failure;                              // why it failed; "" where it did not
  std::vector<Warning> warnings;
};

struct Ensemble {
  std::vector<std::string> names, columns;  // of values and cells
  std::vector<EnsembleRow> rows;            // in the order of the members
  std::vector<ColumnStatistics> statistics;
  std::uint64_t members = 0, done = 0, failed = 0;  // done: fewer than members where it was interrupted
};

/// Runs a model with all combinations of axes and draws, on all cores and, where Open MPI's mpirun started several
/// processes, on all of them. Members that fail are rows with their reason. Throws InputError for names and columns
/// that do not exist, before anything runs.
Ensemble ensemble(const Model& model, const Method& method, const EnsembleOptions& options);

/// A method for a run that names none.
struct SuitedMethod {
  Method method;
  std::string reason;  // one plain line, for Report::choice
};
/// By the structure of the model, by how fast its motion dies away at `start`, and by the tolerance of the options,
/// whose end decides how long steps may become. Throws InputError where the model has no consistent start or no method
/// takes it.
SuitedMethod suited_method(const Equations& equations, const SimulateOptions& options, double start = 0);

/// What a model is, whether its initial values are consistent, and which methods take it.
Examination examine(const Model& model);

struct VerifyOptions {
  double step = 0, end = 0;
  double seconds = 5;                  // the run for energy, constraints and invariants is cut after these
  std::function<void()> waiting = {};  // called some times a second; may throw to end it
};
/// What a method really preserves on a model, beside what it claims.
Verification verify(const Method& method, const Equations& equations, const VerifyOptions& options);

struct MeasureOptions {
  std::vector<double> steps = {};                  // empty: the model's step times 4, 2, 1, 1/2, fitted to the end
  std::optional<double> end = {};                  // unset: the model's, but at most a hundred of its steps
  bool quad = false;                               // runs in extended precision: shows high orders, hides the real cost
  std::function<void(double done)> progress = {};  // fraction of the work, some times a second; may throw to end it
};
/// Measured orders and work of methods on a model, against a reference of higher order and precision. Throws InputError
/// for a step that does not divide the end, a method that refuses the model, ...
Convergence converge(const std::vector<Method>& methods, const Equations& equations, const MeasureOptions& options);

}  // namespace alembert
