#include "problems.h"
#include "source_folder.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>

namespace alembert::internal::testing {

namespace {

// The reference writes the constraints of pendulums with a factor 1/2, which doubles the multipliers.
const char* const pendulum = R"(
parameter m = 1, l = 1, c = 0, gravity = 9.81
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
potential m*gravity*y
rayleigh c/2*(x'^2 + y'^2)
constraint rod: (x^2 + y^2)/2 = l^2/2
initial x = l
)";
const char* const double_pendulum = R"(
parameter m1 = 3, m2 = 1, l1 = 1, l2 = 1, c = 0, up = 0, gravity = 9.81
coordinate x1, y1, x2, y2
kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)
potential m1*gravity*y1 + m2*gravity*y2
rayleigh c/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)
constraint rod1: (x1^2 + y1^2)/2 = l1^2/2
constraint rod2: ((x2 - x1)^2 + (y2 - y1)^2)/2 = l2^2/2
initial x1 = l1, x2 = l1 + l2, y1' = up
)";

}  // namespace

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

Model multibody_model(const std::string& problem) {
  if (problem == "msd_2k2") return gallery("mass_spring_damper");
  if (problem == "msd_k2") return gallery("mass_spring_damper", {"k2=1"});
  if (problem == "msd_2k2_damped_port") return gallery("mass_spring_damper", {"d1=0.2", "d2=0.5", "alpha=3"});
  if (problem == "pendulum") return model_from_text(pendulum);
  if (problem == "pendulum_visc") return model_from_text(pendulum, {"c=0.1"});
  if (problem == "double") return model_from_text(double_pendulum);
  if (problem == "double2") return model_from_text(double_pendulum, {"m1=1", "m2=8", "l2=5", "up=10"});
  if (problem == "double_visc") return model_from_text(double_pendulum, {"m1=1", "c=0.01"});
  const std::string light = "double_visc_";  // double_visc_m2_1e-3
  const std::string which = problem.substr(light.size(), 2), mass = problem.substr(light.size() + 3);
  return model_from_text(double_pendulum, {"c=0.01", which == "m1" ? "m2=1" : "m1=1", which + "=" + mass});
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

NewtonOptions interpreted_newton(LinearSolver linear) {
  NewtonOptions options;
  options.linear = linear;
  options.kernel = interpreted;
  return options;
}

}  // namespace alembert::internal::testing
