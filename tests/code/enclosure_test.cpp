// Bounds over boxes contain every value that the operators take there, and are no wider than they must be.

#include "alembert/code/enclosure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "alembert/expr/operators.h"

namespace alembert::internal {
namespace {

TEST(Enclosure, ContainsTheValuesOfEveryOperator) {
  std::mt19937_64 g(7);
  std::uniform_real_distribution<double> place(-6, 6), part(0, 1);
  int bounded = 0;
  for (const Operator& one : operators()) {
    if (one.operands == 0) continue;
    for (int trial = 0; trial < 300; ++trial) {
      const double wide = std::pow(10, -3 * part(g) + 0.5);
      const auto any = [&] {
        const double low = place(g);
        return Interval{low, low + wide * part(g)};
      };
      const Interval a = any(), b = trial % 3 == 0 ? Interval{2, 2} : any(), all = enclose(one.op, a, b);
      if (std::isfinite(all.low) && std::isfinite(all.high)) ++bounded;
      for (int sample = 0; sample < 30; ++sample) {
        const double x = a.low + part(g) * (a.high - a.low), y = b.low + part(g) * (b.high - b.low);
        const double value = evaluate<double>(one.op, x, y);
        if (std::isnan(value)) continue;
        const double rounding = 1e-14 * (1 + std::abs(value));
        EXPECT_GE(value, all.low - rounding) << one.name << "(" << x << ", " << y << ")";
        EXPECT_LE(value, all.high + rounding) << one.name << "(" << x << ", " << y << ")";
      }
    }
  }
  EXPECT_GT(bounded, 4000);
}

TEST(Enclosure, IsSharpWhereAVariableOccursOnce) {
  constexpr double pi = std::numbers::pi;
  const Interval sine = enclose(Op::sin, {0.1, pi - 0.2}, {});
  EXPECT_NEAR(sine.low, std::sin(0.1), 1e-15);
  EXPECT_EQ(sine.high, 1);
  const Interval cosine = enclose(Op::cos, {100 * pi - 0.1, 100 * pi + 0.3}, {});
  EXPECT_NEAR(cosine.low, std::cos(0.3), 1e-13);
  EXPECT_EQ(cosine.high, 1);
  const Interval square = enclose(Op::multiply, {-2, 1}, {-2, 1}, true);
  EXPECT_EQ(square.low, 0);
  EXPECT_EQ(square.high, 4);
  const Interval fifth = enclose(Op::divide, {1, 1}, {-1, 5});
  EXPECT_TRUE(std::isinf(fifth.low) && std::isinf(fifth.high));
  const Interval angle = enclose(Op::atan2, {1, 2}, {-1, 1});
  EXPECT_DOUBLE_EQ(angle.low, std::atan2(1, 1));
  EXPECT_DOUBLE_EQ(angle.high, std::atan2(1, -1));
}

TEST(Enclosure, OfATape) {
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  const Tape tape = make_tape(Exprs{x, y}, Exprs{x * x - y, exp(-x * x)});
  const std::vector<Interval> box{{-1, 2}, {0, 1}};
  std::vector<Interval> out(2), work(tape.registers());
  enclose(tape, box, out, work, nullptr);
  EXPECT_DOUBLE_EQ(out[0].low, -1);
  EXPECT_DOUBLE_EQ(out[0].high, 4);
  EXPECT_LE(out[1].low, std::exp(-4));
  EXPECT_GE(out[1].high, 1);
}

}  // namespace
}  // namespace alembert::internal
