#pragma once

#include "alembert/code/kernel.h"

namespace alembert::internal {

/// The same tape with fewer products: factors that are powers of two, and signs, are carried along through products,
/// sums and comparisons, and multiplied where they have to be. All results have the same bits, but for numbers so small
/// or so large that doubles lose digits or overflow on the way (below 1e-280, above 1e280).
Tape without_scalings(const Tape& tape);

}  // namespace alembert::internal
