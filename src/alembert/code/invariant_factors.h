#pragma once

#include "alembert/code/program.h"

namespace alembert::internal {

/// The same program with fewer products where it is run again and again: factors that stay the same (parameters, sizes
/// of steps, numbers) are carried along through products, quotients and sums, and their products stand apart, where a
/// compiler takes them out of the loop. Results agree within rounding.
Program with_gathered_factors(const Program& program);

}  // namespace alembert::internal
