#pragma once

// Elimination of sparse rows of numbers: which rows are independent, and which combinations of rows vanish.

#include <utility>
#include <vector>

namespace alembert::internal {

/// (column, coefficient), columns ascending. As a combination of rows: (row, factor).
using SparseRow = std::vector<std::pair<int, double>>;

struct RowReduction {
  std::vector<int> independent;      // numbers of rows that span all of them
  std::vector<SparseRow> vanishing;  // combinations that give the zero row, one for each of the other rows
};

/// Each row is reduced by the independent ones before it. Coefficients that cancel up to rounding count as zero.
RowReduction reduce_rows(std::vector<SparseRow> rows);

}  // namespace alembert::internal
