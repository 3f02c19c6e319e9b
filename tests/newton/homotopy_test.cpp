// A solution that no guess is near to is reached by following it from short steps.

#include "alembert/newton/homotopy.h"

#include <gtest/gtest.h>

#include "conformance/problems.h"

namespace alembert::internal {
namespace {

/// log(1 + c (u - h)) = 0 with the solution u = h: at u = 0 there is no value where c h > 1.
ImplicitEquations narrow(Graph& graph, Quad c) {
  ImplicitEquations e;
  const Expr t = graph.symbol("t"), h = graph.symbol("h"), u = graph.symbol("u");
  e.inputs = {t, h};
  e.unknowns = {u};
  e.equations = {log(1 + c * (u - h))};
  e.groups = {{0, 1, graph.constant(1)}};
  return e;
}

TEST(Homotopy, reaches_what_newton_alone_does_not) {
  Graph graph;
  Newton<double> newton(narrow(graph, 6), {0, 1, 0}, testing::interpreted_newton(LinearSolver::dense));
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
  EXPECT_EQ(guesses, 2) << "1/4 is too long, 1/8 is not";
  EXPECT_GT(result.iterations, 3) << "those of all short steps";
}

TEST(Homotopy, gives_up_what_cannot_be_followed) {
  Graph graph;
  Newton<double> newton(narrow(graph, Quad(1e9)), {0, 1, 0}, testing::interpreted_newton(LinearSolver::dense));
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
