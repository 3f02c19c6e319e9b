#include "alembert/expr/gather.h"

#include <gtest/gtest.h>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {
namespace {

class GatherTest : public ::testing::Test {
 protected:
  Graph graph;
  Expr a = graph.symbol("a"), b = graph.symbol("b"), c = graph.symbol("c"), d = graph.symbol("d");

  double value(Expr e) const {
    const Kernel<double> kernel(Exprs{a, b, c, d}, Exprs{e}, interpreted);
    const double at[] = {0.7, -1.3, 2.1, 0.4};
    double result = 0;
    std::vector<double> work(kernel.work());
    kernel(at, &result, work.data());
    return result;
  }
  static std::size_t operations(const Exprs& list, const Exprs& in) { return make_tape(in, list).code.size(); }
};

TEST_F(GatherTest, EqualProductsBecomeOne) {
  // As elimination makes them: (a/3)*(b/2) - (5*b)*(a/4) and more of a*b.
  const Expr sum = (a / Quad(3)) * (b / Quad(2)) - (Quad(5) * b) * (a / Quad(4)) + Quad(2) * (b * a);
  EXPECT_EQ(terms_of_sum(sum).size(), 1U);
  EXPECT_NEAR(value(gathered(sum)), (1.0 / 6 - 1.25 + 2) * 0.7 * -1.3, 1e-15);
  EXPECT_EQ(operations({gathered(sum)}, {a, b}), 2U);
}

TEST_F(GatherTest, WhatCancelsIsNothing) {
  EXPECT_TRUE(is_zero(gathered((a / Quad(3)) * b - b * a * (Quad(1) / Quad(3)))));
  EXPECT_TRUE(terms_of_sum(a - a).empty());
}

TEST_F(GatherTest, SumsThatDifferInAFactorShareTheRest) {
  // The entries of a matrix for stages: weights times the same product of two vectors.
  const auto entry = [&](Quad weight) { return (weight * a) * c + (b * weight) * d; };
  const Exprs plain{entry(Quad(1) / 3), entry(Quad(1) / 6), entry(Quad(5) / 12)};
  Exprs less;
  for (const Expr e : plain) less.push_back(gathered(e));
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(value(plain[i]), value(less[i]), 1e-15);
  EXPECT_EQ(operations(less, {a, b, c, d}), 3U + 3U);
  EXPECT_GT(operations(plain, {a, b, c, d}), 10U);
}

TEST_F(GatherTest, SumsInsideProductsStay) {
  const Expr sum = a * (b + c) - Quad(2) * (a * (c + b)) + d * d;
  const std::vector<ProductTerm> terms = terms_of_sum(sum);
  EXPECT_EQ(terms.size(), 2U);
  EXPECT_NEAR(value(gathered(sum)), value(sum), 1e-15);
  EXPECT_NEAR(value(gathered(a - (b - (c - d)))), value(a - b + c - d), 1e-15);
}

}  // namespace
}  // namespace alembert::internal
