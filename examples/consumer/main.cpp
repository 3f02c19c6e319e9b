// The library from outside, in its seven lines; then a model built from expressions and run with many parameters.
// Returns 1 where a number is not what mechanics says.

#include <cmath>
#include <iostream>
#include <numbers>

#include "alembert/alembert.h"

using namespace alembert;

namespace {

bool integrates_a_model(const std::string& path) {
  Model model = read_model(path);
  Equations equations = derive(model, {.inputs = {"m2"}});
  Method method = find_method("lobatto(3)");
  Stepper stepper = compile(method, equations);
  Run run = simulate(stepper, {.end = 10, .step = 0.01});
  write(run, "double_pendulum.h5");
  print(run.report);
  const Trajectory again = read_trajectory("double_pendulum.h5");
  return run.report.ending == Ending::done && run.report.position < 1e-13 && run.report.energy.max_error < 1e-4 &&
         again.rows() == run.trajectory.rows() && again.values == run.trajectory.values;
}

/// A pendulum of small swings has the period 2 pi sqrt(l/g), whatever its mass.
bool sweeps_a_model_of_its_own() {
  ModelBuilder b("Pendulum");
  const Expr m = b.parameter("m", 1), l = b.parameter("l", 1), g = b.number(9.81);
  const Expr phi = b.coordinate("phi", 1e-3);
  b.kinetic(m * l * l * pow(b.rate(phi), 2) / 2);
  b.potential(m * g * l * (1 - cos(phi)));
  b.stop(b.rate(phi) - 1e-9 * b.time());  // at rest again after half a period, but for a trifle

  const Equations equations = derive(b.model(), {.inputs = {"m", "l"}});
  const Stepper stepper = compile(find_method("gauss(4)"), equations, {.step = 0.05});
  const std::vector<Values> values = {{{"l", 1}}, {{"l", 4}}, {{"l", 4}, {"m", 7}}};
  bool good = true;
  for (const Member& member : sweep(stepper, values, {.end = 20})) {
    const double expected = std::numbers::pi * std::sqrt(member.values.at("l") / 9.81);
    std::cout << "l = " << member.values.at("l") << ": half a period " << member.report.t << ", expected " << expected
              << '\n';
    good = good && member.failure.empty() && std::abs(member.report.t - expected) < 1e-4;
  }
  return good;
}

}  // namespace

int main(int count, char** arguments) {
  std::cout << "alembert " << version << '\n';
  const bool good = sweeps_a_model_of_its_own() && (count < 2 || integrates_a_model(arguments[1]));
  return good ? 0 : 1;
}
