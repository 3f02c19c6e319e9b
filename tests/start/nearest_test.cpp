#include "alembert/start/nearest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "alembert/linear/rank.h"
#include "alembert/newton/rounding.h"

namespace alembert::internal {
namespace {

SparseRows diagonal_metric(const std::vector<double>& m) {
  SparseRows result = identity_rows(static_cast<int>(m.size()));
  result.value = m;
  return result;
}

/// On the ellipse sum (x_i/a_i)^2 = 1 the point nearest in the metric M is x_i = g_i/(1 + 2 mu/(m_i a_i^2)), where mu
/// is the root of a decreasing function.
std::vector<double> nearest_on_ellipsoid(const std::vector<double>& given, const std::vector<double>& a,
                                         const std::vector<double>& m) {
  const auto point = [&](double mu) {
    std::vector<double> x;
    for (std::size_t i = 0; i < a.size(); ++i) x.push_back(given[i] / (1 + 2 * mu / (m[i] * a[i] * a[i])));
    return x;
  };
  double low = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.size(); ++i) low = std::min(low, m[i] * a[i] * a[i] / 2);
  low = -low * (1 - 1e-12);
  double high = 1e6;
  for (int k = 0; k < 400; ++k) {
    const double mu = (low + high) / 2;
    double sum = -1;
    const std::vector<double> x = point(mu);
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(x[i] / a[i], 2);
    (sum > 0 ? low : high) = mu;
  }
  return point((low + high) / 2);
}

class Ellipsoid : public ::testing::Test {
 protected:
  Graph graph;
  Exprs x = graph.symbols("x", 3);
  std::vector<double> a = {1, 2, 3};
  std::vector<double> m = {1, 0.1, 20};

  NearestPoint make() {
    Expr sum = graph.constant(-1);
    for (int i = 0; i < 3; ++i) sum = sum + x[i] * x[i] / static_cast<Quad>(a[i] * a[i]);
    return NearestPoint({}, x, {sum});
  }
};

TEST_F(Ellipsoid, NearestPointIsTheLagrangeConditions) {
  const NearestPoint nearest = make();
  // Close, moderately far, very far, and inside.
  for (const std::vector<double>& given : std::vector<std::vector<double>>{
           {0.6, 1.1, 1.9}, {2, 3, -4}, {-30, 50, 20}, {0.5, 0.3, 0.4}, {0.2, -1.0, 0.9}}) {
    const auto result = nearest.solve({{}, given, {false, false, false}, diagonal_metric(m), {0}});
    ASSERT_TRUE(result.converged);
    const std::vector<double> expected = nearest_on_ellipsoid(given, a, m);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(result.x[i], expected[i], 2e-13 * std::abs(given[i])) << "from " << given[0];
    EXPECT_LE(std::abs(result.residual[0]), 1e-15);
    EXPECT_LE(result.iterations, 40);
  }
}

TEST_F(Ellipsoid, FixedComponentsStay) {
  const auto result = make().solve({{}, {0.5, 0.3, 1.5}, {false, true, true}, diagonal_metric(m), {0}});
  ASSERT_TRUE(result.converged);
  EXPECT_EQ(result.x[1], 0.3);
  EXPECT_EQ(result.x[2], 1.5);
  EXPECT_NEAR(result.x[0], std::sqrt(1 - 0.0225 - 0.25), 1e-15);
}

TEST_F(Ellipsoid, NoSolutionIsSaid) {
  EXPECT_FALSE(make().solve({{}, {0.5, 2.5, 1}, {false, true, false}, diagonal_metric(m), {0}}).converged);
}

TEST(Nearest, ConstraintsThatAreNotActiveDoNotCount) {
  Graph graph;
  const Exprs x = graph.symbols("x", 2);
  const NearestPoint nearest({}, x, {x[0] - Quad(1), x[0] - Quad(2), x[1] - x[0]});
  const SparseRows metric = identity_rows(2);
  EXPECT_FALSE(nearest.solve({{}, {0, 0}, {false, false}, metric, {0, 1, 2}}).converged);
  const auto result = nearest.solve({{}, {0, 0}, {false, false}, metric, {1, 2}});
  ASSERT_TRUE(result.converged);
  EXPECT_EQ(result.x, (std::vector<double>{2, 2}));
}

// Many circles, far from which the curvature of the constraints counts: copies of one object ask for it one by one.
TEST(Nearest, ManyCirclesFromFarAway) {
  constexpr int count = 200;
  Graph graph;
  const Expr radius = graph.symbol("radius");
  const Exprs x = graph.symbols("x", 2 * count);
  Exprs circles;
  std::vector<double> given;
  for (int i = 0; i < count; ++i) {
    circles.push_back(pow(x[2 * i], 2) + pow(x[2 * i + 1], 2) - pow(radius, 2));
    const double angle = 0.1 * i, distance = 1.5 + 0.01 * i;
    given.push_back(distance * std::cos(angle));
    given.push_back(distance * std::sin(angle));
  }
  const NearestPoint first({radius}, x, circles);
  const NearestPoint second = first;
  const std::size_t nodes = graph.size();
  std::vector<int> all(count);
  for (int i = 0; i < count; ++i) all[i] = i;
  for (const NearestPoint* nearest : {&first, &second}) {
    const NearestPoint::Result found =
        nearest->solve({{0.5}, given, std::vector<bool>(2 * count, false), identity_rows(2 * count), all});
    ASSERT_TRUE(found.converged);
    EXPECT_GT(found.iterations, 2);
    for (int i = 0; i < count; ++i) {
      EXPECT_NEAR(found.x[2 * i], 0.5 * std::cos(0.1 * i), 1e-14);
      EXPECT_NEAR(found.x[2 * i + 1], 0.5 * std::sin(0.1 * i), 1e-14);
    }
  }
  EXPECT_EQ(graph.size(), nodes);  // other threads may be reading it
}

TEST(Metric, IsTheMatrixItsInverseOrNothing) {
  const SparseRows a{3, 3, {0, 2, 4, 5}, {0, 1, 0, 1, 2}, {2, 1, 1, 2, 1e-12}};
  EXPECT_EQ(metric_from(a, false).value, a.value);
  const SparseRows inverse = metric_from(a, true);
  ASSERT_EQ(inverse.value.size(), 5u);
  EXPECT_NEAR(inverse.value[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(inverse.value[1], -1.0 / 3, 1e-15);
  EXPECT_EQ(inverse.value[4], 1 / 1e-12);
  EXPECT_EQ(metric_from({2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}}, false).rows, 0);    // indefinite
  EXPECT_EQ(metric_from({2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 1, 1, 1}}, false).rows, 0);    // singular
  EXPECT_EQ(metric_from({2, 2, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 0.5, 2}}, false).rows, 0);  // not symmetric
  EXPECT_EQ(metric_from({2, 2, {0, 1, 1}, {0}, {1}}, false).rows, 0);                      // an empty row
}

TEST(RoundingLevels, BoundTheErrorAndAreNotWasteful) {
  Graph graph;
  const Exprs x = graph.symbols("x", 2);
  // Heavy cancellation, a nonlinear function, a quotient, a power.
  const Exprs functions = {x[0] * x[0] - x[1] * x[1], graph.make(Op::sin, x[0]) - graph.make(Op::sin, x[1]),
                           x[0] / x[1] - Quad(1), pow(x[0], Quad(2.5)) - pow(x[1], Quad(2.5))};
  const Tape tape = make_tape(x, functions);
  // The exact results when the inputs are thirds, which double numbers only nearly hold.
  const Quad third = Quad(1000001) / 3;
  const Quad other = Quad(1000002) / 3;
  const Quad exact_in[] = {third, other};
  std::vector<Quad> work(tape.registers());
  std::vector<Quad> exact(4);
  interpret<Quad>(tape, exact_in, exact.data(), work.data());
  const double in[] = {static_cast<double>(third), static_cast<double>(other)};
  double value[4];
  double error[4];
  rounding_levels(tape, in, value, error);
  for (int i = 0; i < 4; ++i) {
    const double truth = std::abs(static_cast<double>(exact[i] - Quad(value[i])));
    EXPECT_GT(truth, 0) << i;
    EXPECT_LE(truth, error[i]) << i;
    EXPECT_LE(error[i], 1000 * truth) << i;
  }
}

TEST(RoundingLevels, BothFactorsOfAProductCount) {
  Graph graph;
  const Exprs x = graph.symbols("x", 2);
  const Expr small = x[0] - x[1];  // what is left of it is mostly error
  const Expr large = graph.symbol("large");
  const Exprs all = {x[0], x[1], large};
  const Exprs products = {small * large, x[0] * small};
  const Tape tape = make_tape(all, products);
  const double in[] = {1000001.0 / 3, 1000002.0 / 3, 1e6};
  double value[2];
  double error[2];
  rounding_levels(tape, in, value, error);
  const double of_difference = (in[0] + in[1]) * std::numeric_limits<double>::epsilon() / 2;
  EXPECT_NEAR(error[0] / (of_difference * in[2]), 1, 1e-5);
  EXPECT_NEAR(error[1] / (of_difference * in[0]), 1, 1e-5);
}

TEST(SparseRank, AgreesWithTheDenseAnalysis) {
  // A cycle of differences: the last row is minus the sum of all others.
  const int n = 2000;
  SparseRows rows{n, n, {0}, {}, {}};
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    rows.column.insert(rows.column.end(), {std::min(i, next), std::max(i, next)});
    rows.value.insert(rows.value.end(),
                      i < next ? std::initializer_list<double>{-1, 1} : std::initializer_list<double>{1, -1});
    rows.row_start.push_back(static_cast<int>(rows.column.size()));
  }
  const RankReport report = analyse_rows(rows, 1e-10);
  EXPECT_EQ(report.rank, n - 1);
  ASSERT_EQ(report.dependent_rows.size(), 1u);
  EXPECT_EQ(report.follows_from[0].size(), static_cast<std::size_t>(n - 1));
}

}  // namespace
}  // namespace alembert::internal
