#pragma once

// Series of Chebyshev polynomials over a step, whose places are shares 0 .. 1 of it.

#include <cstddef>
#include <vector>

namespace alembert::internal {

/// Chebyshev's points on 0 .. 1, in this order: the cosine of an angle that runs from 0, so x = 1 - 2 share.
double chebyshev_place(std::size_t j, std::size_t n);
/// The coefficients of the polynomial through values at the places 0 .. n.
void chebyshev_series(const std::vector<double>& values, std::vector<double>& series);
double chebyshev_sum(const std::vector<double>& series, double share);
/// What the last three terms are at most.
double chebyshev_tail(const std::vector<double>& series);
/// The largest coefficient but for the constant.
double chebyshev_variation(const std::vector<double>& series);

}  // namespace alembert::internal
