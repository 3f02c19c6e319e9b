#pragma once

// What studies found, row by row: what was measured, beside what is claimed. Text, JSON and figures are made of it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alembert/method.h"
#include "alembert/stepper.h"
#include "alembert/tree.h"

namespace alembert {

// What a model is ----------------------------------------------------------------------------------------------------

/// A port-Hamiltonian system: E has the rank states - algebraic.
struct ExaminedPorts {
  int states = 0, algebraic = 0, inputs = 0;
  bool made_of_components = false;
  std::vector<std::string> components;
  int equations = 0;                     // that connect them
  std::vector<std::string> multipliers;  // of the connection
  bool conserves_power = true;           // the connection does
};

/// What a method promises to preserve on a model.
struct ExaminedMethod {
  std::string method;
  bool energy = false;
  std::vector<std::string> momenta, lost;  // lost: of all points together, and not preserved
  std::vector<std::string> through;        // what momenta that are not quadratic are made of
};

struct ExaminedContact {
  std::string name;
  std::optional<double> gap;  // at the start; none where it is friction alone, always closed
};

struct Examination {
  std::string model, origin;  // its title, and where it comes from
  std::string form;           // "Lagrangian", "multibody", ...
  int coordinates = 0, holonomic = 0, nonholonomic = 0;
  int rank = 0;  // of the constraints
  int degrees_of_freedom = 0;
  int index = 0;                    // of the equations; 0: ordinary differential equations
  std::vector<std::string> hidden;  // equations that follow and that nobody wrote
  bool rheonomic = false, constant_mass = false;
  bool ideal = true;               // the constraint forces are
  std::string nonholonomic_class;  // "linear", "affine", "nonlinear" in the velocities; "" where there are none
  bool has_energy = false;
  std::vector<std::string> energy_changes;                       // why it is not constant; empty where it is
  std::vector<MovedValue> changes;                               // of initial values, for the constraints to hold
  double position = 0, velocity = 0, nonholonomic_residual = 0;  // of the initial values as they were given
  std::vector<std::string> not_given;                            // initial values that are 0: nobody said anything
  std::vector<std::string> redundant;                            // "rod5 follows from rod1, rod2, rod4"
  std::vector<std::pair<std::string, double>> multipliers;       // at the start
  std::vector<ExaminedContact> contacts;
  std::optional<ExaminedPorts> ports;
  std::optional<ExaminedMethod> preserved;                    // by the method of `solve`
  std::vector<std::string> methods;                           // families that take it: "lobatto(s)"
  std::vector<std::pair<std::string, std::string>> refusing;  // those that do not, and why
  std::vector<std::string> warnings;

  bool consistent() const { return changes.empty(); }
};

std::string to_text(const Examination& found);
Tree to_tree(const Examination& found);  // docs/json.md says what it holds
std::string to_json(const Examination& found);

// What a method preserves --------------------------------------------------------------------------------------------

/// What became of a claim; of what is not claimed: whether it holds here all the same.
enum class Verdict { ok, higher, false_claim, holds, does_not_hold, does_not_apply, not_measured };
const char* to_text(Verdict verdict);  // "ok", "FALSE CLAIM", "not claimed, holds here", ...

struct Property {
  std::string name;               // "order of q"
  std::string claimed, measured;  // as shown; claimed is "" where nothing is
  double value = 0;               // NaN where there is no number
  Verdict verdict = Verdict::ok;
};

struct Verification {
  std::string model, method;
  double step = 0, end = 0;
  std::vector<std::string> notes;  // what was cut short or left out, and why
  std::vector<Property> properties;
  std::string failure;  // why the run failed; "" when it did not

  bool has_false_claim() const;
  bool failed() const { return has_false_claim() || !failure.empty(); }
};

std::string to_text(const Verification& found);
Tree to_tree(const Verification& found);
std::string to_json(const Verification& found);

// Orders and work ----------------------------------------------------------------------------------------------------

/// Three distances or orders, one each for q, v and the multipliers; NaN where there is nothing to measure.
struct Errors {
  double q = 0, v = 0, multiplier = 0;
};

/// What a measured error can be trusted for: rounding, or the reference's own error, may hide it.
enum class Standing { good, rounding, reference };

/// Errors of one quantity over the rows of a method, coarse to fine.
struct ErrorColumn {
  std::vector<double> error;
  std::vector<Standing> standing;
  std::vector<double> order;  // against the row before; NaN where one of the two is not good
  double observed = 0;        // slope of a line through the three finest good rows; NaN where there are fewer than two
};

/// A run with one step size.
struct ConvergeRow {
  double step = 0;
  long steps = 0, evaluations = 0, iterations = 0;
  double seconds = 0;
  std::string failure;  // why there are no errors; "" where there are
};

struct MethodConvergence {
  std::string method;
  Orders claimed;
  std::vector<ConvergeRow> rows;  // largest step first
  ErrorColumn q, v, multiplier;   // multiplier: all NaN where there is none
};

/// The solution that errors are measured against.
struct ReferenceRun {
  std::string method;  // its name, or "extrapolation of order 12" where no method is accurate enough for the model
  long steps = 0;
  bool extended = true;  // in extended precision, else in double
  Errors error;  // what it differs by from a run with half as many steps (and rounding in double): an upper bound
  std::string failure;  // "" when there is one
};

struct Convergence {
  std::string model;
  double end = 0;
  std::string end_note;  // why that end; "" when the user gave it
  bool quad = false, has_multipliers = false;
  long kinks = 0;  // that steps go over, in extended precision: these have no order of their own
  ReferenceRun reference;
  std::vector<MethodConvergence> methods;

  bool failed() const;  // the reference or a row
};

std::string to_text(const Convergence& found);
Tree to_tree(const Convergence& found);
std::string to_json(const Convergence& found);
std::string to_csv(const Convergence& found);
/// Error against step size and against CPU time. about: what the file says of itself beside what it shows.
std::string to_svg(const Convergence& found, const std::string& about = "");

}  // namespace alembert
