#include "alembert/output/attributes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>

#include "alembert/numerics.h"

namespace alembert::internal {
namespace {

// By the order of Control.
constexpr std::string_view controls[] = {"fixed", "tolerance", "reversible"};

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

std::string file_attribute(const std::string& path) { return "file:" + path; }

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Attributes attributes_of(const RunDescription& run) {
  std::vector<std::string> paths;
  for (const FileText& file : run.files) paths.push_back(file.path);
  Attributes attributes;
  attributes.texts = {{"model", run.model},
                      {"model_text", run.model_text},
                      {"parameters", parameters_text(run.parameters)},
                      {"method", run.method},
                      {"control", std::string(controls[static_cast<int>(run.control)])},
                      {"settings", lines_of(run.settings)},
                      {"overrides", lines_of(run.overrides)},
                      {"inputs", lines_of(run.inputs)},
                      {"files", lines_of(paths)},
                      {"version", run.version},
                      {"observed", lines_of(run.observed_columns)}};
  for (const FileText& file : run.files) attributes.texts[file_attribute(file.path)] = file.text;
  attributes.numbers = {{"start", run.start},
                        {"end", run.end},
                        {"step", run.step},
                        {"tolerance", run.tolerance},
                        {"absolute_tolerance", run.absolute}};
  return attributes;
}

std::string to_json(const Attributes& attributes) {
  nlohmann::ordered_json all = attributes.texts;
  for (const auto& [name, value] : attributes.numbers) all[name] = value;
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

RunDescription run_from(const Attributes& attributes) {
  const auto text = [&](const std::string& name) {
    const auto found = attributes.texts.find(name);
    return found == attributes.texts.end() ? std::string() : found->second;
  };
  const auto number = [&](const char* name) {
    if (const auto found = attributes.numbers.find(name); found != attributes.numbers.end()) return found->second;
    const std::string written = text(name);
    std::string_view rest = written;
    double value = 0;
    return take_number(rest, value) ? value : 0.0;
  };
  RunDescription run;
  run.model = text("model");
  run.model_text = text("model_text");
  run.parameters = parameters_from(text("parameters"));
  run.method = text("method");
  run.step = number("step");
  const auto control = std::find(std::begin(controls), std::end(controls), text("control"));
  if (control != std::end(controls)) run.control = static_cast<Control>(control - std::begin(controls));
  run.tolerance = number("tolerance");
  run.absolute = number("absolute_tolerance");
  run.start = number("start");
  run.end = number("end");
  run.settings = lines_in(text("settings"));
  run.overrides = lines_in(text("overrides"));
  run.inputs = lines_in(text("inputs"));
  for (const std::string& path : lines_in(text("files"))) run.files.push_back({path, text(file_attribute(path))});
  run.version = text("version");
  run.observed_columns = lines_in(text("observed"));
  return run;
}

}  // namespace alembert::internal
