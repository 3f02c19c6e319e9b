#pragma once

// Places and directions as numbers.

#include <array>

namespace alembert::internal {

using Spot = std::array<double, 3>;  // in the plane the third is 0

Spot operator+(const Spot& a, const Spot& b);
Spot operator-(const Spot& a, const Spot& b);
Spot operator*(double s, const Spot& a);
double dot(const Spot& a, const Spot& b);
Spot cross(const Spot& a, const Spot& b);
double length(const Spot& a);

}  // namespace alembert::internal
