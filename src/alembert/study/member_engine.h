#pragma once

// Who runs the members of a study: one interface for the scalar engine, for lanes and for GPUs. A member is a run of
// the model with values of its own for what was left open; engines know nothing of grids, draws, files and nodes.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "alembert/model/model.h"
#include "alembert/report.h"
#include "alembert/simulate.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

/// What all members of an engine have in common. Everything pointed to outlives the engine.
struct MemberTask {
  const Model* model = nullptr;
  const Equations* equations = nullptr;  // derived with `names` open
  const Method* method = nullptr;
  SimulateOptions simulation;        // step, end, strict, interrupt; no observers
  std::vector<std::string> names;    // what members differ in: open parameters and initial values ("l", "x'")
  std::vector<std::string> columns;  // what is wanted of each, see member_columns.h: "q.x", "events.flip.t"
  double members = 1;                // how many will be run, roughly: decides how much compiling pays off
};

/// Some members, as they are handed out together.
struct MemberBatch {
  std::size_t count = 0;
  std::vector<double> values;  // count x names, member after member
};

/// What came out of one.
struct MemberResult {
  using Cell = decltype(ReportEntry::value);
  std::vector<Cell> cells;        // one a column; nothing where there is none
  std::string failure;            // why it failed, "" where it did not; cells say how far it came
  std::vector<Warning> warnings;  // one of each kind, in the order of time
  bool interrupted = false;       // ended by `interrupt`: not a result, will be run again
  bool refused = false;           // these values have no start in the equations of the task
};

/// Thrown by an engine that was asked for by name and cannot take the task, whatever the values of its members.
class NotForEngine : public InputError {
 public:
  using InputError::InputError;
};

class MemberEngine {
 public:
  virtual ~MemberEngine() = default;

  /// Runs all members of a batch; result i belongs to member i. A member that fails says why and does not
  /// concern the others. What comes out depends on the member's values alone: not on its batch, its place there, the
  /// thread or what was run before. Called by several threads at once.
  virtual std::vector<MemberResult> run(const MemberBatch& batch) const = 0;

  /// How many members it likes to have at once, where there are as many. One that wants all cores or a device for
  /// itself lets calls of run() wait for each other.
  virtual std::size_t batch_size() const { return 1; }

  /// One member once more with its accuracy estimated; nothing where run() estimates it. Called by several threads.
  virtual std::optional<MemberResult> judged(const double*) const { return {}; }
  /// Whether run() estimates the accuracy of a member that it does not run alone; else a sample is judged().
  virtual bool estimates_accuracy() const { return true; }
  /// Why it runs members one at a time although it was made to run several at once; "" where it does not.
  virtual std::string why_alone() const { return ""; }
};

/// Makes an engine for a task. Throws InputError where the method refuses the model, or the model has no consistent
/// start with its own values.
using MemberEngineMaker = std::function<std::unique_ptr<MemberEngine>(const MemberTask& task)>;

/// The compiled engine, one trajectory at a time: one compilation for all members, and another for those whose values
/// ask for other code. Takes every task; what other engines leave to it they give to its run().
std::unique_ptr<MemberEngine> make_scalar_engine(const MemberTask& task);

/// A warning for a member that does not start from the values that it was given, since the constraints do not allow
/// them: its row would be read as theirs. Nothing where they stay.
std::optional<Warning> moved_start(const MemberTask& task, const InitialValues& initial, double t0);

/// One member by the scalar engine, with its rows for an observer.
MemberResult run_observed(const MemberTask& task, const std::vector<double>& values, Observer& observer);

}  // namespace alembert::internal
