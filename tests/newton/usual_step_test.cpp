// The usual way of a step by itself: what it leaves to a last linear system, and that it ends where the general Newton
// ends.

#include "alembert/newton/usual_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/newton/step.h"
#include "alembert/newton/tail.h"
#include "conformance/problems.h"

namespace alembert::internal::testing::usual {
namespace {

TEST(Tail, is_what_follows_linearly_and_decides_nothing) {
  Graph graph;
  const Exprs x = graph.symbols("x", 4);
  // x1 and x2 need each other, not linearly; x3 follows from x1, x4 from x3 and x2.
  const Exprs F{x[0] * x[1] - Quad(1), x[1] - sin(x[0]), x[2] - x[0] * x[0], x[3] * x[1] + x[2]};
  const TailSplit split = split_tail(F, jacobian(F, x), x);
  EXPECT_EQ(split.core, (std::vector<int>{0, 1}));
  EXPECT_EQ(split.tail, (std::vector<int>{2, 3}));
}

TEST(Tail, takes_products_of_its_own_unknowns_for_what_they_are) {
  Graph graph;
  const Exprs x = graph.symbols("x", 2);
  // Each is linear, one after the other; both at once are not.
  const Exprs F{x[0] - Quad(2), x[0] * x[1] - Quad(1)};
  const TailSplit split = split_tail(F, jacobian(F, x), x);
  EXPECT_EQ(split.tail.size() + split.core.size(), 2);
  EXPECT_FALSE(split.core.empty());
}

TEST(Tail, sees_jumps_that_derivatives_do_not_show) {
  Graph graph;
  const Exprs x = graph.symbols("x", 1);
  const Exprs F{x[0] + sign(x[0]) - Quad(0.5)};
  EXPECT_EQ(split_tail(F, jacobian(F, x), x).core, std::vector<int>{0});
}

/// The state after some steps, with this way of solving.
std::vector<double> after_steps(const Model& model, const std::string& method, LinearSolver linear, double h, int n) {
  const Equations e = derive(model);
  const InitialValues start = make_consistent(model, e);
  std::vector<double> state = joined<double>(start.y, start.z), compensation(state.size());
  NewtonOptions options;
  options.kernel = interpreted;
  options.linear = linear;
  Step<double> step(step_plan(find_method(method), e), 0, h, state,
                    joined<double>(start.z_dot, start.lambda, start.psi), options);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(step.advance(i * h, h, state.data(), compensation.data()).newton.outcome, Outcome::converged) << i;
  return state;
}

TEST(UsualStep, ends_where_newton_with_its_own_matrix_ends) {
  const Model pendulum = model_from_text(R"(
parameter g = 9.81
coordinate x = 0.6, y = -0.8, u = 1.2, w = -1.6
kinetic (x'^2 + y'^2)/2 + (u'^2 + w'^2)
potential g*y + 2*g*w
constraint x^2 + y^2 = 1
constraint (u - x)^2 + (w - y)^2 = 1
)");
  const Model spring = model_from_text("coordinate q = 1\nkinetic (1 + q^2)*q'^2/2\npotential cosh(q)\n");
  for (const Model* model : {&pendulum, &spring})
    for (const char* method : {"lobatto(2)", "lobatto(3)", "gauss(2)", "murua(2)", "radau_collocation(2)"})
      for (const double h : {0.01, 0.1}) {
        const std::vector<double> usual = after_steps(*model, method, LinearSolver::automatic, h, 50);
        const std::vector<double> exact = after_steps(*model, method, LinearSolver::exact, h, 50);
        for (std::size_t i = 0; i < usual.size(); ++i) EXPECT_NEAR(usual[i], exact[i], 2e-13) << method << ", " << h;
      }
}

TEST(UsualStep, is_only_made_where_nothing_else_is_asked_for) {
  const Model model = model_from_text("coordinate q = 1\nkinetic q'^2/2\npotential cosh(q)\n");
  const StepPlan plan = step_plan(find_method("gauss(2)"), derive(model));
  const StepEquations& e = plan.parts.front();
  const std::vector<double> typical(2 + e.state.size() + e.unknowns.size(), 0.1);
  NewtonOptions options;
  options.kernel = interpreted;
  EXPECT_NE(UsualStep::make(e, typical, options), nullptr);
  options.linear = LinearSolver::dense;
  EXPECT_EQ(UsualStep::make(e, typical, options), nullptr);
  options.linear = LinearSolver::automatic;
  options.tolerance = 1e-6;
  EXPECT_EQ(UsualStep::make(e, typical, options), nullptr);
}

}  // namespace
}  // namespace alembert::internal::testing::usual
