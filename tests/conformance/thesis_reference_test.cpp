// The double pendulum and the pendulum of Symank 2025: ends of runs, energies, constraints, and no drift.

#include <gtest/gtest.h>

#include <cmath>

#include "newton/allocations.h"
#include "problems.h"

namespace alembert::internal::testing {
namespace {

TEST(ThesisReference, ExactSolutionsAreReachedByGauss) {
  int compared = 0;
  const nlohmann::json data = reference("multibody");
  for (const auto& entry : data["entries"]) {
    const std::string problem = entry["problem"], kind = entry["method"];
    if (kind != "EXACT" || problem.starts_with("msd")) continue;
    SCOPED_TRACE(entry["id"].get<std::string>());
    const Report report = run(multibody_model(problem), "gauss(6)", 0.01, number(entry["t_end"]));
    const auto q = numbers(entry["p"]), v = numbers(entry["v"]);
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_NEAR(report.y[i], q[i], 1e-11 * std::max(1.0, std::abs(q[i])));
      EXPECT_NEAR(report.z[i], v[i], 1e-11 * std::max(1.0, std::abs(v[i])));
    }
    ++compared;
  }
  EXPECT_EQ(compared, 5);
}

TEST(ThesisReference, EnergyAndConstraintsOverTwentyFourThousandSteps) {
  const auto expect = [](const char* model, const char* method_text, double energy) {
    SCOPED_TRACE(std::string(model) + " " + method_text);
    const Report report = run(gallery(model), method_text, 0.01, 240);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_EQ(report.steps, 24000);
    EXPECT_NEAR(report.energy.max_error, energy, 0.1 * energy);
    EXPECT_LT(report.position, 1e-13);
    EXPECT_LT(report.velocity, 1e-13);
    EXPECT_LT(std::abs(report.drift.per_time), 3 * report.drift.uncertainty);
  };
  expect("double_pendulum", "lobatto(3)", 1.7e-5);
  expect("double_pendulum", "lobatto(4)", 2.7e-8);
  expect("pendulum", "lobatto(3)", 5.68e-8);
  expect("pendulum", "lobatto(4)", 2.9e-12);
}

TEST(Step, NeitherAllocatesNorForgetsWhatRoundingCutOff) {
  const Model model = gallery("double_pendulum");
  const Equations e = derive(model);
  const InitialValues start = make_consistent(model, e);
  std::vector<double> state = start.y, hints = start.z_dot;
  state.insert(state.end(), start.z.begin(), start.z.end());
  hints.insert(hints.end(), start.lambda.begin(), start.lambda.end());
  // The sparse factorisation of the whole system is left out: choosing new pivots takes memory.
  for (const LinearSolver linear : {LinearSolver::unrolled, LinearSolver::dense, LinearSolver::two_matrix}) {
    NewtonOptions options;
    options.linear = linear;
    std::vector<double> x = state, rest(state.size(), 0.0);
    Step<double> step(method("lobatto(3)").step(e), 0.0, 0.01, state, hints, options);
    for (int n = 0; n < 50; ++n) step.advance(0.01 * n, 0.01, x.data(), rest.data());
    const auto before = tests::allocations();
    for (int n = 50; n < 100; ++n)
      ASSERT_EQ(step.advance(0.01 * n, 0.01, x.data(), rest.data()).newton.outcome, Outcome::converged);
    EXPECT_EQ(tests::allocations(), before) << static_cast<int>(linear);
    double carried = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      carried = std::max(carried, std::abs(rest[i]));
      EXPECT_LE(std::abs(rest[i]), 0x1p-52 * std::abs(x[i]));
    }
    EXPECT_GT(carried, 0);
  }
}

}  // namespace
}  // namespace alembert::internal::testing
