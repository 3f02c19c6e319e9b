#include "alembert/run/newton_economy.h"

#include <gtest/gtest.h>

namespace alembert::internal::test {
namespace {

// Two steps with a matrix at every iterate, of so many iterations each.
NewtonLabour exact(long each) { return {.iterations = 2 * each, .factorizations = 2 * each, .compared = each}; }

TEST(NewtonEconomy, StepsGrowWhileNewtonIsQuick) {
  NewtonEconomy economy;
  EXPECT_EQ(economy.next(0.1, 0.2, 2, exact(3), true), 0.2);
  EXPECT_EQ(economy.next(0.1, 0.2, 2, exact(5), true), 0.1) << "no longer ones";
  EXPECT_EQ(economy.next(-0.1, -0.05, 2, exact(5), true), -0.05) << "but shorter ones";
  // With a matrix that is kept more iterations are as cheap.
  EXPECT_EQ(economy.next(0.1, 0.2, 2, {.iterations = 20, .factorizations = 1, .compared = 0}, true), 0.2);
}

TEST(NewtonEconomy, StepsThatLabourBecomeShorterAndGrowAgain) {
  NewtonEconomy economy;
  EXPECT_EQ(economy.next(0.1, 0.2, 2, exact(9), true), 0.1) << "without a guess nothing is learnt";
  EXPECT_DOUBLE_EQ(economy.next(0.1, 0.2, 2, exact(9), true), 0.08);
  double h = 0.08;
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(economy.next(h, 0.2, 2, exact(3), true), 0.08) << i;
  EXPECT_DOUBLE_EQ(economy.next(h, 0.2, 2, exact(3), true), 0.088) << "behind four stretches";
  for (int i = 0; i < 20; ++i) h = economy.next(h, 0.2, 2, exact(3), true);
  EXPECT_DOUBLE_EQ(h, 0.2);
}

TEST(NewtonEconomy, WhatHadNoSolutionIsALimit) {
  NewtonEconomy economy;
  economy.next(0.1, 0.1, 2, exact(3), true);
  EXPECT_DOUBLE_EQ(
      economy.next(0.05, 0.3, 2, {.iterations = 6, .factorizations = 6, .unsolved = true, .too_long = 0.1}, true),
      0.08);
  EXPECT_FALSE(economy.too_wide(1));
  economy.lost(0.1);
  EXPECT_TRUE(economy.too_wide(0.1));
  EXPECT_FALSE(economy.too_wide(0.089));
}

}  // namespace
}  // namespace alembert::internal::test
