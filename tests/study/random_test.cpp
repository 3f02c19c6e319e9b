// Random numbers against their published vectors, and draws against the closed forms of their distributions.

#include "alembert/study/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "alembert/study/design.h"

namespace alembert::internal::testing {
namespace {

TEST(RandomNumbers, PhiloxGivesThePublishedVectors) {
  // kat_vectors of Random123, philox4x32 with 10 rounds: zeros, ones, digits of pi.
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t all = 0xffffffff;
  EXPECT_EQ(philox({all, all, all, all}, {all, all}), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomNumbers, SobolGivesKnownPoints) {
  // Points 1 to 7 of Joe and Kuo's program sobol, dimensions 1, 2, 3 and 21.
  const double known[][4] = {{0.5, 0.5, 0.5, 0.5},         {0.75, 0.25, 0.25, 0.25},     {0.25, 0.75, 0.75, 0.75},
                             {0.375, 0.375, 0.625, 0.125}, {0.875, 0.875, 0.125, 0.625}, {0.625, 0.125, 0.875, 0.375},
                             {0.125, 0.625, 0.375, 0.875}};
  const int dimensions[] = {0, 1, 2, 20};
  for (std::size_t n = 0; n < std::size(known); ++n)
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_EQ(static_cast<double>(sobol(n + 1, dimensions[k])) * 0x1p-64, known[n][k]) << n + 1 << " " << k;
  // The first 2^k points have one in each of 2^k equal parts, in every dimension.
  for (int dimension = 0; dimension < sobol_dimensions; ++dimension) {
    std::set<std::uint64_t> parts;
    for (std::uint64_t n = 0; n < 256; ++n) parts.insert(sobol(n, dimension) >> 56);
    EXPECT_EQ(parts.size(), 256U) << dimension;
  }
}

TEST(RandomNumbers, APermutationTakesEveryPlaceOnce) {
  for (const std::uint64_t count : {1U, 2U, 3U, 7U, 64U, 1000U}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) seen.insert(permuted(i, count, 3, 17));
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
  std::uint64_t moved = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) moved += permuted(i, 1000, 3, 17) != i ? 1 : 0;
  EXPECT_GT(moved, 900U);
}

TEST(RandomNumbers, TheNormalQuantileInvertsTheErrorFunction) {
  for (double p = 1e-12; p < 1; p = p < 0.01 ? p * 1.7 : p + 0.003) {
    const double x = normal_quantile(p);
    // What a rounding of x changes: the density times x.
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    EXPECT_NEAR(std::erfc(-x / std::sqrt(2)) / 2, p, 4e-16 * (p + std::abs(x) * density * 4)) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

TEST(RandomNumbers, AreTheSameOnEveryMachine) {
  // Bits, not digits: made of integers and of operations that all machines round alike.
  const Draw x{"x'", Distribution::normal, 0, 0.1};
  const Design design({}, {x}, 1000, 1, Sampling::random);
  EXPECT_EQ(random_bits(1, stream_of("x'"), 0), random_bits(1, stream_of("x'"), 0));
  EXPECT_EQ(stream_of(""), 0xcbf29ce484222325U);
  EXPECT_EQ(stream_of("a"), 0xaf63dc4c8601ec8cU);  // the published value of FNV-1a
  // With another draw beside it, and any number of members.
  const Design more({}, {{"y", Distribution::uniform, 0, 1}, x}, 5000, 1, Sampling::random);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(design.drawn(i, 0), more.drawn(i, 1));
  const Design other({}, {x}, 1000, 2, Sampling::random);
  EXPECT_NE(design.drawn(0, 0), other.drawn(0, 0));
}

struct Moments {
  double mean = 0, square = 0, fourth = 0;
};

Moments moments(const Design& design, std::size_t draw) {
  Moments m;
  const auto n = static_cast<double>(design.size());
  for (std::uint64_t i = 0; i < design.size(); ++i) m.mean += design.drawn(i, draw) / n;
  for (std::uint64_t i = 0; i < design.size(); ++i) {
    const double d = design.drawn(i, draw) - m.mean;
    m.square += d * d / n;
    m.fourth += d * d * d * d / n;
  }
  return m;
}

TEST(Draws, HaveTheMomentsOfTheirDistributions) {
  const std::vector<Draw> draws{{"a", Distribution::normal, 2, 0.5}, {"b", Distribution::uniform, -1, 3}};
  constexpr std::uint64_t n = 1 << 16;
  for (const Sampling sampling : {Sampling::random, Sampling::latin, Sampling::sobol}) {
    const Design design({}, draws, n, 7, sampling);
    // Five standard errors of a random sample; the even ones are far better in the mean.
    const double error = sampling == Sampling::random ? 5 / std::sqrt(static_cast<double>(n)) : 2e-4;
    const Moments a = moments(design, 0), b = moments(design, 1);
    EXPECT_NEAR(a.mean, 2, 0.5 * error);
    EXPECT_NEAR(a.square, 0.25, 0.25 * std::sqrt(2) * 2 * error + 1e-4);
    EXPECT_NEAR(a.fourth / (a.square * a.square), 3, 0.1);  // no other distribution with these two
    EXPECT_NEAR(b.mean, 1, 4 * std::sqrt(1.0 / 12) * error);
    EXPECT_NEAR(b.square, 16.0 / 12, 16.0 / 12 * 2 * error);
    EXPECT_NEAR(b.fourth / (b.square * b.square), 1.8, 0.02);
    double together = 0;
    for (std::uint64_t i = 0; i < n; ++i)
      together += (design.drawn(i, 0) - a.mean) * (design.drawn(i, 1) - b.mean) / static_cast<double>(n);
    EXPECT_NEAR(together / std::sqrt(a.square * b.square), 0, 5 / std::sqrt(static_cast<double>(n))) << "independent";
  }
}

TEST(Draws, OfALatinHypercubeAreOneInEachPart) {
  const Design design({}, {{"a", Distribution::uniform, 0, 1}, {"b", Distribution::uniform, 0, 1}}, 101, 3,
                      Sampling::latin);
  for (const std::size_t draw : {0U, 1U}) {
    std::set<int> parts;
    for (std::uint64_t i = 0; i < 101; ++i) parts.insert(static_cast<int>(std::floor(design.drawn(i, draw) * 101)));
    EXPECT_EQ(parts.size(), 101U);
  }
}

}  // namespace
}  // namespace alembert::internal::testing
