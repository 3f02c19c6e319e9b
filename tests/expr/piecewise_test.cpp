// Tables as one operation: values and derivatives against formulas of their pieces, in every precision and code.

#include "alembert/expr/piecewise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/secant.h"

namespace alembert::internal {
namespace {

/// Straight lines between points, held beyond them.
const Piecewise& straight(const std::vector<double>& x, const std::vector<double>& f, const std::string& name = "f") {
  std::vector<Quad> knots(x.begin(), x.end());
  std::vector<Piecewise::Piece<Quad>> pieces{{x[0], f[0], 0, 0, 0}};
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    pieces.push_back({x[i], f[i], (Quad(f[i + 1]) - f[i]) / (Quad(x[i + 1]) - x[i]), 0, 0});
  pieces.push_back({x.back(), f.back(), 0, 0, 0});
  return known(std::make_unique<Piecewise>(name, 0, knots, std::move(pieces)));
}

/// x^3 up to 1, then 3 x - 2 + (x - 1)^3, straight beyond 0 and 2.
const Piecewise& cubic() {
  return known(std::make_unique<Piecewise>(
      "g", 0, std::vector<Quad>{0, 1, 2},
      std::vector<Piecewise::Piece<Quad>>{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {1, 1, 3, 0, 1}, {2, 5, 0, 0, 0}}));
}

TEST(Piecewise, IsFoundByASearchThatKnowsNothing) {
  std::mt19937_64 g(3);
  std::exponential_distribution<double> gap(1);
  std::uniform_real_distribution<double> height(-1, 1);
  for (const int points : {2, 3, 10, 10000}) {
    std::vector<double> x{-5}, f{0.3};
    // Uneven by far: some gaps are a million times wider than others.
    while (static_cast<int>(x.size()) < points) {
      x.push_back(x.back() + std::pow(gap(g), 4) + 1e-9);
      f.push_back(height(g));
    }
    const Piecewise& table = straight(x, f);
    std::uniform_real_distribution<double> place(x.front() - 1, x.back() + 1);
    std::uniform_int_distribution<std::size_t> knot(0, x.size() - 1);
    for (int trial = 0; trial < 2000; ++trial) {
      const double at = trial % 3 == 0 ? x[knot(g)] : place(g);
      std::size_t i = 0;
      while (i < x.size() && x[i] <= at) ++i;
      const long double expected = i == 0          ? f[0]
                                   : i == x.size() ? f.back()
                                                   : f[i - 1] + (static_cast<long double>(at) - x[i - 1]) /
                                                                    (static_cast<long double>(x[i]) - x[i - 1]) *
                                                                    (static_cast<long double>(f[i]) - f[i - 1]);
      EXPECT_NEAR(table.value(at), static_cast<double>(expected), 1e-15) << points << " points, " << at;
      EXPECT_NEAR(static_cast<double>(table.value(Quad(at))), static_cast<double>(expected), 1e-15);
    }
    EXPECT_TRUE(std::isnan(table.value(NAN)));
    EXPECT_EQ(table.value(1e300), f.back());
    EXPECT_EQ(table.value(-1e300), f.front());
  }
}

TEST(Piecewise, HasItsSlopesToTheLast) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr first = gradient(piecewise(x, cubic()), Exprs{x})[0], second = gradient(first, Exprs{x})[0],
             third = gradient(second, Exprs{x})[0], fourth = gradient(third, Exprs{x})[0];
  EXPECT_TRUE(is_zero(fourth));
  EXPECT_EQ(to_text(first), "g'(x)");
  EXPECT_EQ(to_latex(second), "g''\\left(x\\right)");
  const Kernel<Quad> kernel(Exprs{x}, Exprs{piecewise(x, cubic()), first, second, third});
  std::vector<Quad> work(kernel.work());
  for (const double at : {-1.0, 0.25, 0.75, 1.5, 3.0}) {
    const Quad in = at;
    Quad out[4];
    kernel(&in, out, work.data());
    const double u = at - 1;
    const std::array<double, 4> expected = at < 0   ? std::array<double, 4>{0, 0, 0, 0}
                                           : at < 1 ? std::array<double, 4>{at * at * at, 3 * at * at, 6 * at, 6}
                                           : at < 2
                                               ? std::array<double, 4>{1 + 3 * u + u * u * u, 3 + 3 * u * u, 6 * u, 6}
                                               : std::array<double, 4>{5, 0, 0, 0};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(static_cast<double>(out[i]), expected[i], 1e-30) << at << " " << i;
  }
}

TEST(Piecewise, GivesTheSameBitsInterpretedAndCompiled) {
  if (!native_available()) GTEST_SKIP() << "no compiler in this build";
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  const Piecewise& table = straight({0, 0.1, 0.3, 0.7, 1}, {1, -2, 0.3, 0.1, 5});
  const Expr f = sin(piecewise(x * y, table)) + piecewise(y, cubic());
  const Exprs in{x, y}, out{f, gradient(f, in)[0], gradient(f, in)[1]};
  const Kernel<double> plain(in, out, interpreted), native(in, out, {Backend::native, true});
  std::vector<double> work(std::max(plain.work(), native.work()));
  std::mt19937_64 g(5);
  std::uniform_real_distribution<double> place(-0.5, 2.5);
  for (int i = 0; i < 500; ++i) {
    const double at[] = {place(g), place(g)};
    double one[3], two[3];
    plain(at, one, work.data());
    native(at, two, work.data());
    for (int k = 0; k < 3; ++k) EXPECT_EQ(one[k], two[k]) << at[0] << " " << at[1];
  }
}

TEST(Piecewise, BoundsHoldAllValuesAndAreSharp) {
  std::mt19937_64 g(11);
  std::uniform_real_distribution<double> place(-1, 4), part(0, 1), height(-1, 1);
  std::vector<double> x, f;
  for (int i = 0; i <= 300; ++i) {
    x.push_back(i * 0.01);
    f.push_back(height(g));
  }
  for (const Piecewise* table : {&cubic(), &straight(x, f), &straight(x, f).slope()})
    for (int trial = 0; trial < 300; ++trial) {
      const double one = place(g), two = trial % 2 ? place(g) : one + 0.02 * part(g);
      const auto [low, high] = table->bounds(std::min(one, two), std::max(one, two));
      for (int sample = 0; sample < 50; ++sample) {
        const double value = table->value(one + part(g) * (two - one));
        EXPECT_GE(value, low - 1e-12 * std::abs(low));
        EXPECT_LE(value, high + 1e-12 * std::abs(high));
      }
    }
  const auto [low, high] = cubic().bounds(0.5, 1.5);
  EXPECT_NEAR(low, 0.125, 1e-15);
  EXPECT_NEAR(high, 2.625, 1e-15);
  EXPECT_EQ(cubic().bounds(-INFINITY, INFINITY), std::pair(0.0, 5.0));
}

TEST(Piecewise, DiscreteSlopesAreExact) {
  Graph graph;
  const Expr x = graph.symbol("x"), x0 = graph.symbol("x0"), x1 = graph.symbol("x1");
  const Expr f = piecewise(x, cubic());
  const Exprs slope = discrete_derivative(f, Exprs{x}, Exprs{x0}, Exprs{x1}, graph, DiscreteGradient::chain);
  const Kernel<double> kernel(Exprs{x0, x1}, slope, interpreted);
  std::vector<double> work(kernel.work());
  for (const auto& [a, b] : {std::pair(0.2, 0.7), std::pair(0.2, 0.2), std::pair(0.3, 0.3 + 1e-12), std::pair(0.4, 1.7),
                             std::pair(1.8, -3.0), std::pair(1.0 - 1e-9, 1.0 + 1e-9)}) {
    const double in[] = {a, b};
    double out = 0;
    kernel(in, &out, work.data());
    EXPECT_NEAR(out * (b - a), cubic().value(b) - cubic().value(a), 1e-15) << a << " " << b;
    if (std::abs(b - a) < 1e-6) { EXPECT_NEAR(out, cubic().slope().value(a), 1e-6); }
  }
}

TEST(Piecewise, KinksAreWhereADerivativeJumps) {
  // Points on a line are none.
  EXPECT_EQ(straight({0, 1, 2, 3}, {0, 1, 2, 5}).kinks(), (std::vector<double>{0, 2, 3}));
  EXPECT_EQ(straight({0, 0.1, 0.2, 0.3}, {1, 1, 1, 1}).kinks(), std::vector<double>());
  EXPECT_EQ(cubic().kinks(), (std::vector<double>{0, 1, 2})) << "at 0 the third derivative jumps";
  EXPECT_EQ(cubic().slope().slope().kinks(), cubic().kinks());
}

}  // namespace
}  // namespace alembert::internal
