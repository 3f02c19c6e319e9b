#include "alembert/study/random.h"

#include <bit>
#include <cmath>

namespace alembert::internal {

namespace {

/// Primitive polynomial (its coefficients as bits) and first direction numbers of a dimension.
struct SobolRow {
  unsigned polynomial;
  std::array<unsigned, 8> m;
};

// Joe and Kuo, new-joe-kuo-6; the first dimension is van der Corput's sequence.
constexpr std::array<SobolRow, sobol_dimensions> sobol_rows{{{1, {1}},
                                                             {3, {1}},
                                                             {7, {1, 3}},
                                                             {11, {1, 3, 1}},
                                                             {13, {1, 1, 1}},
                                                             {19, {1, 1, 3, 3}},
                                                             {25, {1, 3, 5, 13}},
                                                             {37, {1, 1, 5, 5, 17}},
                                                             {41, {1, 1, 5, 5, 5}},
                                                             {47, {1, 1, 7, 11, 19}},
                                                             {55, {1, 1, 5, 1, 1}},
                                                             {59, {1, 1, 1, 3, 11}},
                                                             {61, {1, 3, 5, 5, 31}},
                                                             {67, {1, 3, 3, 9, 7, 49}},
                                                             {91, {1, 1, 1, 15, 21, 21}},
                                                             {97, {1, 3, 1, 13, 27, 49}},
                                                             {103, {1, 1, 1, 15, 7, 5}},
                                                             {109, {1, 3, 1, 15, 13, 25}},
                                                             {115, {1, 1, 5, 5, 19, 61}},
                                                             {131, {1, 3, 7, 11, 23, 15, 103}},
                                                             {137, {1, 3, 7, 13, 13, 15, 69}},
                                                             {143, {1, 1, 3, 13, 7, 35, 63}},
                                                             {145, {1, 3, 5, 9, 1, 25, 53}},
                                                             {157, {1, 3, 1, 13, 9, 35, 107}},
                                                             {167, {1, 3, 1, 5, 27, 61, 31}},
                                                             {171, {1, 1, 5, 11, 19, 41, 61}},
                                                             {185, {1, 3, 5, 3, 3, 13, 69}},
                                                             {191, {1, 1, 7, 13, 1, 19, 1}},
                                                             {193, {1, 3, 7, 5, 13, 19, 59}},
                                                             {203, {1, 1, 3, 9, 25, 29, 41}},
                                                             {211, {1, 3, 5, 13, 23, 1, 55}},
                                                             {213, {1, 3, 7, 3, 13, 59, 17}},
                                                             {229, {1, 3, 1, 3, 5, 53, 69}},
                                                             {239, {1, 1, 5, 5, 23, 33, 13}},
                                                             {241, {1, 1, 7, 7, 1, 61, 123}},
                                                             {247, {1, 1, 7, 9, 13, 61, 49}},
                                                             {253, {1, 3, 3, 5, 3, 55, 33}},
                                                             {285, {1, 3, 1, 15, 31, 13, 49, 245}},
                                                             {299, {1, 3, 5, 15, 31, 59, 63, 97}},
                                                             {301, {1, 3, 1, 11, 11, 11, 77, 249}}}};

/// The direction numbers of a dimension, as fractions of 2^64: v_k = m_k/2^k, with the recurrence of its polynomial.
std::array<std::uint64_t, 64> directions(const SobolRow& row) {
  std::array<std::uint64_t, 64> v{};
  const int degree = std::bit_width(row.polynomial) - 1;
  for (int k = 0; k < 64; ++k) {
    if (degree == 0) v[k] = std::uint64_t{1} << (63 - k);
    else if (k < degree) v[k] = std::uint64_t{row.m[k]} << (63 - k);
    else {
      v[k] = v[k - degree] ^ (v[k - degree] >> degree);
      for (int j = 1; j < degree; ++j)
        if ((row.polynomial >> (degree - j)) & 1) v[k] ^= v[k - j];
    }
  }
  return v;
}

/// The natural logarithm for 0 < x < 1 by arithmetic alone: x = m 2^e with m near 1, log m = 2 atanh((m-1)/(m+1)).
double arithmetic_log(double x) {
  int e = 0;
  double m = std::frexp(x, &e);                      // exact
  constexpr double root_half = 0.70710678118654752;  // so that m lies about 1
  if (m < root_half) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  // s is at most 0.1716, so that the term with s^25 is below the rounding of the first.
  for (int k = 25; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  constexpr double log2_high = 0.69314718036912382, log2_low = 1.9082149292705877e-10;  // their sum is log 2
  return e * log2_high + (2 * s * sum + e * log2_low);
}

template <std::size_t n>
double horner(const std::array<double, n>& coefficients, double x) {
  double value = coefficients[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  constexpr int rounds = 10;                                 // of Philox4x32-10
  constexpr std::uint64_t m0 = 0xD2511F53, m1 = 0xCD9E8D57;  // multipliers, and below what is added to the key:
  constexpr std::uint32_t w0 = 0x9E3779B9, w1 = 0xBB67AE85;  // the golden ratio and sqrt(3) - 1
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = m0 * counter[0], b = m1 * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += w0;
    key[1] += w1;
  }
  return counter;
}

double unit_interval(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t place) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto out = philox({low(place), high(place), low(stream), high(stream)}, {low(seed), high(seed)});
  return std::uint64_t{out[1]} << 32 | out[0];
}

std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::uint64_t permuted(std::uint64_t place, std::uint64_t count, std::uint64_t seed, std::uint64_t stream) {
  if (count <= 1) return 0;
  const int half = (std::bit_width(count - 1) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  // Rounds take other places than the numbers of the stream themselves, whose places stay below 2^60.
  constexpr std::uint64_t rounds = 4, elsewhere = std::uint64_t{1} << 60;
  do {
    std::uint64_t left = place >> half, right = place & mask;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const std::uint64_t mixed = left ^ (random_bits(seed, stream, round * elsewhere + right) & mask);
      left = right;
      right = mixed;
    }
    place = left << half | right;
  } while (place >= count);
  return place;
}

std::uint64_t sobol(std::uint64_t number, int dimension) {
  static const auto table = [] {
    std::array<std::array<std::uint64_t, 64>, sobol_dimensions> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = directions(sobol_rows[i]);
    return all;
  }();
  // In the order of Gray's code, as Antonov and Saleev have it, each point of which can be made by itself.
  std::uint64_t gray = number ^ (number >> 1), point = 0;
  for (int k = 0; gray != 0; ++k, gray >>= 1)
    if (gray & 1) point ^= table[static_cast<std::size_t>(dimension)][static_cast<std::size_t>(k)];
  return point;
}

double normal_quantile(double p) {
  constexpr std::array a{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                         1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                         3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr std::array b{1.0,
                         4.2313330701600911252e+1,
                         6.8718700749205790830e+2,
                         5.3941960214247511077e+3,
                         2.1213794301586595867e+4,
                         3.9307895800092710610e+4,
                         2.8729085735721942674e+4,
                         5.2264952788528545610e+3};
  constexpr std::array c{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                         3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array d{1.0,
                         2.05319162663775882187e0,
                         1.67638483018380384940e0,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
  constexpr std::array e{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                         2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array f{1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};
  const double q = p - 0.5;
  constexpr double centre = 0.425, split = 5;  // where the three approximations of the algorithm meet
  if (std::abs(q) <= centre) {
    const double r = centre * centre - q * q;
    return q * horner(a, r) / horner(b, r);
  }
  const double r = std::sqrt(-arithmetic_log(q < 0 ? p : 1 - p));
  const double x = r <= split ? horner(c, r - 1.6) / horner(d, r - 1.6) : horner(e, r - split) / horner(f, r - split);
  return q < 0 ? -x : x;
}

}  // namespace alembert::internal
