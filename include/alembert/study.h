#pragma once

// Many runs of one model, and what is measured on it.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

/// What a study found, in the forms in which the program gives it.
struct Findings {
  std::string text, json;  // docs/json.md says what the object holds
  std::string csv, svg;    // "" where the study has none
  bool failed = false;     // a run failed, or a claim is false
};

/// What a model is, whether its initial values are consistent, and which methods take it.
Findings examine(const Model& model);

struct VerifyOptions {
  double step = 0, end = 0;
  double seconds = 5;  // the run for energy, constraints and invariants is cut after these
};
/// What a method really preserves on a model, beside what it claims.
Findings verify(const Method& method, const Equations& equations, const VerifyOptions& options);

struct MeasureOptions {
  std::vector<double> steps = {};                  // empty: the model's step times 4, 2, 1, 1/2, fitted to the end
  std::optional<double> end = {};                  // unset: the model's, but at most a hundred of its steps
  bool quad = false;                               // runs in extended precision: shows high orders, hides the real cost
  std::function<void(double done)> progress = {};  // fraction of the work; may throw to end it
};
/// Measured orders and work of methods on a model, against a reference of higher order and precision.
Findings converge(const std::vector<Method>& methods, const Equations& equations, const MeasureOptions& options);

}  // namespace alembert
