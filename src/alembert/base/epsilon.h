#pragma once

// The unit of rounding of doubles.

#include <limits>

namespace alembert::internal {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace alembert::internal
