#pragma once

// Lists without infinities and what is no number.

#include <algorithm>
#include <cmath>
#include <span>

namespace alembert::internal {

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace alembert::internal
