// Steps whose stages follow from the multipliers by formulas: they end where Newton with its own matrix ends, and steps
// of other kinds are left to others.

#include "alembert/newton/explicit_stages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/newton/newton.h"
#include "alembert/newton/step.h"
#include "alembert/newton/step_equations.h"
#include "conformance/problems.h"
#include "newton/allocations.h"

namespace alembert::internal::testing::explicit_stages {
namespace {

/// Steps of a model from its consistent start.
struct Motion {
  std::vector<double> state, compensation;
  Step<double> step;
  double t = 0;

  Motion(const Model& model, const std::string& method, LinearSolver linear, double h,
         KernelOptions kernel = interpreted)
      : Motion(derive(model), model, method, linear, h, kernel) {}
  Outcome advance(double h) {
    const Outcome outcome = step.advance(t, h, state.data(), compensation.data()).newton.outcome;
    t += h;
    return outcome;
  }
  std::vector<int> sizes() const { return step.statistics().factorization_sizes; }

 private:
  Motion(const Equations& e, const Model& model, const std::string& method, LinearSolver linear, double h,
         KernelOptions kernel)
      : Motion(e, make_consistent(model, e), method, linear, h, kernel) {}
  Motion(const Equations& e, const InitialValues& start, const std::string& method, LinearSolver linear, double h,
         KernelOptions kernel)
      : state(joined<double>(start.y, start.z)),
        compensation(state.size()),
        step(step_plan(find_method(method), e), 0, h, state, joined<double>(start.z_dot, start.lambda, start.psi),
             chosen(linear, kernel)) {}
  static NewtonOptions chosen(LinearSolver linear, KernelOptions kernel) {
    NewtonOptions options;
    options.kernel = kernel;
    options.linear = linear;
    return options;
  }
};

/// Rods that branch: two at every joint but the last ones, so that natural order fills the matrix.
std::string tree(int joints) {
  std::string text = "parameter g = 9.81\n", kinetic = "kinetic ", potential = "potential ";
  for (int i = 1; i <= joints; ++i) {
    const std::string own = std::to_string(i), up = std::to_string(i / 2);
    const int depth = static_cast<int>(std::log2(i));
    text += "coordinate x" + own + " = " + std::to_string(0.6 * (depth + 1)) + ", y" + own + " = " +
            std::to_string(-0.8 * (depth + 1)) + "\n";
    kinetic += (i > 1 ? " + " : "") + ("(1 + 0." + own + ")*(x" + own + "'^2 + y" + own + "'^2)/2");
    potential += (i > 1 ? " + " : "") + ("g*y" + own + " + sin(x" + own + ")");
    text += i == 1 ? "constraint x1^2 + y1^2 = 1\n"
                   : "constraint (x" + own + " - x" + up + ")^2 + (y" + own + " - y" + up + ")^2 = 1\n";
  }
  return text + kinetic + "\n" + potential + "\ninitial y1' = 0, x1' = 0, x" + std::to_string(joints) + "' = 0.8, y" +
         std::to_string(joints) + "' = 0.6\n";
}

TEST(ExplicitStages, end_where_newton_with_its_own_matrix_ends) {
  const std::vector<Model> models{gallery("chain", {"N=20"}), model_from_text(tree(31))};
  const std::vector<int> sizes{20, 31};
  for (std::size_t m = 0; m < models.size(); ++m)
    for (const double h : {0.001, 0.01}) {
      Motion usual(models[m], "lobatto(2)", LinearSolver::automatic, h);
      Motion exact(models[m], "lobatto(2)", LinearSolver::exact, h);
      EXPECT_EQ(usual.sizes(), std::vector<int>{sizes[m]});
      for (int i = 0; i < 50; ++i) {
        ASSERT_EQ(usual.advance(h), Outcome::converged) << i;
        ASSERT_EQ(exact.advance(h), Outcome::converged) << i;
      }
      // Rounding of the constraints, over h, is that of the velocities.
      for (std::size_t i = 0; i < usual.state.size(); ++i)
        EXPECT_NEAR(usual.state[i], exact.state[i], 2e-12) << m << ", h = " << h << ", " << i;
      EXPECT_LE(usual.step.statistics().iterations, 200) << "50 steps";
    }
}

// So many rods that what is derived of one is taken for all, but for those at the ends; one of them is heavy.
TEST(ExplicitStages, of_many_rods_end_where_the_general_newton_ends) {
  const std::string text =
      "parameter N = 400, l = 0.1, g = 9.81\nfamily i = 1..N\ncoordinate r[i][2]\n"
      "kinetic sum(i, (1 + if(i = 200, 3, 0))/2*norm2(r[i]'))\npotential sum(i, g*r[i][2])\n"
      "constraint first: norm2(r[1]) = l^2\n"
      "constraint rod: norm2(r[i] - r[i-1]) = l^2 for i = 2..N\n"
      "initial r[i] = (0.6*i*l, -0.8*i*l)\n";
  const Model model = model_from_text(text);
  Motion usual(model, "lobatto(2)", LinearSolver::automatic, 0.001);
  Motion other(model, "lobatto(2)", LinearSolver::two_matrix, 0.001);
  EXPECT_EQ(usual.sizes(), std::vector<int>{400});
  EXPECT_NE(other.sizes(), std::vector<int>{400});
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(usual.advance(0.001), Outcome::converged) << i;
    ASSERT_EQ(other.advance(0.001), Outcome::converged) << i;
  }
  // Rounding of positions, 40, over h.
  for (std::size_t i = 0; i < usual.state.size(); ++i) EXPECT_NEAR(usual.state[i], other.state[i], 1e-10) << i;
}

// What a guess says of unknowns that follow from others is not asked for.
TEST(ExplicitStages, are_guessed_by_their_multipliers_alone) {
  const Model model = gallery("chain", {"N=20"});
  const Equations e = derive(model);
  const InitialValues start = make_consistent(model, e);
  const std::vector<double> state = joined<double>(start.y, start.z);
  const StepPlan plan = step_plan(find_method("lobatto(2)"), e);
  NewtonOptions options;
  options.kernel = interpreted;
  Step<double> step(plan, 0, 0.001, state, joined<double>(start.z_dot, start.lambda, start.psi), options);
  std::vector<double> x = step.first_points(0, 0.001, state.data()).front();
  Newton<double> newton(step_system(plan.parts.front()), x, options);
  const auto [first, count] = newton.guessed();
  EXPECT_EQ(count, 40) << "two levels";
  const std::size_t inputs = x.size() - plan.parts.front().unknowns.size();
  std::vector<double> other = x;
  for (std::size_t i = inputs; i < x.size(); ++i)
    if (i < inputs + first || i >= inputs + first + count) other[i] = 7;
  std::vector<double> completed = other;
  ASSERT_EQ(newton.solve(x.data()).outcome, Outcome::converged);
  newton.start_afresh();
  ASSERT_EQ(newton.solve(other.data()).outcome, Outcome::converged);
  EXPECT_EQ(x, other);
  std::copy_n(x.begin() + static_cast<long>(inputs) + first, count,
              completed.begin() + static_cast<long>(inputs) + first);
  newton.complete(completed.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(completed[i], x[i], 1e-12) << i;
}

TEST(ExplicitStages, go_back_as_they_came) {
  const Model model = gallery("chain", {"N=20"});
  Motion run(model, "lobatto(2)", LinearSolver::automatic, 0.002);
  const std::vector<double> start = run.state;
  for (int i = 0; i < 60; ++i) ASSERT_EQ(run.advance(0.002), Outcome::converged);
  const InitialValues values = make_consistent(model, derive(model));
  run.step.restart(joined<double>(values.z_dot, values.lambda, values.psi).data());
  for (int i = 0; i < 60; ++i) ASSERT_EQ(run.advance(-0.002), Outcome::converged);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(run.state[i], start[i], 1e-11) << i;
}

TEST(ExplicitStages, compiled_and_interpreted_give_the_same_bits) {
  if (!native_available()) GTEST_SKIP() << "this build has no compiler";
  const Model model = gallery("chain", {"N=150"});  // formulas that repeat are walked through
  Motion one(model, "lobatto(2)", LinearSolver::automatic, 0.001);
  Motion other(model, "lobatto(2)", LinearSolver::automatic, 0.001, {.backend = Backend::native, .optimise = true});
  EXPECT_EQ(one.sizes(), std::vector<int>{150});
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(one.advance(0.001), Outcome::converged);
    ASSERT_EQ(other.advance(0.001), Outcome::converged);
  }
  EXPECT_EQ(one.state, other.state);
}

TEST(ExplicitStages, steps_take_no_memory) {
  Motion run(gallery("chain", {"N=20"}), "lobatto(2)", LinearSolver::automatic, 0.001);
  run.advance(0.001);
  const long before = tests::allocations();
  for (int i = 0; i < 20; ++i) run.advance(0.001);
  EXPECT_EQ(tests::allocations(), before);
}

TEST(ExplicitStages, are_saved_and_go_on_with_the_same_bits) {
  const Model model = gallery("chain", {"N=20"});
  Motion run(model, "lobatto(2)", LinearSolver::automatic, 0.01);
  for (int i = 0; i < 10; ++i) run.advance(0.01);
  ByteWriter out;
  run.step.save(out);
  Motion other(model, "lobatto(2)", LinearSolver::automatic, 0.01);
  ByteReader in(out.bytes());
  other.step.load(in);
  other.state = run.state;
  other.compensation = run.compensation;
  other.t = run.t;
  for (int i = 0; i < 10; ++i) {
    run.advance(0.01);
    other.advance(0.01);
  }
  EXPECT_EQ(run.state, other.state);
}

// What is not found by formulas and two matrices is looked for by others, or there is none.
TEST(ExplicitStages, leave_the_rest_to_the_general_newton) {
  const auto unknown = [](const std::string& text, const std::string& method) {
    const Motion run(model_from_text(text), method, LinearSolver::automatic, 0.01);
    return run.sizes();
  };
  EXPECT_EQ(unknown(tree(31), "lobatto(2)"), std::vector<int>{31});
  EXPECT_NE(unknown(tree(31), "lobatto(3)"), std::vector<int>{31}) << "positions of stages that need each other";
  EXPECT_NE(unknown(tree(31) + "force x1 = -x1'\n", "lobatto(2)"), std::vector<int>{31}) << "damping";
  // A step that turns the rods over has no solution near by; who looks for one that is nearer finds it.
  Motion run(model_from_text(tree(31)), "lobatto(2)", LinearSolver::automatic, 0.01);
  const std::vector<double> before = run.state;
  run.step.be_brief(true);
  EXPECT_NE(run.advance(50), Outcome::converged);
  EXPECT_EQ(run.state, before);
  run.t = 0;
  EXPECT_EQ(run.advance(0.001), Outcome::converged);
}

}  // namespace
}  // namespace alembert::internal::testing::explicit_stages
