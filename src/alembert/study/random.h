#pragma once

// Random and quasi-random numbers that are functions of their place: no state, so that every member of a study has the
// same values in any order, thread and process. Made of integers and of + - * / sqrt alone, which all machines round
// the same way; no function of the C library is asked.

#include <array>
#include <cstdint>
#include <string_view>

namespace alembert::internal {

/// Philox4x32-10 of Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), section 3.3:
/// 128 random bits for each counter and key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A number strictly between 0 and 1: the middle of one of 2^52 equal parts.
double unit_interval(std::uint64_t bits);

/// 64 random bits for a place in the stream of a name.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t place);
/// The stream that belongs to a name (FNV-1a of its bytes).
std::uint64_t stream_of(std::string_view name);

/// Where a permutation of 0 ... count - 1, chosen by seed and stream, takes `place`. Nothing is stored: four rounds of
/// Feistel on the next even number of bits, repeated until the result is inside.
std::uint64_t permuted(std::uint64_t place, std::uint64_t count, std::uint64_t seed, std::uint64_t stream);

/// Dimensions of Sobol's sequence that there are direction numbers for.
inline constexpr int sobol_dimensions = 40;
/// The point of this number (from 0) of Sobol's sequence with the direction numbers of Joe and Kuo (SIAM J. Sci.
/// Comput. 30, 2008): its coordinate in `dimension` (from 0) as the upper bits of a fraction of 2^64.
std::uint64_t sobol(std::uint64_t number, int dimension);

/// The quantile of the normal distribution with mean 0 and deviation 1, for 0 < p < 1; relative error about 1e-16
/// (Wichura, algorithm AS 241, Applied Statistics 37, 1988).
double normal_quantile(double p);

}  // namespace alembert::internal
