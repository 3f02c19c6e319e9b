#include "alembert/derive/ports/row_reduction.h"

#include <gtest/gtest.h>

#include <map>

namespace alembert::internal {
namespace {

/// The combination of the rows, column by column.
std::map<int, double> combined(const std::vector<SparseRow>& rows, const SparseRow& factors) {
  std::map<int, double> sum;
  for (const auto& [i, factor] : factors)
    for (const auto& [column, value] : rows[i]) sum[column] += factor * value;
  return sum;
}

TEST(RowReduction, VanishingCombinationsVanish) {
  // Rows 2 and 4 are combinations of 0, 1 and 3; row 5 is empty.
  const std::vector<SparseRow> rows = {{{0, 1}, {3, 2}}, {{1, 5}, {2, -1}},          {{0, 2}, {1, 5}, {2, -1}, {3, 4}},
                                       {{2, 3}, {3, 1}}, {{0, -1}, {2, 3}, {3, -1}}, {}};
  const RowReduction found = reduce_rows(rows);
  EXPECT_EQ(found.independent, (std::vector<int>{0, 1, 3}));
  ASSERT_EQ(found.vanishing.size(), 3u);
  EXPECT_EQ(found.vanishing[0], (SparseRow{{0, -2}, {1, -1}, {2, 1}}));
  EXPECT_EQ(found.vanishing[1], (SparseRow{{0, 1}, {3, -1}, {4, 1}}));
  EXPECT_EQ(found.vanishing[2], (SparseRow{{5, 1}}));
  for (const SparseRow& factors : found.vanishing)
    for (const auto& [column, value] : combined(rows, factors)) EXPECT_NEAR(value, 0, 1e-14) << "column " << column;
}

TEST(RowReduction, RoundingIsNotIndependence) {
  const double third = 1.0 / 3;
  const std::vector<SparseRow> rows = {{{0, 0.1}, {1, third}}, {{0, 0.3}, {1, 3 * third * (1 + 4e-16)}}, {{1, 1e-9}}};
  const RowReduction found = reduce_rows(rows);
  EXPECT_EQ(found.independent, (std::vector<int>{0, 2}));  // small is not nothing
  ASSERT_EQ(found.vanishing.size(), 1u);
}

}  // namespace
}  // namespace alembert::internal
