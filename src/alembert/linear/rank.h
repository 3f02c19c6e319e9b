#pragma once

// Which rows of a sparse matrix follow from others, for any size.

#include "alembert/linear/linear.h"
#include "alembert/linear/sparse_rows.h"

namespace alembert::internal {

/// As analyse_rows of linear.h; thousands of rows by sparse elimination, with memory for what is not zero only. A
/// matrix that is not finite is said to have full rank.
RankReport analyse_rows(const SparseRows& rows, double tolerance);

}  // namespace alembert::internal
