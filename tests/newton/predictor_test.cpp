// Predictions from solutions whose continuation is known.

#include "alembert/newton/predictor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/base/bytes.h"
#include "newton/allocations.h"

namespace alembert::internal {
namespace {

template <class T>
std::vector<T> polynomial(int degree, int step) {
  // Small whole numbers: differences are exact.
  T value = 0, power = 1;
  for (int k = 0; k <= degree; ++k) {
    value += T(k % 3 + 1) * power;
    power *= T(step);
  }
  return {value, -value, T(7)};
}

TEST(Predictor, continues_polynomials_exactly) {
  for (int degree = 0; degree <= 5; ++degree) {
    Predictor<double> predictor(3);
    Predictor<Quad> extended(3);
    EXPECT_TRUE(predictor.empty());
    for (int step = 0; step < 20; ++step) {
      std::vector<double> guess(3);
      std::vector<Quad> extended_guess(3);
      // One solution more than the degree has coefficients shows which degree serves.
      if (step >= degree + 2) {
        predictor.predict(guess.data());
        extended.predict(extended_guess.data());
        EXPECT_EQ(guess, polynomial<double>(degree, step)) << degree << " " << step;
        EXPECT_TRUE(extended_guess == polynomial<Quad>(degree, step));
        EXPECT_LE(predictor.degree(), degree);
      }
      predictor.learn(polynomial<double>(degree, step).data());
      extended.learn(polynomial<Quad>(degree, step).data());
    }
  }
}

TEST(Predictor, errors_of_smooth_motions_have_the_order_of_the_degree) {
  // Degree 5 leaves h^6 u^(6), relative to u: 64 times less with half the step.
  const auto error = [](double h) {
    Predictor<Quad> predictor(1);
    Quad u = 0;
    for (int step = 0; step < 12; ++step) {
      if (step > 0) predictor.predict(&u);
      u = step < 11 ? Quad(std::exp(h * step)) : u;
      if (step < 11) predictor.learn(&u);
    }
    return std::abs(static_cast<double>(u) / std::exp(11 * h) - 1);
  };
  EXPECT_NEAR(std::log2(error(0.2) / error(0.1)), 6, 1);
}

TEST(Predictor, takes_noise_for_what_it_is) {
  // Alternating values: every difference is larger than the last, so the last value itself is predicted.
  Predictor<double> predictor(1);
  for (int step = 0; step < 12; ++step) {
    const double u = step % 2 == 0 ? 1 : -1;
    predictor.learn(&u);
  }
  EXPECT_EQ(predictor.degree(), 0);
  double guess = 0;
  predictor.predict(&guess);
  EXPECT_EQ(guess, -1);
  predictor.last(&guess);
  EXPECT_EQ(guess, -1);
}

TEST(Predictor, unlearns_the_last_solution) {
  Predictor<double> once(3), again(3);
  for (int step = 0; step < 9; ++step) {
    once.learn(polynomial<double>(3, step).data());
    again.learn(polynomial<double>(3, step).data());
    const std::vector<double> wrong{1e3, 2e3, -1e3};
    again.learn(wrong.data());
    again.unlearn();
    std::vector<double> expected(3), found(3);
    once.last(expected.data());
    again.last(found.data());
    EXPECT_EQ(found, expected) << step;
  }
  // The degree is found again with the next solution.
  again.learn(polynomial<double>(3, 9).data());
  std::vector<double> found(3);
  again.predict(found.data());
  EXPECT_EQ(found, polynomial<double>(3, 10));
}

TEST(Predictor, begins_anew_when_cleared) {
  Predictor<double> predictor(3);
  for (int step = 0; step < 9; ++step) predictor.learn(polynomial<double>(3, step).data());
  predictor.clear();
  EXPECT_TRUE(predictor.empty());
  const std::vector<double> u{1, 2, 3};
  predictor.learn(u.data());
  std::vector<double> guess(3);
  predictor.predict(guess.data());
  EXPECT_EQ(guess, u);
}

TEST(Predictor, large_systems_are_predicted_by_lower_degrees_in_blocks) {
  const int n = 2500;
  Predictor<double> predictor(n);
  std::vector<double> u(n), guess(n);
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < n; ++i) u[i] = i + step * step * (i % 7);
    if (step >= 4) {
      predictor.predict(guess.data());
      EXPECT_EQ(guess, u) << step;
    }
    predictor.learn(u.data());
  }
  EXPECT_EQ(predictor.degree(), 2);
}

TEST(Predictor, goes_on_with_the_same_bits_after_it_was_saved) {
  const auto u = [](int step) { return std::vector<double>{std::sin(0.1 * step), std::cos(0.3 * step)}; };
  Predictor<double> one(2), other(2);
  for (int step = 0; step < 20; ++step) one.learn(u(step).data());
  ByteWriter out;
  one.save(out);
  ByteReader in(out.bytes());
  other.load(in);
  in.finish();
  for (int step = 20; step < 50; ++step) {
    std::vector<double> expected(2), found(2);
    one.predict(expected.data());
    other.predict(found.data());
    EXPECT_EQ(found, expected);
    one.learn(u(step).data());
    other.learn(u(step).data());
  }
  Predictor<double> smaller(1);
  ByteReader again(out.bytes());
  EXPECT_THROW(smaller.load(again), InputError);
}

TEST(Predictor, does_not_allocate) {
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "allocations cannot be counted in this build";
  Predictor<double> predictor(3);
  std::vector<double> u(3, 1.0);
  const long before = tests::allocations();
  for (int step = 0; step < 40; ++step) {
    if (!predictor.empty()) predictor.predict(u.data());
    predictor.learn(u.data());
    if (step % 5 == 4) predictor.unlearn();
  }
  EXPECT_EQ(tests::allocations(), before);
}

}  // namespace
}  // namespace alembert::internal
