#pragma once

// Measured orders and work: methods run with several step sizes, against a reference of higher order and precision.

#include <atomic>
#include <functional>
#include <optional>

#include "alembert/findings.h"
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

/// Judges and fits the errors made with the step sizes h (NaN where a run failed). claimed: the order expected;
/// reference: the error of what was measured against; extended: the runs were made in extended precision.
ErrorColumn judge_errors(const std::vector<double>& h, const std::vector<double>& error, double claimed,
                         double reference, bool extended);

/// Throws InputError for wrong input: a step that does not divide the end, a method that refuses the model, ...
Convergence converge(const Model& model, const Equations& equations, const ConvergeOptions& options);

/// Throws InputError where the method refuses the model or a constraint is redundant.
InitialValues measurable_start(const Model& model, const Equations& equations, const std::vector<Method>& methods);

/// Model, parameters, methods, steps and what else decides the numbers, as one object of JSON.
std::string description(const Model& model, const Equations& equations, const ConvergeOptions& options,
                        const Convergence& convergence);

}  // namespace alembert::internal
