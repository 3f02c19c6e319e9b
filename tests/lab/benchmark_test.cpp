// The benchmarks of others: the references are those of tests/reference, our runs meet them, and at equal digits they
// need fewer steps than every published solver.

#include "alembert/lab/benchmark.h"

#include <gtest/gtest.h>

#include "alembert/error.h"
#include "conformance/problems.h"

namespace alembert::internal::benchmark {
namespace {

using testing::numbers;

nlohmann::json reference_of(const std::string& name) {
  for (const auto& one : testing::reference("benchmarks"))
    if (one["name"] == name) return one["reference"];
  throw std::runtime_error("no benchmark " + name);
}

Problem problem(const std::string& name) {
  for (Problem& one : problems())
    if (one.name == name) return one;
  throw std::runtime_error("no benchmark " + name);
}

std::vector<double> joined(const nlohmann::json& from, std::initializer_list<const char*> parts) {
  std::vector<double> all;
  for (const char* part : parts)
    for (const double value : numbers(from[part])) all.push_back(value);
  return all;
}

Result result_of(const std::string& name) {
  Options options;
  options.names = {name};
  options.quick = true;
  return run_benchmarks(options).results.at(0);
}

/// Every published row is answered by a run of ours with its digits and fewer steps.
void expect_ahead(const Result& result) {
  ASSERT_FALSE(result.problem.published.empty());
  for (const Published& other : result.problem.published) {
    const Row* ours = result.shortest(other.scd);
    ASSERT_TRUE(ours) << other.solver;
    EXPECT_GE(ours->scd, other.scd);
    EXPECT_LT(ours->steps, other.steps) << other.solver << " " << other.accuracy;
  }
  EXPECT_TRUE(result.ahead());
}

TEST(BenchmarkData, ReferencesAreThoseOfTheTests) {
  EXPECT_EQ(problem("car_axis").counted.expected, joined(reference_of("caraxis"), {"q", "v", "lambda"}));
  EXPECT_EQ(problem("andrews").counted.expected, joined(reference_of("andrews"), {"q"}));
  EXPECT_EQ(problem("andrews").others.expected, joined(reference_of("andrews"), {"v", "lambda"}));
  EXPECT_EQ(problem("andrews_bodies").counted.expected, problem("andrews").counted.expected);
  EXPECT_EQ(problem("fekete").counted.expected, joined(reference_of("fekete20"), {"q"}));
  EXPECT_EQ(problem("pendulum").counted.expected, joined(reference_of("A01_pendulum"), {"10", "v_10"}));
}

TEST(BenchmarkData, DigitsAreThoseOfTheTestSet) {
  EXPECT_NEAR(scd({1.001, 2}, {1, 2}), 3, 1e-10);
  EXPECT_NEAR(scd({1, 0.0102}, {1, 0.01}), -std::log10(0.02), 1e-10);
  EXPECT_NEAR(mescd({1, 0.0102}, {1, 0.01}), -std::log10(0.0002 / 1.01), 1e-10);
  EXPECT_GT(scd({1, 2}, {1, 2}), 16);
  EXPECT_TRUE(std::isnan(scd({NAN, 2}, {1, 2})));
}

TEST(BenchmarkRuns, CarAxis) {
  const Result result = result_of("car_axis");
  EXPECT_EQ(result.missed(), "");
  EXPECT_GE(result.digits(), 10);
  expect_ahead(result);
}

TEST(BenchmarkRuns, Andrews) {
  const Result result = result_of("andrews");
  EXPECT_EQ(result.missed(), "");
  EXPECT_GE(result.digits(), 10);
  expect_ahead(result);
}

TEST(BenchmarkRuns, AndrewsFromBodies) {
  const Result result = result_of("andrews_bodies");
  EXPECT_EQ(result.missed(), "");
  EXPECT_GE(result.digits(), 10);
  expect_ahead(result);
}

TEST(BenchmarkRuns, Pendulum) {
  const Result result = result_of("pendulum");
  EXPECT_EQ(result.missed(), "");
  EXPECT_GE(result.digits(), 10);
  // The best of an accuracy reaches it, and nothing that does is faster.
  for (const double accuracy : result.problem.accuracies) {
    const Row* best = result.fastest(accuracy);
    ASSERT_TRUE(best);
    EXPECT_GE(best->scd, accuracy);
    for (const Row& row : result.rows) EXPECT_TRUE(row.scd < accuracy || row.seconds >= best->seconds);
  }
}

TEST(BenchmarkRuns, FeketeWithoutItsLongestRuns) {
  const Result result = result_of("fekete");
  EXPECT_FALSE(result.whole);
  EXPECT_EQ(result.missed(), "");
  EXPECT_GE(result.digits(), 10);
}

TEST(BenchmarkRuns, UnknownNamesAreRefused) {
  Options options;
  options.names = {"car_axle"};
  try {
    run_benchmarks(options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'car_axis'?"), std::string::npos) << error.what();
  }
}

TEST(BenchmarkRuns, MissesAreTold) {
  Result result{problem("car_axis"), true, {}};
  Row row;
  row.trial = {"gauss(2)", {{3, 100}}};
  row.scd = 2, row.steps = 100;
  result.rows = {row};
  EXPECT_NE(result.missed().find("2.0 digits"), std::string::npos) << result.missed();
  result.rows[0].scd = 11;
  EXPECT_NE(result.missed().find("in 71 steps"), std::string::npos) << result.missed();  // the first that is ahead
  result.rows[0].steps = 30;
  EXPECT_EQ(result.missed(), "");
  result.rows[0].failure = "singular";
  EXPECT_EQ(result.missed(), "gauss(2): singular");
}

}  // namespace
}  // namespace alembert::internal::benchmark
