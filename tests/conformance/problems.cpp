#include "problems.h"
#include "source_folder.h"

#include <fstream>
#include <regex>

namespace alembert::internal::testing {

nlohmann::json reference(const std::string& name) {
  std::ifstream file(source_folder() + "/tests/reference/" + name + ".json");
  return nlohmann::json::parse(file);
}

namespace {

std::string translate(std::string text) {
  text = std::regex_replace(text, std::regex(R"(\*\*)"), "^");
  return std::regex_replace(text, std::regex(R"(\bv(\d+)\b)"), "q$1'");
}

std::string tuple(const nlohmann::json& list) {
  std::string text;
  for (const auto& entry : list) text += (text.empty() ? "(" : ", ") + entry.get<std::string>();
  return text + ")";
}

}  // namespace

std::string spark_model_text(const nlohmann::json& problem) {
  std::string text = "model \"reference\"\ncoordinate q[" + std::to_string(problem["n"].get<int>()) + "]\n";
  text += "lagrangian " + translate(problem["L"]) + "\n";
  for (const auto& k : problem["k"]) text += "constraint " + translate(k) + " = 0\n";
  for (const auto& g : problem["g"]) text += "constraint " + translate(g) + " = 0\n";
  return text + "initial q = " + tuple(problem["q0"]) + ", q' = " + tuple(problem["v0"]) + "\n";
}

Model model_from_text(const std::string& text, const std::vector<std::string>& overrides) {
  std::vector<Override> list;
  for (const std::string& one : overrides) list.push_back({std::make_shared<Source>(Source{"--set " + one, one})});
  return make_model(parse(std::make_shared<Source>(Source{"test.alm", text})), list);
}

Model gallery(const std::string& name, const std::vector<std::string>& overrides) {
  return read_model(source_folder() + "/models/" + name + ".alm", overrides);
}

Method method(const std::string& text) {
  return find_method(parse_term(std::make_shared<Source>(Source{"method", text})));
}

Report run(const Model& model, const std::string& method_text, double step, double end, NewtonOptions newton) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  options.newton = newton;
  return simulate(model, derive(model), method(method_text), options);
}

double number(const nlohmann::json& text) {
  if (text.is_number()) return text.get<double>();
  const std::string s = text.get<std::string>();
  const std::size_t slash = s.find('/');
  if (slash == std::string::npos) return std::stod(s);
  return std::stod(s.substr(0, slash)) / std::stod(s.substr(slash + 1));
}

std::vector<double> numbers(const nlohmann::json& list) {
  std::vector<double> values;
  for (const auto& entry : list) values.push_back(number(entry));
  return values;
}

}  // namespace alembert::internal::testing
