// The convergence test by itself: sequences of corrections whose end is known.

#include "alembert/newton/convergence.h"

#include <gtest/gtest.h>

namespace alembert::internal {
namespace {

constexpr double unit = 0x1p-52;
const auto never = [] { return false; };
const auto always = [] { return true; };

/// How many corrections are made before the verdict is another than proceed.
struct End {
  Verdict verdict = Verdict::proceed;
  int corrections = 0;
};
template <class Judge>
End run(const std::vector<double>& corrections, Judge judge) {
  End end;
  for (const double c : corrections) {
    ++end.corrections;
    end.verdict = judge(c);
    if (end.verdict != Verdict::proceed) break;
  }
  return end;
}

TEST(Convergence, quadratic_convergence_saves_the_last_correction) {
  // 1e-2, 1e-4, 1e-8: the next would be 1e-16, which changes no bit.
  Convergence test(unit);
  test.begin();
  const End end = run({1e-2, 1e-4, 1e-8, 1e-16}, [&](double c) { return test.exact(c, never); });
  EXPECT_EQ(end.verdict, Verdict::converged);
  EXPECT_EQ(end.corrections, 4) << "1e-16 is predicted, and a quarter of the unit is 5.6e-17";
  test.begin();
  EXPECT_EQ(run({1e-3, 1e-6, 1e-11, 1e-22}, [&](double c) { return test.exact(c, never); }).corrections, 3);
}

TEST(Convergence, nothing_is_predicted_from_corrections_as_large_as_the_unknowns) {
  // An iterate thrown from 1e-9 to 1, then to 1e9: the corrections are 1e9 and 1 relative to where they lead.
  Convergence test(unit);
  test.begin();
  EXPECT_EQ(run({1e9, 1}, [&](double c) { return test.exact(c, never); }).verdict, Verdict::proceed);
  test.begin_simplified();
  EXPECT_EQ(run({1e9, 1}, [&](double c) { return test.simplified(c, {.here = true}, never); }).verdict,
            Verdict::proceed);
}

TEST(Convergence, where_the_equations_hold_a_large_correction_may_be_the_last) {
  // A mass of 1e-100: the guess was 1e100 times too large, and the first correction takes all of it away.
  Convergence test(unit);
  test.begin();
  EXPECT_EQ(run({1e9, 1}, [&](double c) { return test.exact(c, always); }).verdict, Verdict::converged);
}

TEST(Convergence, tells_how_far_and_how_fast_it_came) {
  Convergence test(unit);
  test.begin();
  run({1e-2, 2e-3, 1e-6, 1e-12}, [&](double c) { return test.exact(c, never); });
  EXPECT_DOUBLE_EQ(test.moved(), 1e-2 + 2e-3 + 1e-6 + 1e-12);
  EXPECT_DOUBLE_EQ(test.contraction(), 0.2);
  // A kept matrix tells about itself, one of this iteration about the equations.
  test.begin_simplified();
  run({1e-2, 5e-3, 1e-6}, [&](double c) { return test.simplified(c, {}, never); });
  EXPECT_EQ(test.contraction(), 0);
  test.begin_simplified();
  EXPECT_EQ(test.simplified(1e-2, {.here = true}, never), Verdict::proceed);
  EXPECT_EQ(test.simplified(1e-3, {}, never), Verdict::proceed);
  EXPECT_DOUBLE_EQ(test.contraction(), 0.1);
  // Rounding tells nothing.
  test.begin();
  run({1e-3, 1e-11, 1e-11}, [&](double c) { return test.exact(c, never); });
  EXPECT_EQ(test.contraction(), 0);
  test.begin();
  run({0.5, 0.4, 0.3, 0.3}, [&](double c) { return test.exact(c, always); });
  EXPECT_EQ(test.contraction(), 0) << "the equations hold as well as rounding lets them";
  EXPECT_EQ(test.moved(), 0);
}

TEST(Convergence, a_correction_below_the_unit_is_the_last) {
  Convergence test(unit);
  test.begin();
  EXPECT_EQ(test.exact(unit, never), Verdict::converged);
  test.begin_simplified();
  EXPECT_EQ(test.simplified(unit / 2, {}, never), Verdict::converged);
  test.begin();
  EXPECT_EQ(test.damped(0), Verdict::converged);
}

TEST(Convergence, a_small_first_correction_by_newtons_own_matrix_is_the_last) {
  Convergence test(unit);
  for (const bool here : {true, false}) {
    test.begin_simplified();
    EXPECT_EQ(test.simplified(1e-12, {.here = here}, never), here ? Verdict::converged : Verdict::proceed);
  }
  test.begin_simplified();
  EXPECT_EQ(test.simplified(1e-12, {.approximate = true, .here = true}, never), Verdict::proceed);
  test.begin_simplified();
  EXPECT_EQ(test.simplified(1e-11, {.here = true}, never), Verdict::proceed) << "its square may still be seen";
}

TEST(Convergence, what_is_no_number_is_said_by_all) {
  Convergence test(unit);
  const double nan = std::nan("");
  test.begin();
  EXPECT_EQ(test.exact(nan, never), Verdict::not_finite);
  EXPECT_EQ(test.simplified(nan, {}, never), Verdict::not_finite);
  EXPECT_EQ(test.damped(nan), Verdict::not_finite);
  EXPECT_EQ(test.singular(nan), Verdict::not_finite);
}

TEST(Convergence, rounding_of_ill_conditioned_equations_is_an_end) {
  // Corrections that stay at 1e-10 with the exact matrix: the condition of the equations.
  Convergence test(unit);
  test.begin();
  const End end = run({1e-3, 1e-6, 1e-9, 1.5e-10, 1.4e-10, 1.5e-10}, [&](double c) { return test.exact(c, never); });
  EXPECT_EQ(end.verdict, Verdict::converged);
  EXPECT_EQ(end.corrections, 5);
}

TEST(Convergence, large_corrections_end_only_where_the_equations_hold_to_rounding) {
  const std::vector<double> stuck{1e-3, 1e-3, 0.9e-3, 0.95e-3, 1e-3};
  Convergence test(unit);
  test.begin();
  EXPECT_EQ(run(stuck, [&](double c) { return test.exact(c, never); }).verdict, Verdict::proceed);
  test.begin();
  EXPECT_EQ(run(stuck, [&](double c) { return test.exact(c, always); }).corrections, 3);
}

TEST(Convergence, exact_newton_gives_up_what_grows) {
  Convergence test(unit);
  test.begin();
  const End end = run({1, 3, 9, 27}, [&](double c) { return test.exact(c, never); });
  EXPECT_EQ(end.verdict, Verdict::diverged);
  EXPECT_EQ(end.corrections, 4) << "the first ratios say little";
}

TEST(Convergence, a_slow_old_matrix_is_renewed_and_a_fast_one_is_not) {
  Convergence test(unit);
  test.begin_simplified();
  EXPECT_EQ(run({1e-3, 1e-5, 1e-7}, [&](double c) { return test.simplified(c, {}, never); }).verdict, Verdict::proceed);
  test.begin_simplified();
  const End slow = run({1e-3, 3e-4}, [&](double c) { return test.simplified(c, {}, never); });
  EXPECT_EQ(slow.verdict, Verdict::renew);
}

TEST(Convergence, linear_convergence_ends_where_the_rest_of_the_series_is_negligible) {
  // The ratio is 1/100: after a correction c, c/99 is left.
  Convergence test(unit);
  test.new_matrix();
  test.begin_simplified();
  int made = 0;
  double left = 1e-3;
  Verdict verdict = Verdict::proceed;
  for (double c = 0.99e-3; verdict == Verdict::proceed && made < 20; c /= 100, ++made) {
    left /= 100;
    verdict = test.simplified(c, {}, never);
  }
  EXPECT_EQ(verdict, Verdict::converged);
  EXPECT_LE(left, unit / 4);
  EXPECT_GE(left * 100, unit / 4) << "and not later";
}

TEST(Convergence, one_lucky_ratio_is_not_believed) {
  // A matrix that was seen to contract by 0.15 only: after a ratio of 1e-6 more is left than that ratio says.
  const auto ends_after_luck = [](double slowest) {
    Convergence test(unit);
    test.begin_simplified();
    test.simplified(1e-3, {}, never);
    test.simplified(1e-3 * slowest, {}, never);
    test.begin_simplified();
    test.simplified(1e-9, {}, never);
    return test.simplified(1e-15, {}, never) == Verdict::converged;
  };
  EXPECT_TRUE(ends_after_luck(0.01));
  EXPECT_FALSE(ends_after_luck(0.15));
}

TEST(Convergence, an_old_matrix_that_stalls_is_renewed_once_to_see_whether_it_is_rounding) {
  const double small = 20 * unit;
  Convergence test(unit);
  test.begin_simplified();
  test.simplified(1e-9, {}, never);
  test.simplified(small, {}, never);
  EXPECT_EQ(test.simplified(0.8 * small, {}, never), Verdict::renew);
  EXPECT_EQ(test.simplified(0.7 * small, {.here = true}, never), Verdict::converged) << "with a fresh matrix: rounding";
  // What was rounding then is known to be rounding now, without a new matrix.
  test.begin_simplified();
  test.simplified(1e-9, {}, never);
  test.simplified(0.8 * small, {}, never);
  EXPECT_EQ(test.simplified(0.5 * small, {}, never), Verdict::converged);
}

TEST(Convergence, an_approximate_matrix_may_be_slow_but_must_not_grow) {
  Convergence test(unit);
  const Convergence::Matrix fresh{.approximate = true, .here = true}, kept{.approximate = true};
  test.begin_simplified();
  test.simplified(1e-1, fresh, never);
  EXPECT_EQ(test.simplified(5e-2, kept, never), Verdict::proceed) << "no other matrix would do better";
  EXPECT_EQ(test.simplified(3e-2, kept, never), Verdict::proceed);
  EXPECT_EQ(test.simplified(4e-2, kept, never), Verdict::diverged);
  test.begin_simplified();
  test.simplified(1e-1, kept, never);
  EXPECT_EQ(test.simplified(5e-2, kept, never), Verdict::renew) << "one of this step would";
}

TEST(Convergence, at_a_singular_position_half_the_digits_are_enough) {
  Convergence test(unit);
  test.begin();
  std::vector<double> halves;
  for (double c = 1; c > 1e-9; c /= 2) halves.push_back(c);
  EXPECT_EQ(run(halves, [&](double c) { return test.singular(c); }).verdict, Verdict::proceed)
      << "a double root halves the error, exactly";
  EXPECT_TRUE(test.settled());
  EXPECT_EQ(test.singular(1.5e-9), Verdict::converged);
  test.begin();
  test.singular(1e-3);
  EXPECT_EQ(test.singular(0.9e-3), Verdict::proceed);
  EXPECT_FALSE(test.settled());
  test.begin();
  EXPECT_EQ(test.singular(10 * unit), Verdict::converged) << "rounding, seen at once";
}

TEST(Convergence, remembers_when_saved) {
  // Contraction: see one_lucky_ratio_is_not_believed.
  Convergence test(unit);
  test.begin_simplified();
  test.simplified(1e-3, {}, never);
  test.simplified(1.5e-4, {}, never);
  ByteWriter out;
  test.save(out);
  Convergence loaded(unit);
  ByteReader in(out.bytes());
  loaded.load(in);
  in.finish();
  for (Convergence* one : {&test, &loaded}) {
    one->begin_simplified();
    one->simplified(1e-9, {}, never);
    EXPECT_EQ(one->simplified(1e-15, {}, never), Verdict::proceed);
  }
}

TEST(Convergence, is_relative_to_the_unit_of_the_numbers) {
  Convergence test(0x1p-112);
  test.begin();
  EXPECT_EQ(run({1e-4, 1e-8, 1e-16, 1e-32}, [&](double c) { return test.exact(c, never); }).corrections, 4);
}

}  // namespace
}  // namespace alembert::internal
