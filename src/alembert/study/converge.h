#pragma once

// Measured orders and work: methods run with several step sizes, against a reference of higher order and precision.

#include <atomic>
#include <functional>
#include <optional>

#include "alembert/study/reference.h"

namespace alembert::internal {

struct ConvergeOptions {
  std::vector<Method> methods;  // all must take the model
  std::vector<double> steps;    // empty: the model's step times 4, 2, 1, 1/2, fitted to the end
  std::optional<double> end;    // unset: the model's, but at most a hundred of its steps
  bool quad = false;            // run the methods in extended precision: shows high orders, hides the real cost
  std::function<void(double)> progress;          // fraction of the work
  const std::atomic<bool>* interrupt = nullptr;  // set: what is not measured by then fails with the word "interrupted"
};

/// What a measured error can be trusted for.
enum class Standing { good, rounding, reference };  // at the rounding floor; not above the reference's own error

/// Errors of one quantity over the rows of a method, coarse to fine.
struct ErrorColumn {
  std::vector<double> error;
  std::vector<Standing> standing;
  std::vector<double> order;  // against the row before; NaN where one of the two is not good
  double observed = 0;        // slope of a line through the three finest good rows; NaN where there are fewer than two
};
/// Judges and fits the errors made with the step sizes h (NaN where a run failed). claimed: the order expected;
/// reference: the error of what was measured against; extended: the runs were made in extended precision.
ErrorColumn judge_errors(const std::vector<double>& h, const std::vector<double>& error, double claimed,
                         double reference, bool extended);

struct ConvergeRow {
  double step = 0;
  long steps = 0, evaluations = 0, iterations = 0;
  double seconds = 0;
  std::string failure;  // why there are no errors; "" where there are
};

struct MethodConvergence {
  std::string method;
  Claims claims;
  std::vector<ConvergeRow> rows;  // largest step first
  ErrorColumn q, v, multiplier;   // multiplier: all NaN where there is none
};

struct Convergence {
  std::string model;
  double end = 0;
  std::string end_note;  // why that end; "" when the user gave it
  bool quad = false, has_multipliers = false;
  long kinks = 0;  // that steps go over, in extended precision: these have no order of their own
  Reference reference;
  std::vector<MethodConvergence> methods;
  bool failed() const;  // the reference or a row
};

/// Throws InputError for wrong input: a step that does not divide the end, a method that refuses the model, ...
Convergence converge(const Model& model, const Equations& equations, const ConvergeOptions& options);

/// Throws InputError where the method refuses the model or a constraint is redundant.
InitialValues measurable_start(const Model& model, const Equations& equations, const std::vector<Method>& methods);

std::string to_text(const Convergence& convergence);
std::string to_json(const Convergence& convergence);
std::string to_csv(const Convergence& convergence);
/// Error against step size and against CPU time.
/// about: what the file says of itself beside what it shows.
std::string to_svg(const Convergence& convergence, const std::string& about = "");
/// Model, parameters, methods, steps and what else decides the numbers, as one object of JSON.
std::string description(const Model& model, const Equations& equations, const ConvergeOptions& options,
                        const Convergence& convergence);

}  // namespace alembert::internal
