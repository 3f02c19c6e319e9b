#include "alembert/run/step_errors.h"

#include <gtest/gtest.h>

#include "alembert/run/comparison_plan.h"

namespace alembert::internal::test {
namespace {

// Errors that grow evenly from 0 at step 0: the trapezoidal rule adds up all of them exactly, also those in between.
TEST(StepErrors, AddUpStepsInBetween) {
  StepErrors errors(2);
  for (const long n : {1L, 10L, 15L}) {
    std::vector<double>& now = errors.begin();
    EXPECT_EQ(now, (std::vector<double>{0, 0}));
    now = {2.0 * static_cast<double>(n), n == 10 ? 7.0 : 0.0};
    errors.take(n, 0.1 * static_cast<double>(n), now[0] - (n == 15 ? 20 : 0), n < 15);
  }
  EXPECT_DOUBLE_EQ(errors.sum()[0], 15.0 * 15.0);  // the integral of 2n
  EXPECT_DOUBLE_EQ(errors.sum()[1], 7.0 / 2 * (9 + 5));
  EXPECT_DOUBLE_EQ(errors.sum_since({25, 0}, 17)[0], 225 + 2 * 30 - 25) << "the last one goes on";
  EXPECT_EQ(errors.largest(), (std::vector<double>{30, 7}));
  EXPECT_EQ(errors.accompanied(), (std::vector<double>{20, 7}));
  EXPECT_DOUBLE_EQ(errors.worst_t(), 1.0) << "by the size that was given";
  EXPECT_EQ(errors.compared(), 3);
  EXPECT_FALSE(errors.has_unsolved());
  errors.unsolved();
  EXPECT_TRUE(errors.has_unsolved());
}

TEST(CutSteps, AddUpAndGoOn) {
  CutSteps cut;
  EXPECT_EQ(cut.error(), 0);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(cut.due());
  cut.add(1e-3);
  cut.add(3e-3);
  EXPECT_DOUBLE_EQ(cut.error(), 2e-3 * 8 * 2) << "the mean of two for eight, each of which goes on for two more";
  int made_again = 8;
  while (made_again < 1000 && cut.due()) ++made_again;
  EXPECT_EQ(made_again, 100);
  cut.kink(1);
  EXPECT_EQ(cut.shortest_contact(), INFINITY);
  cut.kink(1.5);
  cut.kink(3);
  EXPECT_EQ(cut.shortest_contact(), 0.5);
}

TEST(ComparisonPlan, ComparesByNumberAndWhatSurprises) {
  ComparisonPlan plan(false);
  std::vector<long> compared;
  for (long n = 1; n <= 1100; ++n) {
    const double error = n == 700 ? 1e-6 : 1e-9;
    if (!plan.due(n, error)) continue;
    plan.compared(n, error);
    compared.push_back(n);
  }
  // The first four; the eighth, the first whose prediction is known, and what is near behind it; by number; a surprise.
  EXPECT_EQ(compared,
            (std::vector<long>{1, 2, 3, 4, 8, 12, 20, 36, 68, 132, 260, 499, 700, 704, 712, 728, 760, 824, 952, 998}));
  EXPECT_DOUBLE_EQ(plan.surprising(), 4e-6);
  EXPECT_TRUE(plan.each(7));
  EXPECT_FALSE(plan.each(8));
  plan.nearer(1100);
  EXPECT_EQ(plan.until(1100), 1);
  EXPECT_TRUE(plan.due(1101, 0));
}

TEST(ComparisonPlan, OrAll) {
  ComparisonPlan plan(true);
  for (long n = 1; n < 20; ++n) EXPECT_TRUE(plan.due(n, 0));
  EXPECT_EQ(plan.until(15), 1);
}

}  // namespace
}  // namespace alembert::internal::test
