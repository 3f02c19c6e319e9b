#pragma once

// Small matrices in quadruple precision: the coefficients of methods.

#include <vector>

#include "alembert/numerics.h"

namespace alembert::internal {

using QuadVector = std::vector<Quad>;
using QuadMatrix = std::vector<QuadVector>;  // rows

}  // namespace alembert::internal
