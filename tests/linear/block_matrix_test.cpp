#include "alembert/linear/block_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace alembert::internal {

namespace {

/// A matrix [M B; C 0] in values, with the blocks that describe it.
struct Saddle {
  int lead, rest;
  SparseExprs M, B, C;
  std::vector<double> values;

  std::vector<BlockMatrix::Placed> blocks() const {
    const int m = static_cast<int>(M.column.size()), b = static_cast<int>(B.column.size());
    return {{&M, 0, 0, 0, 1}, {&B, 0, lead, m, -1}, {&C, lead, 0, m + b, 1}};
  }
  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> result(lead + rest, 0.0);
    for (const BlockMatrix::Placed& p : blocks())
      for (int i = 0; i < p.block->rows; ++i)
        for (int k = p.block->row_start[i]; k < p.block->row_start[i + 1]; ++k)
          result[p.row + i] += p.sign * values[p.first + k] * x[p.column + p.block->column[k]];
    return result;
  }
};

void add_row(SparseExprs& block, const std::vector<int>& columns) {
  if (block.row_start.empty()) block.row_start = {0};
  block.column.insert(block.column.end(), columns.begin(), columns.end());
  block.row_start.push_back(static_cast<int>(block.column.size()));
  ++block.rows;
}

/// Constraint i touches the coordinates that `touched` names; M is diagonal or has neighbours.
template <class Touched>
Saddle saddle(int lead, int rest, bool diagonal, Touched touched) {
  Saddle s{lead, rest, {}, {}, {}, {}};
  std::vector<std::vector<int>> B(lead);
  for (int i = 0; i < lead; ++i)
    add_row(s.M, diagonal || i + 1 == lead ? std::vector<int>{i} : std::vector<int>{i, i + 1});
  for (int i = 0; i < rest; ++i) {
    add_row(s.C, touched(i));
    for (const int c : touched(i)) B[c].push_back(i);
  }
  for (const auto& row : B) add_row(s.B, row);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.5, 2);
  s.values.resize(s.M.column.size() + s.B.column.size() + s.C.column.size());
  for (double& value : s.values) value = number(random);
  return s;
}

double largest_error(const Saddle& s, int sides) {
  const int n = s.lead + s.rest;
  BlockMatrix matrix(n, s.lead, sides, s.blocks());
  EXPECT_TRUE(matrix.factor(s.values.data()));
  std::vector<double> b;
  std::vector<std::vector<double>> x;
  for (int j = 0; j < sides; ++j) {
    x.emplace_back(n);
    for (int i = 0; i < n; ++i) x.back()[i] = std::sin(1.0 + i + 3 * j);
    const std::vector<double> right = s.times(x.back());
    b.insert(b.end(), right.begin(), right.end());
  }
  matrix.solve(b.data(), sides);
  double worst = 0;
  for (int j = 0; j < sides; ++j)
    for (int i = 0; i < n; ++i) worst = std::max(worst, std::abs(b[j * n + i] - x[j][i]));
  return worst;
}

TEST(BlockMatrix, ChainsOfAllSizesAndKinds) {
  const auto chain = [](int i) { return std::vector<int>{2 * i, 2 * i + 1, 2 * i + 2}; };
  for (const bool diagonal : {true, false})
    for (const int rest : {0, 1, 5, 200})
      EXPECT_LT(largest_error(saddle(2 * rest + 3, rest, diagonal, chain), 3), 1e-9);
}

TEST(BlockMatrix, BodyThatAllConstraintsTouch) {
  const auto star = [](int i) { return std::vector<int>{0, 1, i + 2}; };
  EXPECT_LT(largest_error(saddle(3002, 3000, true, star), 2), 1e-9);
}

TEST(BlockMatrix, SingularOnesAreRefused) {
  const auto chain = [](int i) { return std::vector<int>{i, i + 1}; };
  Saddle s = saddle(20, 4, true, chain);
  BlockMatrix matrix(24, 20, 1, s.blocks());
  s.values[3] = 0;
  EXPECT_FALSE(matrix.factor(s.values.data()));
  s.values[3] = NAN;
  EXPECT_FALSE(matrix.factor(s.values.data()));
}

}  // namespace

}  // namespace alembert::internal
