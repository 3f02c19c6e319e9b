#pragma once

// What a run ends with. A report stands by itself: it holds the names, the parameters and the text of the model that it
// speaks of, so that it can be printed, stored or compared without the model.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "alembert/watched.h"

namespace alembert {

/// A named thing made of consecutive entries of a list of numbers: scalar {}, vector {3}, family of vectors {N, 3}.
struct Quantity {
  std::string name;
  std::vector<int> shape;
  int first = 0;     // of its entries in the list
  std::string unit;  // as written; "" where there is none
  int size() const;
};

/// A parameter with the values that the run had.
struct Parameter {
  std::string name;
  std::vector<int> shape;      // as of a Quantity
  std::vector<double> values;  // row after row
  std::string unit;            // as written; "" where there is none
};

/// fixed: all equal, a shorter one at the end. tolerance: steps are judged by their stages, and now and then two are
/// compared with one of twice their size; where they err too much they are made again, smaller. reversible: the density
/// of steps follows the motion in a way that is symmetric in time (Hairer and Soederlind 2005), so that a symmetric
/// method keeps the long-time behaviour that it has with equal steps.
enum class Control { fixed, tolerance, reversible };

/// A file that a model was read from, beside its own text: a component, a table, what an input follows.
struct FileText {
  std::string path;  // as it was opened
  std::string text;
};

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

enum class Ending { done, interrupted, failed };

/// The reaction of a joint on `body`, at the point of the joint.
struct JointForces {
  std::string name, kind, body, other;
  std::vector<double> force, moment;                    // in the world
  std::vector<double> force_in_joint, moment_in_joint;  // along the axes of the joint
};

/// An event that was found. The constraints hold there as at every grid point.
struct EventRecord {
  int event = 0;  // its number in ReportNames::events
  double t = 0;
  double share = 0;           // of the step that it lies in
  std::vector<double> state;  // y, then z, behind what the event did
  std::vector<double> lambda, psi;
  std::vector<double> v;  // y'
  // Of contacts: impact, close, open, stick, slip, reverse; and what is to be said of it. "" else.
  std::string kind = {}, note = {};
};

/// What a contact did in a run.
struct ContactReport {
  std::string name;
  long impacts = 0;
  double dissipated = 0;  // by its impacts and its friction
  std::string state;      // at the end: open, closed (without friction), sliding, sticking
};

/// Orders of convergence that the method claims; of the multiplier that is reported.
struct Orders {
  int q = 0, v = 0, multiplier = 0;
};

/// The work that Newton's method had.
struct SolverStatistics {
  long iterations = 0, factorizations = 0, evaluations = 0;
  std::vector<int> factorization_sizes;  // of the matrices that are factorised
};

/// Where the run began: on the constraints, nearest to what the user gave.
struct InitialState {
  std::vector<double> y, z, lambda, psi;
  struct Change {
    std::string name;
    double from = 0, to = 0;
  };
  std::vector<Change> changes;         // what had to be moved (by more than rounding); empty when all was consistent
  std::vector<std::string> redundant;  // "rod5 follows from rod1, rod2, rod4"
  std::optional<int> index;            // of the equations, found out where masses vanish
};

/// A constraint and where its multiplier stands: an entry of lambda or of psi, -1 where it is none of these.
struct NamedConstraint {
  std::string name;
  int lambda = -1, psi = -1;
};

/// What the numbers of a report are called.
struct ReportNames {
  std::vector<Quantity> coordinates;         // of y and v
  std::vector<Quantity> momenta;             // of momentum
  std::vector<Quantity> variables;           // general form: of y, then z; else none
  std::vector<std::string> states;           // the single entries of y, then z: "x1", "q[2]", "x1'"
  std::vector<NamedConstraint> constraints;  // in the order of the model
  std::vector<std::string> holonomic;        // the rows of g
  std::vector<std::string> nonholonomic;     // the rows of k
  std::vector<Quantity> invariants;          // of Report::invariants
  std::vector<Quantity> observed;            // of Report::observed
  std::vector<std::string> events;           // those of the model, then its contacts
};

/// The ports of a port-Hamiltonian system.
struct PortReport {
  std::vector<Quantity> states, inputs, outputs;  // of the next three
  std::vector<double> x, u, y;                    // at t; the algebraic states are among x
  std::vector<std::string> components;            // none where the system is not made of components
  std::vector<double> energies, first_energies;   // of the components, at t and at the start
};

struct Report : RunDescription {
  ReportNames names;
  int stages = 0;  // 0 where the word has no meaning
  Orders order;
  std::string note;                            // what a user must know of the method on this model; may be empty
  std::string choice;                          // why this method, where nobody named one; else empty
  double t = 0;                                // where it ended
  double smallest_step = 0, largest_step = 0;  // magnitudes of those that were made; the last one may be cut
  bool has_energy = false;
  Watched energy;
  Drift drift;
  std::optional<EnergyAccount> account;  // where the energy is not conserved
  std::optional<Accuracy> accuracy;      // where steps could be compared
  std::vector<Warning> warnings;         // one of each kind, in the order of time
  EnergyBalance balance;
  double position = 0, velocity = 0, nonholonomic = 0;  // largest residual over all steps
  std::vector<Extremes> velocity_ranges;                // of g', where the method does not hold it
  bool has_discrete = false;        // the method preserves nonholonomic constraints in a form of its own
  double discrete = 0;              // largest residual of that form
  std::vector<Watched> invariants;  // those of the model first
  std::vector<ObservedRange> observed;
  long steps = 0, rejected = 0;
  long comparisons = 0;  // steps of twice the size that were made beside others to judge them
  long kinks = 0;        // of min, max, abs, sign, at which steps ended
  SolverStatistics newton;
  double compile_seconds = 0, run_seconds = 0;
  Ending ending = Ending::done;
  std::string reason;  // why it failed: place in time, constraint, what to try; fields in backticks
  InitialState initial;
  std::vector<double> y, z, momentum, lambda, psi;  // at t
  std::vector<double> v;                            // v(t,y,z) at t
  std::vector<double> internal;                     // stage multipliers of the last step
  std::vector<std::string> internal_names;
  std::optional<PortReport> port;   // in the port-Hamiltonian form
  std::vector<JointForces> joints;  // at t
  std::vector<EventRecord> events;
  std::vector<ContactReport> contacts;
  std::string stopped;  // the event that ended the run; "" where none did
  struct SingularPosition {
    double t = 0;       // of the step behind it
    std::string words;  // "rocker becomes dependent on crank, coupler"
  };
  std::vector<SingularPosition> singular_positions;  // that the motion passed on its regular branch
};

/// A few lines of text.
std::string to_text(const Report& report);
/// One JSON object on one line; what is not finite is null.
std::string to_json(const Report& report);

/// A number, a word or nothing (monostate: what is missing or not finite) of a report.
struct ReportEntry {
  std::string path;  // into what to_json gives: "energy.max_error", "q.r[2]"; entries of lists count from 1
  std::variant<std::monostate, long, double, std::string> value;
};
/// All of them, in the order of to_json.
std::vector<ReportEntry> entries(const Report& report);

}  // namespace alembert
