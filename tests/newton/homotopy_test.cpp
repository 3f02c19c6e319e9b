// A solution that no guess is near to is reached by following it from short steps.

#include "alembert/newton/homotopy.h"

#include <gtest/gtest.h>

namespace alembert::internal {
namespace {

/// atan(c (u - h)) = 0: from u = 0 damped Newton comes to u = h only while c h is below some hundred.
ImplicitEquations steep(Graph& graph, Quad c) {
  ImplicitEquations e;
  const Expr t = graph.symbol("t"), h = graph.symbol("h"), u = graph.symbol("u");
  e.inputs = {t, h};
  e.unknowns = {u};
  e.equations = {atan(c * (u - h))};
  e.groups = {{0, 1, graph.constant(1)}};
  return e;
}

NewtonOptions dense() {
  NewtonOptions options;
  options.kernel = {Backend::interpreter, false};
  options.linear = LinearSolver::dense;
  return options;
}

TEST(Homotopy, reaches_what_newton_alone_does_not) {
  Graph graph;
  Newton<double> newton(steep(graph, 10000), {0, 1, 0}, dense());
  std::vector<double> x{0, 1, 0};
  EXPECT_NE(newton.solve(x.data()).outcome, Outcome::converged) << "else this test tests nothing";
  Homotopy<double> homotopy(1);
  int guesses = 0;
  const NewtonResult result = homotopy.follow(newton, 1.0, x.data(), 2, 1, [&](double h) {
    x = {0, h, 0};
    ++guesses;
  });
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(x[1], 1);
  EXPECT_DOUBLE_EQ(x[2], 1);
  EXPECT_GT(guesses, 1) << "the first short step was too long";
  EXPECT_GT(result.iterations, 16);
}

TEST(Homotopy, gives_up_what_cannot_be_followed) {
  Graph graph;
  Newton<double> newton(steep(graph, Quad(1e9)), {0, 1, 0}, dense());
  std::vector<double> x{0, 1, 0};
  Homotopy<double> homotopy(1);
  int guesses = 0;
  const NewtonResult result = homotopy.follow(newton, 1.0, x.data(), 2, 1, [&](double h) {
    x = {0, h, 0};
    ++guesses;
  });
  EXPECT_NE(result.outcome, Outcome::converged);
  EXPECT_EQ(guesses, 7) << "1/4 to 1/256";
}

}  // namespace
}  // namespace alembert::internal
