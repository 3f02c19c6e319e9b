// The rank-revealing factorisation against what the matrices were made from.

#include "alembert/linear/minimum_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "alembert/numerics.h"

namespace alembert::internal {
namespace {

template <class T>
void check_random_rank(int n, int rank) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> left(n * rank), right(rank * n), a(n * n, T(0)), x(n), b(n, T(0)), zero(n, T(0));
  for (T& v : left) v = uniform(random);
  for (T& v : right) v = uniform(random);
  for (T& v : x) v = uniform(random);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < rank; ++k) a[i * n + j] += left[i * rank + k] * right[k * n + j];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[i] += a[i * n + j] * x[j];
  MinimumNorm<T> factors(std::vector<bool>(n, true));
  ASSERT_TRUE(factors.factor(a.data(), MinimumNorm<T>::Cut::rounding));
  EXPECT_EQ(factors.rank(), rank);
  // The correction at 0 is minus the solution: d with A d = b, and 0 - d the shortest.
  factors.solve(b.data(), zero.data());
  for (int i = 0; i < n; ++i) {
    T sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i * n + j] * (b[j] - x[j]);
    EXPECT_LT(std::abs(static_cast<double>(sum)), 1e-12);
  }
  // Shortest: it lies in the span of the rows, so it is orthogonal to x - d, which is in the null space.
  T dot = 0;
  for (int j = 0; j < n; ++j) dot += b[j] * (x[j] - b[j]);
  EXPECT_LT(std::abs(static_cast<double>(dot)), 1e-12);
}

TEST(MinimumNorm, SolvesWithTheShortestVector) {
  for (const int n : {1, 2, 5, 20, 60})
    for (const int rank : {1, n / 2, n - 1, n})
      if (rank > 0) {
        SCOPED_TRACE(std::to_string(n) + " " + std::to_string(rank));
        check_random_rank<double>(n, rank);
        check_random_rank<Quad>(n, rank);
      }
}

TEST(MinimumNorm, OnlyMultipliersAreMadeSmallOthersMoveLeast) {
  // x0 + x1 = 1 twice: x0 is a state, x1 a multiplier, at x = (5, 7): d0 + d1 = 11 with (7 - d1)^2 + d0^2 smallest.
  const std::vector<double> a{1, 1, 1, 1}, x{5, 7};
  std::vector<double> b{11, 11};
  MinimumNorm<double> factors({false, true});
  ASSERT_TRUE(factors.factor(a.data(), MinimumNorm<double>::Cut::rounding));
  EXPECT_EQ(factors.rank(), 1);
  factors.solve(b.data(), x.data());
  EXPECT_NEAR(b[0], 2, 1e-14);
  EXPECT_NEAR(b[1], 9, 1e-14);
}

TEST(MinimumNorm, CutsWhatFallsFarBehindOnlyWhenAsked) {
  MinimumNorm<double> factors({false, false, false});
  std::vector<double> near = {1, 1, 1, 1, 1, 1 + 3e-10, 1, 2, 3};
  ASSERT_TRUE(factors.factor(near.data(), MinimumNorm<double>::Cut::rounding));
  EXPECT_EQ(factors.rank(), 3);
  ASSERT_TRUE(factors.factor(near.data(), MinimumNorm<double>::Cut::gap));
  EXPECT_EQ(factors.rank(), 2);
  near[0] = std::nan("");
  EXPECT_FALSE(factors.factor(near.data(), MinimumNorm<double>::Cut::gap));
}

}  // namespace
}  // namespace alembert::internal
