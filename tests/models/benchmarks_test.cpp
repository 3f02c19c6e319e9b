// The benchmarks of others against references that are better than the published ones
// (tests/reference/benchmarks.json): relative errors, largest over all positions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../conformance/problems.h"

namespace alembert::internal::testing {
namespace {

nlohmann::json benchmark(const std::string& name) {
  for (const auto& one : reference("benchmarks"))
    if (one["name"] == name) return one;
  throw std::runtime_error("no benchmark " + name);
}

double relative_error(const std::vector<double>& values, const std::vector<double>& expected) {
  double worst = values.size() >= expected.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(values.size(), expected.size()); ++i)
    worst = std::max(worst, std::abs(values[i] - expected[i]) / std::abs(expected[i]));
  return worst;
}

std::vector<double> negated(std::vector<double> values) {
  for (double& v : values) v = -v;
  return values;
}

TEST(Benchmarks, CarAxis) {
  const auto expected = benchmark("caraxis")["reference"];
  const Report r = run(gallery("car_axis"), "gauss(6)", 3.0 / 300, 3);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_LT(relative_error(r.y, numbers(expected["q"])), 1e-10);
  EXPECT_LT(relative_error(r.z, numbers(expected["v"])), 1e-9);
  EXPECT_LT(relative_error(negated(r.lambda), numbers(expected["lambda"])), 1e-8);
}

TEST(Benchmarks, AndrewsFromItsFormulas) {
  const auto expected = benchmark("andrews")["reference"];
  const Report r = run(gallery("andrews"), "gauss(6)", 0.03 / 400, 0.03);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_LT(relative_error(r.y, numbers(expected["q"])), 1e-10);
  EXPECT_LT(relative_error(r.z, numbers(expected["v"])), 1e-8);
  EXPECT_LT(relative_error(r.lambda, numbers(expected["lambda"])), 1e-7);
  EXPECT_NEAR(r.energy.initial, 1.4378329575321398726, 1e-14);
}

TEST(Benchmarks, AndrewsFromBodiesAndJoints) {
  const std::vector<double> q = numbers(benchmark("andrews")["reference"]["q"]);
  const Report r = run(gallery("andrews_bodies"), "gauss(4)", 0.03 / 600, 0.03);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  // K1 .. K7: x, y, phi each.
  const std::vector<double> turned{r.y[2], r.y[5], r.y[8], r.y[11], r.y[14], r.y[17], r.y[20]};
  const std::vector<double> expected{q[0], q[0] + q[1], q[2], q[3] + q[4], q[4], q[5] + q[6], q[6]};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(turned[i], expected[i], 1e-10 * 16) << i;
}

TEST(Benchmarks, PendulumA01) {
  const auto expected = benchmark("A01_pendulum")["reference"];
  const Report r = run(gallery("simple_pendulum"), "gauss(5)", 0.02, 10);
  EXPECT_LT(relative_error(r.y, numbers(expected["10"])), 1e-11);
  EXPECT_LT(relative_error(r.z, numbers(expected["v_10"])), 1e-11);
}

TEST(Benchmarks, FeketePointsAtRest) {
  const Report r = run(gallery("fekete"), "gauss(5)", 0.25, 1000);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_LT(relative_error(r.y, numbers(benchmark("fekete20")["reference"]["q"])), 1e-10);
  for (const double lambda : r.lambda) EXPECT_NEAR(lambda, 19.0 / 4, 1e-12);
}

TEST(Benchmarks, FourBarsA02PassTheirSingularPositions) {
  const auto expected = benchmark("A02_nfourbar")["reference"]["N=2"];
  // Long steps of high order: the fewer points close to a singular position, the less rounding is magnified there.
  const Report r = run(gallery("n_four_bar"), "gauss(8)", 0.04, 10, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_LT(relative_error({r.y[0], r.y[1]}, numbers(expected["10"])), 1e-10);
  EXPECT_NEAR(r.y[2] - r.y[0], 1, 1e-12);  // the regular branch
  EXPECT_NEAR(r.y[3], r.y[1], 1e-12);
  EXPECT_GE(r.singular_positions.size(), 9u);
}

TEST(Benchmarks, FortyFourBarsRunTwentySeconds) {
  const auto expected = benchmark("A02_nfourbar")["reference"]["N=40"];
  NewtonOptions options = interpreted_newton();
  const Report r = run(gallery("n_four_bar", {"N=40"}), "lobatto(7)", 0.05, 20, options);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_LT(relative_error({r.y[0], r.y[1]}, numbers(expected["20"])), 1e-10);
  for (std::size_t i = 2; i < r.y.size(); i += 2) {
    EXPECT_NEAR(r.y[i], r.y[0] + static_cast<double>(i / 2), 1e-10);
    EXPECT_NEAR(r.y[i + 1], r.y[1], 1e-10);
  }
  EXPECT_EQ(r.singular_positions.size(), 20u);  // two a period of 1.9656
}

}  // namespace
}  // namespace alembert::internal::testing
