// Deep and wide graphs: nothing recurses and nothing costs the square. Bounds are generous for slow machines; a
// quadratic cost would exceed them by orders of magnitude.

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "alembert/expr/derivative.h"
#include "alembert/expr/print.h"
#include "evaluator.h"

namespace alembert::internal {
namespace {

using testing_expr::Values;

class Clock {  // of the processor: the machine may be busy with other things
 public:
  double seconds() const { return double(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

constexpr double bound = 20;  // seconds, also under sanitisers

TEST(LargeTest, DeepChain) {
  const Clock clock;
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  Expr f = x;
  double value = 0.5, slope = 1;
  for (int i = 0; i < 500000; ++i) {
    f = sin(f) + y;
    slope = std::cos(value) * slope + 1;  // d/dy; at the start x = 0.5 does not depend on y
    if (i == 0) slope = 1;
    value = std::sin(value) + 0.1;
  }
  EXPECT_GE(graph.size(), 1000000u);
  const Expr along = directional(std::vector{f}, std::vector{y}, std::vector{graph.constant(1)})[0];
  const Expr down = gradient(f, std::vector{y})[0];
  const SparseExprs row = jacobian(std::vector{f}, std::vector{x, y});
  ASSERT_EQ(row.value.size(), 2u);
  const Values<double> values(graph, std::vector{x, y}, {0.5, 0.1});
  EXPECT_EQ(values(f), value);
  EXPECT_NEAR(values(along) / slope, 1, 1e-10);
  EXPECT_NEAR(values(down) / slope, 1, 1e-10);
  EXPECT_NEAR(values(row.value[1]) / slope, 1, 1e-10);
  Graph other;
  const Expr u = other.symbol("u");
  EXPECT_EQ(free_symbols(std::vector{substitute(f, std::vector{x, y}, std::vector{u, sin(u)}, other)}), Exprs{u});
  EXPECT_LT(to_infix(f).size(), 200000u);
  EXPECT_LT(to_latex(f).size(), 200000u);
  EXPECT_LT(clock.seconds(), bound);
}

TEST(LargeTest, WideSums) {
  const Clock clock;
  Graph graph;
  const int n = 100000;
  const Exprs x = graph.symbols("x", n);
  Expr left = graph.constant(0);
  Exprs terms;
  for (const Expr e : x) {
    terms.push_back(pow(e, 2));
    left = left + terms.back();
  }
  const Expr balanced = sum(graph, terms);
  // All at once: two full rows and n short ones.
  Exprs f = {left, balanced};
  for (int i = 1; i < n; ++i) f.push_back(sin(x[i] - x[i - 1]));
  const SparseExprs j = jacobian(f, x);
  ASSERT_EQ(j.value.size(), std::size_t(2 * n + 2 * (n - 1)));
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(j.value[i], 2 * x[i]);
    EXPECT_EQ(j.value[n + i], 2 * x[i]);
  }
  EXPECT_EQ(j.value[2 * n + 1], cos(x[1] - x[0]));
  const Exprs ones(n, graph.constant(1));
  EXPECT_EQ(gradient(left, x)[7], 2 * x[7]);
  EXPECT_EQ(directional(std::vector{left}, x, x).size(), 1u);
  EXPECT_EQ(hessian_vector(balanced, x, ones)[5], graph.constant(2));
  EXPECT_EQ(free_symbols(std::vector{left}).size(), std::size_t(n));
  EXPECT_LT(clock.seconds(), bound);
}

TEST(LargeTest, ManyRowsOverFewVariables) {
  // A long common part under many rows: rows must share its derivatives instead of sweeping it each time.
  const Clock clock;
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  Expr common = x * y;
  for (int i = 0; i < 20000; ++i) common = sin(common) + x;
  Exprs f;
  for (int i = 0; i < 20000; ++i) f.push_back(common * Quad(i + 2) + pow(y, i + 2));
  const SparseExprs j = jacobian(f, std::vector{x, y});
  EXPECT_EQ(j.value.size(), 40000u);
  EXPECT_LT(clock.seconds(), bound);
}

TEST(LargeTest, OperandsWhoseNumbersHaveTheSameSum) {
  // The table of nodes goes by sums of such numbers, so that these meet.
  const Clock clock;
  Graph graph;
  const int n = 100000;
  const Exprs x = graph.symbols("x", n);
  Exprs products;
  for (int i = 0; i < n / 2; ++i) products.push_back(x[i] * x[n - 1 - i]);
  const std::size_t size = graph.size();
  for (int i = 0; i < n / 2; ++i) EXPECT_EQ(x[n - 1 - i] * x[i], products[i]);
  for (int i = 1; i < n / 2; ++i) EXPECT_NE(products[i], products[i - 1]);
  EXPECT_EQ(graph.size(), size);
  EXPECT_EQ(size, std::size_t(n + n / 2));
  EXPECT_LT(clock.seconds(), bound);
}

TEST(LargeTest, SmallQuestionsToALargeGraph) {
  Graph graph;
  const Expr x = graph.symbol("x");
  Expr f = x;
  for (int i = 0; i < 300000; ++i) f = sin(f) + x;
  const Expr y = graph.symbol("y"), small = sin(y) * y;
  const Clock clock;
  int found = 0;
  for (int i = 0; i < 100000; ++i) {
    found += depends(small, std::vector{y});
    found += int(free_symbols(std::vector{small}).size());
    found += gradient(small, std::vector{y}).size() == 1;
  }
  EXPECT_EQ(found, 300000);
  EXPECT_LT(clock.seconds(), bound);
}

}  // namespace
}  // namespace alembert::internal
