// Series against the polynomials that they are of: x = 1 - 2 share, x^3 = (3 T1 + T3)/4, x^4 = (3 + 4 T2 + T4)/8.

#include "alembert/run/chebyshev.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alembert::internal {
namespace {

TEST(Chebyshev, SeriesOfPowersAreKnown) {
  std::vector<double> cubes, fourth, series;
  for (std::size_t j = 0; j <= 6; ++j) {
    const double x = 1 - 2 * chebyshev_place(j, 6);
    cubes.push_back(x * x * x);
    fourth.push_back(x * x * x * x);
  }
  const double of_cube[] = {0, 0.75, 0, 0.25, 0, 0, 0}, of_fourth[] = {0.375, 0, 0.5, 0, 0.125, 0, 0};
  chebyshev_series(cubes, series);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(series[k], of_cube[k], 1e-15) << k;
  EXPECT_NEAR(chebyshev_tail(series), 0, 1e-15);
  EXPECT_NEAR(chebyshev_variation(series), 0.75, 1e-15);
  chebyshev_series(fourth, series);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(series[k], of_fourth[k], 1e-15) << k;
  EXPECT_NEAR(chebyshev_tail(series), 0.125, 1e-15);
}

TEST(Chebyshev, PlacesRunFromOneEndToTheOtherAndSumsAreTheFunction) {
  EXPECT_EQ(chebyshev_place(0, 16), 0);
  EXPECT_EQ(chebyshev_place(16, 16), 1);
  EXPECT_NEAR(chebyshev_place(4, 16), (1 - std::sqrt(0.5)) / 2, 1e-16);
  std::vector<double> values, series;
  for (std::size_t j = 0; j <= 24; ++j) values.push_back(std::exp(-3 * chebyshev_place(j, 24)));
  chebyshev_series(values, series);
  for (const double share : {0.0, 0.013, 0.4, 0.77, 1.0})
    EXPECT_NEAR(chebyshev_sum(series, share), std::exp(-3 * share), 1e-14) << share;
}

}  // namespace
}  // namespace alembert::internal
