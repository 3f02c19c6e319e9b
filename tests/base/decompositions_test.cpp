#include "alembert/base/decompositions.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

namespace alembert::internal {
namespace {

Eigen::VectorXd vector_of(std::initializer_list<double> values) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

TEST(Decompositions, LeastSquaresTakesTheShortestSolution) {
  // x + y = 2 twice over: (1, 1) is nearest to the origin. What contradicts itself meets in the middle.
  Eigen::MatrixXd A(2, 2);
  A << 1, 1, 1, 1;
  const Eigen::VectorXd agreed = least_squares(A, vector_of({2, 2})), between = least_squares(A, vector_of({1, 3}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(agreed[i], 1, 1e-15);
    EXPECT_NEAR(between[i], 1, 1e-15);
  }
  Eigen::MatrixXd inverse(2, 2);
  pseudo_inverse(A, inverse.data());
  EXPECT_LT((inverse - A / 4).norm(), 1e-15);
}

TEST(Decompositions, SquareSystems) {
  Eigen::MatrixXd A(3, 3);
  A << 0, 2, 1, 1, -1, 0, 3, 0, -2;
  const Eigen::VectorXd x = vector_of({1, -2, 3});
  Eigen::VectorXd b = A * x;
  FullPivotLu lu;
  lu.factor(A);
  Eigen::VectorXd found(3);
  lu.solve(b, found.data());
  EXPECT_LT((found - x).norm(), 1e-14);
  EXPECT_EQ(lu.largest_pivot(), 3);  // the largest entry is the first pivot
  // det A = 7: the product of all pivots.
  EXPECT_NEAR(lu.smallest_pivot(), 7.0 / (3 * 2), 1e-14);
  solve_regular(A, b, b.data());
  EXPECT_LT((b - x).norm(), 1e-14);
}

TEST(Decompositions, RankAndNullSpace) {
  // The third column is the sum of the others.
  Eigen::MatrixXd A(3, 3);
  A << 1, 0, 1, 0, 10, 10, 2, 0, 2;
  const std::vector<int> columns = independent_columns(A, 1e-12);
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0], 2);  // the longest
  const std::vector<double> kernel = null_space(A, 1e-12);
  ASSERT_EQ(kernel.size(), 3U);
  EXPECT_NEAR(kernel[0] / kernel[2], -1, 1e-14);
  EXPECT_NEAR(kernel[1] / kernel[2], -1, 1e-14);
  A(2, 2) = 3;
  EXPECT_TRUE(null_space(A, 1e-12).empty());
  EXPECT_EQ(null_space(A, 0.5).size() % 3, 0U);
  EXPECT_FALSE(null_space(A, 0.5).empty());  // pivots below half of the largest count as zero
}

TEST(Decompositions, EigenvaluesAndSingularValues) {
  // Eigenvalues 1 and 3 with (1, -1) and (1, 1); the upper half is not read.
  const double A[] = {2, 1, 7, 2};
  const SymmetricEigen eigen = symmetric_eigen({A, 2, 2});
  ASSERT_TRUE(eigen.converged);
  EXPECT_NEAR(eigen.values[0], 1, 1e-15);
  EXPECT_NEAR(eigen.values[1], 3, 1e-15);
  EXPECT_NEAR(eigen.vectors[0] / eigen.vectors[1], -1, 1e-15);
  EXPECT_NEAR(std::hypot(eigen.vectors[2], eigen.vectors[3]), 1, 1e-15);
  // Columns (3, 4) and (-8, 6): lengths 5 and 10, at right angles, so that these are the singular values.
  const double B[] = {3, 4, -8, 6};
  const SingularValues svd = singular_values({B, 2, 2});
  EXPECT_NEAR(svd.values[0], 10, 1e-14);
  EXPECT_NEAR(svd.values[1], 5, 1e-14);
  EXPECT_NEAR(std::abs(svd.U[0]), 0.8, 1e-15);
  EXPECT_NEAR(std::abs(svd.U[1]), 0.6, 1e-15);
  const SymmetricEigen gram = gram_eigen({B, 2, 2});
  EXPECT_NEAR(gram.values[0], 25, 1e-13);
  EXPECT_NEAR(gram.values[1], 100, 1e-13);
}

}  // namespace
}  // namespace alembert::internal
