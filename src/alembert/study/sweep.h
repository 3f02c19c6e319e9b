#pragma once

// A study: the same model run with many values, on all cores and nodes. Rows go to sinks in the order of the members
// while the study runs; what they are does not depend on threads, nodes and the order in which they come.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "alembert/output/attributes.h"
#include "alembert/run/simulate.h"
#include "alembert/study/design.h"
#include "alembert/study/member_engine.h"

namespace alembert::internal {

class Nodes;

/// What all rows have in common.
struct SweepHeader {
  std::string model;                        // its title
  std::vector<std::string> names, columns;  // of the values and the cells
  std::uint64_t members = 0;
  RunDescription run;              // of a member, but for its own values
  std::vector<std::string> study;  // which members there are: "vary l = 0.5:2:100", "seed = 1"
};

using SweepRow = EnsembleRow;

/// Takes the rows of a study in the order of its members; called by one thread at a time.
class SweepSink {
 public:
  virtual ~SweepSink() = default;
  virtual void begin(const SweepHeader& header) = 0;
  virtual void row(std::uint64_t member, const SweepRow& row) = 0;
  virtual void end() {}  // also where members are missing, because it was interrupted
};

struct SweepOptions {
  std::shared_ptr<const Source> model;
  std::vector<std::string> set;     // for all runs: "m1=2"
  std::vector<std::string> inputs;  // what inputs follow: "F=wind.csv"
  /// The same, read already: with what replaced values of the text. All values must be able to stay open then.
  const Model* ready = nullptr;
  std::vector<SweepAxis> axes;  // the last one varies fastest
  std::vector<Draw> draws;
  std::uint64_t members = 1;  // draws for each combination of the axes
  std::uint64_t seed = 0;
  Sampling sampling = Sampling::random;
  std::vector<std::string> columns;  // see member_columns.h
  std::function<Method(const Model&)> method;
  std::function<SimulateOptions(const Model&)> simulation;
  MemberEngineMaker engine = make_scalar_engine;
  int threads = 0;                       // 0: as many as there are cores for this process
  std::function<void(double)> progress;  // fraction of the runs; called by one thread at a time
  const std::atomic<bool>* interrupt = nullptr;
  std::vector<SweepSink*> sinks;
  std::string journal;  // a file that keeps finished members until all are there; "": none
  std::string table;    // the file that the journal belongs to; one without a journal is not gone on with
  bool resume = false;  // with what the journal has, where it exists
  std::function<std::string(std::string)> say;  // puts failures and warnings into the words of a program
  std::string words;       // what else decides the rows; a journal of a study with other words is refused
  Nodes* nodes = nullptr;  // of a study on several processes; sinks and journal are of the first one
  /// Members whose rows are wanted, from 0, each with who takes them. They are run once more for that, at the end.
  std::vector<std::pair<std::uint64_t, Observer*>> trajectories;
};

struct SweepOutcome {
  std::uint64_t members = 0, done = 0, resumed = 0, failed = 0, warned = 0;
  std::uint64_t judged = 0;  // members whose accuracy was estimated: all, or a sample in lanes and on GPUs
  std::string why_alone;     // why members ran one at a time although several at once were asked for
};

/// Whether one compilation serves all numbers for it: a single parameter that does not shape the model, or a single
/// initial value.
bool can_stay_open(const Model& model, const std::string& name);

/// Equations are derived and compiled once for all values of what can stay open (parameters that do not shape the
/// model, initial values, given as numbers), and once more for each combination of the others. Runs that fail are rows
/// with their reason. Throws InputError, with all that is wrong, where the model cannot be read with one of the values,
/// for columns that no report has, and where a file cannot be written.
SweepOutcome run_sweep(const SweepOptions& options);

/// All rows in memory, for tables that are looked at as a whole.
struct Sweep {
  SweepHeader header;
  std::string model;
  std::vector<std::string> axes, columns;  // axes: also what is drawn
  std::vector<SweepRow> rows;
  bool failed() const;  // any row
};
Sweep sweep(const SweepOptions& options);

/// Which study it was, as attributes of a file.
Attributes attributes_of(const SweepHeader& header);

std::string to_text(const Sweep& sweep);
std::string to_json(const Sweep& sweep);
std::string to_csv(const Sweep& sweep);

}  // namespace alembert::internal
