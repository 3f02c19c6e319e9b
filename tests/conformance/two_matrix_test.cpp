// The two-matrix iteration of Jay (modified Newton iterations) ends where exact Newton ends, with as few factorisations
// as it promises.

#include <gtest/gtest.h>

#include <cmath>

#include "problems.h"

namespace alembert::internal::testing {
namespace {

NewtonOptions with(LinearSolver linear) {
  NewtonOptions options;
  options.linear = linear;
  return options;
}

std::vector<std::string> staged_methods() {
  std::vector<std::string> names;
  for (int s = 1; s <= 5; ++s) names.push_back("gauss(" + std::to_string(s) + ")");
  for (int s = 2; s <= 5; ++s)
    for (const char* family : {"lobatto", "lobatto_abd", "lobatto_d", "radau"})
      names.push_back(std::string(family) + "(" + std::to_string(s) + ")");
  return names;
}

TEST(TwoMatrix, EndsWhereExactNewtonEnds) {
  const nlohmann::json problems = reference("spark")["problems"];
  for (const char* problem :
       {"H_pendulum", "HN_knife_paraboloid", "P81_particle", "H_double_pendulum", "falling_disk"}) {
    const Model model =
        problems.contains(problem) ? model_from_text(spark_model_text(problems[problem])) : gallery(problem);
    for (const std::string& name : staged_methods()) {
      SCOPED_TRACE(std::string(problem) + " " + name);
      const double h = problems.contains(problem) ? 0.05 : 0.005;
      const Report exact = run(model, name, h, 20 * h, with(LinearSolver::dense));
      const Report two = run(model, name, h, 20 * h, with(LinearSolver::two_matrix));
      ASSERT_EQ(two.ending, Ending::done) << two.reason;
      EXPECT_LT(distance(exact.y, two.y), 1e-13);
      EXPECT_LT(distance(exact.z, two.z), 1e-13);
      EXPECT_LE(two.newton.factorizations, 2 * two.steps);
      EXPECT_LE(two.newton.factorization_sizes.size(), 2u);
      // The matrices are those of one stage, whatever s is.
      EXPECT_LE(two.newton.factorization_sizes[0], static_cast<int>(two.y.size() + two.lambda.size() + two.psi.size()));
    }
  }
}

TEST(TwoMatrix, TakesVelocitiesThatDependOnPositions) {
  // A Hamiltonian that is not separable: v = H_p depends on q.
  const Model model = model_from_text(
      "coordinate q[3]\nmomentum p[3] of q\nhamiltonian norm2(p)/2*(1 + q[1]^2/5) + q[3]\n"
      "constraint sphere: norm2(q) = 1\ninitial q = (1, 0, 0), p = (0, 1, 0.3)\n");
  for (const char* name : {"gauss(2)", "lobatto(3)"}) {
    const Report exact = run(model, name, 0.05, 1, with(LinearSolver::dense));
    const Report two = run(model, name, 0.05, 1, with(LinearSolver::two_matrix));
    ASSERT_EQ(two.ending, Ending::done) << two.reason;
    EXPECT_LT(distance(exact.y, two.y), 1e-13);
    EXPECT_LT(distance(exact.z, two.z), 1e-13);
  }
}

TEST(TwoMatrix, FactorisationsPerStepDoNotGrowWithTheStages) {
  const Model model = gallery("double_pendulum");
  for (const int s : {2, 4, 8}) {
    const Report report = run(model, "gauss(" + std::to_string(s) + ")", 0.01, 2, with(LinearSolver::two_matrix));
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_LE(report.newton.factorizations, report.steps) << s;
    EXPECT_EQ(report.newton.factorization_sizes, std::vector<int>{6}) << s;
  }
}

TEST(TwoMatrix, ContractionIsOfTheOrderOfTheStep) {
  // Iterations per step fall with h as a linear rate O(h) predicts: halving h must not need more of them.
  const Model model = model_from_text(spark_model_text(reference("spark")["problems"]["H_pendulum"]));
  double before = INFINITY;
  for (const double h : {0.1, 0.05, 0.025}) {
    const Report report = run(model, "gauss(2)", h, 2, with(LinearSolver::two_matrix));
    const double iterations = static_cast<double>(report.newton.iterations) / static_cast<double>(report.steps);
    EXPECT_LT(iterations, before);
    before = iterations;
  }
}

TEST(TwoMatrix, LongChainsAreSolvedSparsely) {
  const Model model = gallery("chain", {"N=100"});
  const Report two = run(model, "gauss(3)", 0.001, 0.01);
  ASSERT_EQ(two.ending, Ending::done) << two.reason;
  ASSERT_FALSE(two.newton.factorization_sizes.empty());
  EXPECT_EQ(two.newton.factorization_sizes[0], static_cast<int>(two.y.size() + two.lambda.size()));
  EXPECT_LT(two.position, 1e-12);
  const Report exact = run(model, "gauss(3)", 0.001, 0.01, with(LinearSolver::sparse));
  EXPECT_LT(distance(exact.y, two.y), 1e-12);
}

}  // namespace
}  // namespace alembert::internal::testing
