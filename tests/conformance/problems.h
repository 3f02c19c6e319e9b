#pragma once

// Models and figures of tests/reference, made from the files themselves.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alembert/run/simulate.h"

namespace alembert::internal::testing {

nlohmann::json reference(const std::string& name);  // tests/reference/NAME.json

/// Text of a model given in the reference's own notation (q1**2, v1).
std::string spark_model_text(const nlohmann::json& problem);

Model model_from_text(const std::string& text, const std::vector<std::string>& overrides = {});
Model gallery(const std::string& name, const std::vector<std::string>& overrides = {});  // models/NAME.alm
Method method(const std::string& text);                                                  // "lobatto(3)"

Report run(const Model& model, const std::string& method_text, double step, double end, NewtonOptions newton = {});

/// A problem of multibody.json by its name there.
Model multibody_model(const std::string& problem);

double number(const nlohmann::json& text);  // "0.25", "1/5", 0.25
std::vector<double> numbers(const nlohmann::json& list);

double distance(const std::vector<double>& a, const std::vector<double>& b);  // in the largest entry

/// Nothing is compiled: for short runs of large models.
NewtonOptions interpreted_newton(LinearSolver linear = LinearSolver::automatic);

}  // namespace alembert::internal::testing
