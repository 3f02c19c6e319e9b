// The library from outside: a model read, derived, integrated and reported, and a potential of one's own differentiated
// and compiled. Returns 1 where a number is not what mechanics says.

#include <cmath>
#include <iostream>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/print.h"
#include "alembert/report.h"
#include "alembert/run/simulate.h"
#include "alembert/version.h"

using namespace alembert;

namespace {

bool integrates_a_model(const std::string& path) {
  const Model model = read_model(path);
  const Equations equations = derive(model);
  const Report report = simulate(model, equations, find_method("lobatto", {3}), {.end = 10, .step = 0.01});
  std::cout << to_text(report);
  return report.ending == Ending::done && report.position < 1e-13 && report.energy.max_error < 1e-4;
}

bool compiles_an_expression() {
  Graph graph;
  const Expr theta = graph.symbol("theta");
  const Expr potential = 9.81 * (1 - cos(theta));
  const Exprs x = {theta}, outputs = {potential, gradient(potential, x)[0]};
  const Kernel<double> kernel(x, outputs);
  std::vector<double> work(kernel.work()), out(2);
  const double in[] = {0.5};
  kernel(in, out.data(), work.data());
  std::cout << "V' = " << to_infix(outputs[1]) << " = " << out[1] << '\n';
  return std::abs(out[1] - 9.81 * std::sin(0.5)) < 1e-14;
}

}  // namespace

int main(int count, char** arguments) {
  std::cout << "alembert " << version << '\n';
  const bool good = compiles_an_expression() && (count < 2 || integrates_a_model(arguments[1]));
  return good ? 0 : 1;
}
