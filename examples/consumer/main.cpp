// The library from outside: an expression, its exact derivative, both compiled, and the derivative checked against the
// closed form. Returns 1 where they differ.

#include <cmath>
#include <cstdio>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/print.h"
#include "alembert/version.h"

int main() {
  alembert::Graph graph;
  const alembert::Expr theta = graph.symbol("theta");
  const alembert::Expr potential = 9.81 * (1 - graph.make(alembert::Op::cos, theta));
  const alembert::Exprs x = {theta};
  const alembert::Expr slope = alembert::gradient(potential, x)[0];

  const alembert::Exprs outputs = {potential, slope};
  const alembert::Kernel<double> kernel(x, outputs);
  std::vector<double> work(kernel.work());
  const double in[] = {0.5};
  double out[2];
  kernel(in, out, work.data());

  std::printf("alembert %s, %s\n", alembert::version, kernel.native() ? "compiled" : "interpreted");
  std::printf("V  = %s = %.17g\n", alembert::to_infix(potential).c_str(), out[0]);
  std::printf("V' = %s = %.17g\n", alembert::to_infix(slope).c_str(), out[1]);
  return std::abs(out[1] - 9.81 * std::sin(0.5)) < 1e-14 ? 0 : 1;
}
