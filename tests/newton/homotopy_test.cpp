// A solution that no guess is near to is reached by following it from short steps, and no other is taken for it.

#include "alembert/newton/homotopy.h"

#include <gtest/gtest.h>

namespace alembert::internal {
namespace {

NewtonOptions dense() {
  NewtonOptions options;
  options.kernel = {Backend::interpreter, false};
  options.linear = LinearSolver::dense;
  return options;
}

/// One unknown u, about h, which is the change of the state too: equation(u, h) = 0. The guess is 0.9 h.
class OneUnknown {
 public:
  template <class Equation>
  explicit OneUnknown(Equation equation) {
    const Expr t = graph_.symbol("t"), h = graph_.symbol("h"), u = graph_.symbol("u");
    e_.inputs = {t, h};
    e_.unknowns = {u};
    e_.equations = {equation(u, h)};
    e_.groups = {{0, 1, graph_.constant(1)}};
    newton_.emplace(e_, x, dense());
  }

  NewtonResult follow(double h, double first = 1) {
    Homotopy<double> homotopy(1);
    double marked = 0;
    const auto guess = [&](double part) {
      x = {0, part, 0.9 * part};
      ++guesses;
    };
    Homotopy<double>::Path path{*newton_,
                                x.data(),
                                2,
                                1,
                                guess,
                                [&] { marked = x[2]; },
                                [&] { return std::abs(x[2] - marked) / std::abs(x[2]); }};
    return homotopy.follow(path, h, first);
  }
  Newton<double>& newton() { return *newton_; }

  std::vector<double> x{0, 1, 0};
  int guesses = 0;

 private:
  Graph graph_;
  ImplicitEquations e_;
  std::optional<Newton<double>> newton_;
};

/// From u = 0 damped Newton comes to u = h only while c h is below some hundred.
auto steep(Quad c) {
  return [c](Expr u, Expr h) { return atan(c * (u - h)); };
}

TEST(Homotopy, newton_does_not_take_a_throw_for_an_arrival) {
  OneUnknown problem(steep(1000));
  EXPECT_NE(problem.newton().solve(problem.x.data()).outcome, Outcome::converged) << "u = " << problem.x[2];
}

TEST(Homotopy, reaches_what_newton_alone_does_not) {
  OneUnknown problem(steep(1000));
  const NewtonResult result = problem.follow(1.0);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(problem.x[1], 1);
  EXPECT_DOUBLE_EQ(problem.x[2], 1);
  EXPECT_GT(problem.guesses, 1) << "the first short step was too long";
  EXPECT_GT(result.iterations, 16);
}

TEST(Homotopy, gives_up_what_cannot_be_followed) {
  OneUnknown problem(steep(Quad(1e9)));
  EXPECT_NE(problem.follow(1.0, 0.25).outcome, Outcome::converged);
  EXPECT_EQ(problem.guesses, 11) << "1/4 to 1/4096";
}

TEST(Homotopy, does_not_leave_a_solution_that_ends) {
  // u - u^2 = h: u = (1 - sqrt(1 - 4 h))/2 ends at h = 1/4. Beyond, the factor has another solution, u = 3.
  OneUnknown problem([](Expr u, Expr h) { return (u - u * u - h) * (u - Quad(3)); });
  EXPECT_EQ(problem.follow(0.2).outcome, Outcome::converged);
  EXPECT_NEAR(problem.x[2], (1 - std::sqrt(0.2)) / 2, 1e-14);
  EXPECT_NE(problem.follow(1.0).outcome, Outcome::converged) << "u = " << problem.x[2];
}

}  // namespace
}  // namespace alembert::internal
