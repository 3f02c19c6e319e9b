#include "alembert/linear/sparse_ldl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace alembert::internal {
namespace {

/// A symmetric matrix G G^T + shift of rows with entries in the given columns.
struct Gram {
  int n = 0;
  std::vector<int> row_start{0}, column;
  std::vector<double> values;
  std::vector<std::vector<double>> full;

  Gram(const std::vector<std::set<int>>& touched, int columns, unsigned seed) : n(static_cast<int>(touched.size())) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<std::vector<double>> rows(n, std::vector<double>(columns, 0));
    for (int i = 0; i < n; ++i)
      for (const int j : touched[i]) rows[i][j] = number(random);
    full.assign(n, std::vector<double>(n, 0));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        bool meet = i == j;
        for (const int c : touched[i]) meet = meet || touched[j].count(c) > 0;
        if (!meet) continue;
        for (int c = 0; c < columns; ++c) full[i][j] += rows[i][c] * rows[j][c];
        full[j][i] = full[i][j];
        column.push_back(j);
        values.push_back(full[i][j]);
      }
      row_start.push_back(static_cast<int>(column.size()));
    }
  }
};

std::vector<std::set<int>> chain(int n) {
  std::vector<std::set<int>> touched(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) touched[i].insert(2 * i + k);
  return touched;
}

/// All rows meet the first one: in the natural order the rest would fill.
std::vector<std::set<int>> star(int n) {
  std::vector<std::set<int>> touched(n);
  for (int i = 0; i < n; ++i) touched[0].insert(2 * i);
  for (int i = 1; i < n; ++i) touched[i] = {2 * i, 2 * i + 1};
  return touched;
}

void expect_solution(const Gram& a) {
  SparseLdl ldl(a.n, a.row_start, a.column);
  ASSERT_TRUE(ldl.factor(a.values.data(), 1e-14));
  std::vector<double> x(2 * a.n), b(2 * a.n, 0);
  for (int i = 0; i < 2 * a.n; ++i) x[i] = std::sin(1.0 + i);
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < a.n; ++i)
      for (int j = 0; j < a.n; ++j) b[side * a.n + i] += a.full[i][j] * x[side * a.n + j];
  ldl.solve(b.data(), 2);
  for (int i = 0; i < 2 * a.n; ++i) EXPECT_NEAR(b[i], x[i], 1e-8) << i;
}

TEST(SparseLdl, SolvesChainsStarsAndFullMatrices) {
  expect_solution(Gram(chain(40), 100, 1));
  expect_solution(Gram(star(40), 100, 2));
  std::vector<std::set<int>> all(12);
  for (std::set<int>& row : all)
    for (int c = 0; c < 20; ++c) row.insert(c);
  expect_solution(Gram(all, 20, 3));
}

/// With other values above the diagonal than below it.
void expect_solution_of_unsymmetric(Gram a) {
  std::vector<double> mirrored;
  for (int i = 0; i < a.n; ++i)
    for (int k = a.row_start[i]; k + 1 < a.row_start[i + 1]; ++k) {
      double& above = a.full[a.column[k]][i];
      above *= 1 + 0.1 * std::sin(1.0 + k);
      mirrored.push_back(above);
    }
  SparseLdl ldl(a.n, a.row_start, a.column);
  ASSERT_TRUE(ldl.factor(a.values.data(), mirrored.data(), 1e-14));
  std::vector<double> x(3 * a.n), b(3 * a.n, 0);
  for (int i = 0; i < 3 * a.n; ++i) x[i] = std::sin(1.0 + i);
  for (int side = 0; side < 3; ++side)
    for (int i = 0; i < a.n; ++i)
      for (int j = 0; j < a.n; ++j) b[side * a.n + i] += a.full[i][j] * x[side * a.n + j];
  ldl.solve(b.data(), 3);
  for (int i = 0; i < 3 * a.n; ++i) EXPECT_NEAR(b[i], x[i], 1e-7) << i;
  // It can be symmetric again.
  ASSERT_TRUE(ldl.factor(a.values.data(), 1e-14));
  std::vector<double> e(a.n, 0);
  e[0] = 1;
  ldl.solve(e.data());
  double product = 0;
  for (int j = 0; j < a.n; ++j) product += (j <= 0 ? a.full[0][j] : a.full[j][0]) * e[j];
  EXPECT_NEAR(product, 1, 1e-9);
}

TEST(SparseLdl, SolvesWithOtherValuesAboveTheDiagonal) {
  std::vector<std::set<int>> next(40);  // each row meets the next one: indices say nothing
  for (int i = 0; i < 40; ++i) next[i] = {2 * i, 2 * i + 1, 2 * i + 2};
  expect_solution_of_unsymmetric(Gram(next, 100, 6));
  for (const std::size_t count : {1, 2, 3, 4, 39})  // eliminated from both ends
    expect_solution_of_unsymmetric(Gram({next.begin(), next.begin() + static_cast<long>(count)}, 100, 6));
  expect_solution_of_unsymmetric(Gram(chain(40), 100, 1));
  expect_solution_of_unsymmetric(Gram(star(40), 100, 2));
  std::vector<std::set<int>> all(12);
  for (std::set<int>& row : all)
    for (int c = 0; c < 20; ++c) row.insert(c);
  expect_solution_of_unsymmetric(Gram(all, 20, 3));
}

TEST(SparseLdl, SaysWhereAPivotVanishesWithOtherValuesAboveTheDiagonal) {
  // (1 2; 3 6), of either sign, and numbers that are none.
  SparseLdl ldl(2, {0, 1, 3}, {0, 0, 1});
  for (const double sign : {1.0, -1.0}) {
    EXPECT_FALSE(ldl.factor(std::vector<double>{sign, 3, 6 * sign}.data(), std::vector<double>{2}.data(), 1e-14));
    EXPECT_TRUE(ldl.factor(std::vector<double>{sign, 3, 7 * sign}.data(), std::vector<double>{2}.data(), 1e-14));
  }
  EXPECT_FALSE(ldl.factor(std::vector<double>{1, NAN, 6}.data(), std::vector<double>{2}.data(), 1e-14));
}

TEST(SparseLdl, TakesTimeInProportionToChainsAndStars) {
  for (const auto& shape : {chain, star}) {
    const double small = SparseLdl(100, Gram(shape(100), 210, 1).row_start, Gram(shape(100), 210, 1).column).cost();
    const double large = SparseLdl(200, Gram(shape(200), 410, 1).row_start, Gram(shape(200), 410, 1).column).cost();
    EXPECT_LT(large, 2.2 * small);
  }
}

TEST(SparseLdl, ProductOfPivotsIsTheDeterminant) {
  const Gram a(star(3), 10, 5);
  SparseLdl ldl(3, a.row_start, a.column);
  ASSERT_TRUE(ldl.factor(a.values.data(), 1e-14));
  const auto& m = a.full;
  const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  EXPECT_NEAR(ldl.pivot(0) * ldl.pivot(1) * ldl.pivot(2), determinant, 1e-13 * std::abs(determinant));
}

TEST(SparseLdl, SaysWhereARowFollowsFromOthers) {
  // Rows (1, 0), (0, 1), (1, 1): the last one follows.
  SparseLdl ldl(3, {0, 1, 3, 6}, {0, 0, 1, 0, 1, 2});
  const std::vector<double> values{1, 0, 1, 1, 1, 2};
  EXPECT_FALSE(ldl.factor(values.data(), 1e-14));
  EXPECT_EQ(ldl.pivot(2), 0);
  // A number that is none is no regular pivot either.
  EXPECT_FALSE(ldl.factor(std::vector<double>{1, 0, NAN, 1, 1, 2}.data(), 1e-14));
}

TEST(SparseLdl, RefusesOtherPatterns) {
  EXPECT_THROW(SparseLdl(2, {0, 1, 2}, {0, 0}), std::logic_error);
  EXPECT_THROW(SparseLdl(2, {0, 1, 3}, {0, 1, 0}), std::logic_error);
}

}  // namespace
}  // namespace alembert::internal
