#pragma once

// What a run ends with. A report stands by itself: it holds the names, the parameters and the text of the model that it
// speaks of, so that it can be printed, stored or compared without the model.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "alembert/method.h"
#include "alembert/model.h"
#include "alembert/numerics.h"
#include "alembert/stepper.h"
#include "alembert/trajectory.h"
#include "alembert/tree.h"

namespace alembert {

/// Extremes of something watched at every step.
struct Watched {
  double initial = 0;
  double final = 0;
  double max_error = 0;  // largest |value - initial|
};

/// A value that the model observes, over all grid points.
struct ObservedRange {
  double final = 0;
  double least = 0, most = 0;
};

struct Extremes {
  double least = 0;
  double most = 0;
};

/// A line fitted through block means of an error over time.
struct Drift {
  double per_time = 0;
  double uncertainty = 0;  // one standard error of the slope, from the scatter of the block means
};

/// Something that may make the result other than it seems, with what to do about it.
struct Warning {
  std::string code;  // one word that programs can compare: "energy"
  std::string text;  // fields in backticks
  double t = 0;      // where it was first seen
};

/// What the steps add to the error, found by making some of them again in two parts, and by a
/// companion with steps twice as long.
struct Accuracy {
  double per_time = 0;  // of every state relative to the range of its kind, in a unit of time
  double per_step = 0;  // the largest that was seen
  double worst_t = 0;   // where that was
  long compared = 0;    // steps
};

/// Where the energy of a model that is not isolated went.
struct EnergyAccount {
  double dissipated = 0;  // by friction, dampers, non-ideal constraint forces
  double supplied = 0;    // by forces, drives, moving constraints, inputs
  double impacts = 0;     // the part of what was dissipated that impacts took
  double error = 0;       // largest |energy - initial - supplied + dissipated| at a grid point
};

/// The change of energy in a step as the method's stages predict it, beside the actual one (Symank 2025, (6.15)).
struct EnergyBalance {
  long steps = 0;                    // 0: the method predicts nothing
  double predicted = 0, actual = 0;  // over all steps
  double max_change = 0;             // of a step
  double max_residual = 0;           // largest |predicted - actual| of a step
  bool parted = false;               // the next two are known: port-Hamiltonian systems
  double dissipated = 0, supplied = 0;
};

enum class Ending { done, interrupted, failed };

/// The reaction of a joint on `body`, at the point of the joint.
struct JointForces {
  std::string name, kind, body, other;
  std::vector<double> force, moment;                    // in the world
  std::vector<double> force_in_joint, moment_in_joint;  // along the axes of the joint
};

/// What a contact did in a run.
struct ContactReport {
  std::string name;
  long impacts = 0;
  double dissipated = 0;  // by its impacts and its friction
  std::string state;      // at the end: open, closed (without friction), sliding, sticking
};

/// Where the run began: on the constraints, nearest to what the user gave.
struct InitialState {
  std::vector<double> y, z, lambda, psi;
  using Change = MovedValue;
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
/// All of it by names; docs/json.md lists them.
Tree to_tree(const Report& report);
/// The same as one JSON object on one line.
std::string to_json(const Report& report);

/// A number, a word or nothing (monostate: what is missing or not finite) of a report.
struct ReportEntry {
  std::string path;  // into what to_tree gives: "energy.max_error", "q.r[2]"; entries of lists count from 1
  std::variant<std::monostate, long, double, std::string> value;
};
/// All of them, in the order of to_tree.
std::vector<ReportEntry> entries(const Report& report);

}  // namespace alembert
