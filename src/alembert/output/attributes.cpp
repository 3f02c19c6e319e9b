#include "alembert/output/attributes.h"

#include <charconv>
#include <sstream>
#include <string_view>
#include <system_error>

#include "alembert/quad.h"

namespace alembert::internal {
namespace {

// Texts of values
// ------------------------------------------------------------------------------------------------------

/// "2", "(1, 0.5)", "((1, 2), (3, 4))"; `at` walks through the values.
std::string value_text(const Parameter& parameter, std::size_t level, std::size_t& at) {
  if (level == parameter.shape.size()) return to_text(parameter.values.at(at++));
  std::string text = "(";
  for (int i = 0; i < parameter.shape[level]; ++i) text += (i > 0 ? ", " : "") + value_text(parameter, level + 1, at);
  return text + ")";
}

std::string parameters_text(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    std::size_t at = 0;
    text += parameter.name + " = " + value_text(parameter, 0, at);
    if (!parameter.unit.empty()) text += " \"" + parameter.unit + "\"";
    text += "\n";
  }
  return text;
}

std::string lines_of(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& one : list) text += one + "\n";
  return text;
}

// And back
// -------------------------------------------------------------------------------------------------------------

/// A number at the beginning of the text, which is then cut off.
bool take_number(std::string_view& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Reads what value_text wrote from the beginning of the text. The first entries of a list tell the shape.
bool take_value(std::string_view& text, std::size_t level, Parameter& parameter) {
  if (!take(text, "(")) return take_number(text, parameter.values.emplace_back());
  const bool first = parameter.shape.size() == level;
  if (first) parameter.shape.push_back(0);
  int count = 0;
  while (!take(text, ")")) {
    if (count > 0 && !take(text, ", ")) return false;
    if (!take_value(text, level + 1, parameter)) return false;
    ++count;
  }
  if (first) parameter.shape[level] = count;
  return parameter.shape[level] == count;
}

std::vector<Parameter> parameters_from(const std::string& text) {
  std::vector<Parameter> parameters;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    Parameter parameter;
    parameter.name = line.substr(0, equals);
    std::string_view rest = std::string_view(line).substr(equals + 3);
    if (!take_value(rest, 0, parameter)) continue;
    if (rest.size() > 3 && rest.starts_with(" \"") && rest.ends_with('"')) {
      parameter.unit = rest.substr(2, rest.size() - 3);
      rest = {};
    }
    if (rest.empty()) parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace

Attributes attributes_of(const RunDescription& run) {
  return {{"model", run.model},
          {"model_text", run.model_text},
          {"parameters", parameters_text(run.parameters)},
          {"method", run.method},
          {"step", to_text(run.step)},
          {"version", run.version},
          {"observed", lines_of(run.observed_columns)}};
}

RunDescription run_from(const Attributes& attributes) {
  const auto text = [&](const char* name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string() : found->second;
  };
  RunDescription run;
  run.model = text("model");
  run.model_text = text("model_text");
  run.parameters = parameters_from(text("parameters"));
  run.method = text("method");
  const std::string step = text("step");
  std::string_view rest = step;
  if (!take_number(rest, run.step)) run.step = 0;
  run.version = text("version");
  std::istringstream names(text("observed"));
  for (std::string name; std::getline(names, name);) run.observed_columns.push_back(name);
  return run;
}

}  // namespace alembert::internal
