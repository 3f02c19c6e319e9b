#pragma once

// Which rows of a sparse matrix follow from others, for any size.

#include "alembert/solve/differentiable.h"
#include "alembert/solve/linear.h"

namespace alembert {

/// analyse_rows of linear.h; for thousands of rows by a sparse QR, with memory for what is not zero only (which rows
/// are called dependent may then differ, their number does not). A matrix that is not finite is said to have full rank.
RankReport analyse_rows(const SparseRows& rows, double tolerance);

}  // namespace alembert
