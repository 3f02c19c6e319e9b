#include "alembert/linear/linear.h"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "newton/allocations.h"

namespace alembert::internal {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::VectorXd;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

class Random {
 public:
  double operator()() { return uniform_(engine_); }
  int below(int n) { return static_cast<int>(engine_() % n); }

 private:
  std::mt19937_64 engine_{20240517};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

Matrix random_matrix(int m, int n, Random& random) {
  return Matrix::NullaryExpr(m, n, [&] { return random(); });
}

/// |A x - b| relative to |A| |x|, row by row: a few rounding units for any stable solver, whatever the condition is.
double backward_error(const Matrix& a, const VectorXd& x, const VectorXd& b) {
  const VectorXd residual = (a * x - b).cwiseAbs();
  double worst = 0;
  for (int i = 0; i < b.size(); ++i)
    worst = std::max(worst, residual[i] / (a.row(i).cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff()));
  return worst;
}

// Dense ---------------------------------------------------------------------------------------------------------------

TEST(DenseLu, agrees_with_another_solver_for_all_small_sizes) {
  Random random;
  for (int n = 1; n <= 66; ++n) {
    DenseLu<double> lu(n);
    for (int sample = 0; sample < 4; ++sample) {  // the same object again and again
      const Matrix a = random_matrix(n, n, random);
      const VectorXd b = random_matrix(n, 1, random);
      VectorXd x = b;
      ASSERT_TRUE(lu.factor(a.data())) << n;
      lu.solve(x.data());
      EXPECT_LT(backward_error(a, x, b), 4e-16 * (n + 10)) << n;
      const VectorXd expected = a.fullPivLu().solve(b);
      const double condition = a.norm() * a.fullPivLu().inverse().norm();
      EXPECT_LT((x - expected).norm(), 1e-15 * (n + 10) * condition * expected.norm()) << n;
    }
  }
}

TEST(DenseLu, needs_its_pivots) {
  // Zeros on the diagonal: a permutation, and the matrix of a constrained step [M G^T; G 0].
  for (int n : {2, 3, 4, 5, 9}) {
    Matrix a = Matrix::Zero(n, n);
    VectorXd x(n);
    for (int i = 0; i < n; ++i) {
      a(i, (i + 1) % n) = i + 2;
      x[i] = i + 2;
    }
    DenseLu<double> lu(n);
    ASSERT_TRUE(lu.factor(a.data()));
    lu.solve(x.data());
    for (int i = 0; i < n; ++i) EXPECT_EQ(x[i], 1);
    EXPECT_EQ(lu.smallest_pivot(), 1);
  }
  Matrix a(2, 2);
  a << 1e-20, 1, 1, 1;
  VectorXd x(2);
  x << 1, 2;
  DenseLu<double> lu(2);
  ASSERT_TRUE(lu.factor(a.data()));
  lu.solve(x.data());
  EXPECT_NEAR(x[0], 1, 1e-15);  // without pivoting this is 0
  EXPECT_NEAR(x[1], 1, 1e-15);
}

TEST(DenseLu, is_not_impressed_by_ill_scaled_rows) {
  Random random;
  for (int n : {2, 5, 12, 31}) {
    const Matrix well = random_matrix(n, n, random);
    Matrix a = well;
    VectorXd expected = VectorXd::Ones(n), b = well * expected;
    for (int i = 0; i < n; ++i) {
      const double scale = std::pow(10.0, 100 * random());
      a.row(i) *= scale;
      b[i] *= scale;
    }
    DenseLu<double> lu(n);
    ASSERT_TRUE(lu.factor(a.data()));
    EXPECT_GT(lu.smallest_pivot(), 1e-4);
    lu.solve(b.data());
    EXPECT_LT((b - expected).norm(), 1e-11);
  }
  // The extremes of the exponents, and unknowns of very different size: neither is a loss of rank.
  Matrix a(2, 2);
  a << 1e300, 2e300, 3e-310, -1e-310;
  VectorXd b(2);
  b << 3e300, 2e-310;
  DenseLu<double> lu(2);
  ASSERT_TRUE(lu.factor(a.data()));
  EXPECT_GT(lu.smallest_pivot(), 0.01);
  lu.solve(b.data());
  EXPECT_NEAR(b[0], 1, 1e-13);
  EXPECT_NEAR(b[1], 1, 1e-13);
  a << 1, 1e-30, 1, -1e-30;
  ASSERT_TRUE(lu.factor(a.data()));
  EXPECT_GT(lu.smallest_pivot(), 0.1);
}

TEST(DenseLu, names_where_rank_is_lost) {
  Random random;
  for (int n : {3, 7, 20}) {
    Matrix a = random_matrix(n, n, random);
    DenseLu<double> lu(n);
    ASSERT_TRUE(lu.factor(a.data()));
    EXPECT_GT(lu.smallest_pivot(), 1e-6);
    // One row is a combination of two others: one of the three is left without a pivot.
    a.row(n - 1) = 2 * a.row(0) - 0.3 * a.row(1);
    lu.factor(a.data());  // rounding decides whether the last pivot is exactly 0
    EXPECT_LT(lu.smallest_pivot(), 1e-14);
    const int row = lu.smallest_pivot_row();
    EXPECT_TRUE(row == 0 || row == 1 || row == n - 1) << row;
    // One unknown does not enter.
    a = random_matrix(n, n, random);
    a.col(1).setZero();
    EXPECT_FALSE(lu.factor(a.data()));
    EXPECT_EQ(lu.smallest_pivot(), 0);
    EXPECT_EQ(lu.smallest_pivot_column(), 1);
    // One equation is empty.
    a = random_matrix(n, n, random);
    a.row(2).setZero();
    EXPECT_FALSE(lu.factor(a.data()));
    EXPECT_EQ(lu.smallest_pivot_row(), 2);
    // The object is none the worse for it.
    a = random_matrix(n, n, random);
    const VectorXd b = random_matrix(n, 1, random);
    VectorXd x = b;
    ASSERT_TRUE(lu.factor(a.data()));
    lu.solve(x.data());
    EXPECT_LT(backward_error(a, x, b), 1e-14);
  }
  // Exactly singular and exactly computed.
  const double singular[] = {1, 2, 2, 4};
  DenseLu<double> lu(2);
  EXPECT_FALSE(lu.factor(singular));
}

TEST(DenseLu, refuses_what_is_not_finite_wherever_it_stands) {
  Random random;
  for (int n : {1, 2, 4, 5, 11}) {
    const Matrix good = random_matrix(n, n, random) + 0.1 * Matrix::Identity(n, n);
    DenseLu<double> lu(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (double bad : {nan, infinity, -infinity}) {
          Matrix a = good;
          a(i, j) = bad;
          EXPECT_FALSE(lu.factor(a.data())) << n << ": " << i << "," << j << " " << bad;
        }
    EXPECT_TRUE(lu.factor(good.data()));
  }
  DenseLu<Quad> lu(3);
  std::vector<Quad> a = {4, 1, 2, 1, 3, 0, 2, 0, 5};
  ASSERT_TRUE(lu.factor(a.data()));
  for (Quad& entry : a) {
    const Quad good = std::exchange(entry, Quad(nan));
    EXPECT_FALSE(lu.factor(a.data()));
    entry = good;
  }
}

TEST(DenseLu, solves_the_smallest_ones) {
  DenseLu<double> one(1), none(0);
  const double four = 4;
  double x = 2;
  ASSERT_TRUE(one.factor(&four));
  one.solve(&x);
  EXPECT_EQ(x, 0.5);
  const double zero = 0;
  EXPECT_FALSE(one.factor(&zero));
  EXPECT_TRUE(none.factor(nullptr));
  none.solve(nullptr);
  EXPECT_THROW(DenseLu<double>(-1), std::logic_error);
}

TEST(DenseLu, extended_precision_is_extended) {
  Random random;
  for (int n : {1, 2, 3, 6, 17, 40}) {
    std::vector<Quad> a(n * n), expected(n), b(n, 0);
    for (Quad& entry : a) entry = random() + Quad(1e-17) * random();
    for (Quad& entry : expected) entry = random() + Quad(1e-17) * random();
    for (int i = 0; i < n; ++i) {
      const Quad scale = powq(10, 2000 * random());
      for (int j = 0; j < n; ++j) {
        a[i * n + j] *= scale;
        b[i] += a[i * n + j] * expected[j];
      }
    }
    DenseLu<Quad> lu(n);
    ASSERT_TRUE(lu.factor(a.data()));
    std::vector<Quad> x = b;
    lu.solve(x.data());
    for (int i = 0; i < n; ++i) {
      Quad residual = -b[i], size = 0;
      for (int j = 0; j < n; ++j) {
        residual += a[i * n + j] * x[j];
        size += fabsq(a[i * n + j]);
      }
      EXPECT_LT(static_cast<double>(fabsq(residual) / size), 2e-32) << n;
      EXPECT_LT(static_cast<double>(fabsq(x[i] - expected[i])), 1e-29) << n;
    }
  }
}

// Sparse --------------------------------------------------------------------------------------------------------------

struct Compressed {
  int n = 0;
  std::vector<int> row_start{0}, column;
  std::vector<double> values;

  VectorXd times(const VectorXd& x) const {
    VectorXd y = VectorXd::Zero(n);
    for (int i = 0; i < n; ++i)
      for (int e = row_start[i]; e < row_start[i + 1]; ++e) y[i] += values[e] * x[column[e]];
    return y;
  }
  Matrix dense() const {
    Matrix a = Matrix::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (int e = row_start[i]; e < row_start[i + 1]; ++e) a(i, column[e]) = values[e];
    return a;
  }
  double backward_error(const VectorXd& x, const VectorXd& b) const {
    const VectorXd residual = (times(x) - b).cwiseAbs();
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      double size = 0;
      for (int e = row_start[i]; e < row_start[i + 1]; ++e) size = std::max(size, std::abs(values[e]));
      worst = std::max(worst, residual[i] / (size * x.cwiseAbs().maxCoeff()));
    }
    return worst;
  }
};

Compressed banded(int n, int band, Random& random) {
  Compressed a;
  a.n = n;
  for (int i = 0; i < n; ++i) {
    for (int j = std::min(n - 1, i + band); j >= std::max(0, i - band); --j) {  // columns need not ascend
      a.column.push_back(j);
      a.values.push_back(random());
    }
    a.row_start.push_back(static_cast<int>(a.column.size()));
  }
  return a;
}

Compressed scattered(int n, int per_row, Random& random) {
  Compressed a;
  a.n = n;
  std::vector<int> shift(n);
  for (int i = 0; i < n; ++i) shift[i] = i;
  for (int i = n - 1; i > 0; --i) std::swap(shift[i], shift[random.below(i + 1)]);
  for (int i = 0; i < n; ++i) {
    std::vector<int> columns = {shift[i]};  // a hidden permutation: full structural rank, no zero-free diagonal
    while (static_cast<int>(columns.size()) < std::min(per_row, n)) {
      const int j = random.below(n);
      if (std::find(columns.begin(), columns.end(), j) == columns.end()) columns.push_back(j);
    }
    for (int j : columns) {
      a.column.push_back(j);
      a.values.push_back(random());
    }
    a.row_start.push_back(static_cast<int>(a.column.size()));
  }
  return a;
}

TEST(SparseLu, agrees_with_dense) {
  Random random;
  for (int n : {1, 2, 3, 10, 60, 150})
    for (const Compressed& a : {banded(n, 2, random), scattered(n, 3, random)}) {
      const VectorXd b = random_matrix(n, 1, random);
      SparseLu sparse(n, a.row_start, a.column);
      DenseLu<double> dense(n);
      VectorXd x = b, expected = b;
      ASSERT_TRUE(sparse.factor(a.values.data()));
      ASSERT_TRUE(dense.factor(a.dense().data()));
      sparse.solve(x.data());
      dense.solve(expected.data());
      EXPECT_LT(a.backward_error(x, b), 1e-13) << n;
      const double condition = a.dense().norm() * a.dense().fullPivLu().inverse().norm();
      EXPECT_LT((x - expected).norm(), 1e-13 * condition * expected.norm()) << n;
      EXPECT_GT(sparse.reciprocal_condition(), 0);
      EXPECT_LE(sparse.reciprocal_condition(), 1);
      EXPECT_EQ(sparse.structural_rank(), n);
      EXPECT_EQ(sparse.size(), n);
    }
}

TEST(SparseLu, large_ones) {
  Random random;
  for (const Compressed& a : {banded(5000, 3, random), scattered(2000, 3, random)}) {
    const VectorXd b = random_matrix(a.n, 1, random);
    SparseLu lu(a.n, a.row_start, a.column);
    ASSERT_TRUE(lu.factor(a.values.data()));
    VectorXd x = b;
    lu.solve(x.data());
    EXPECT_LT(a.backward_error(x, b), 1e-11);
  }
}

TEST(SparseLu, ill_scaled_rows) {
  Random random;
  Compressed a = banded(200, 2, random);
  const VectorXd expected = VectorXd::Ones(200);
  for (int i = 0; i < 200; ++i) {
    const double scale = std::pow(10.0, 100 * random());
    for (int e = a.row_start[i]; e < a.row_start[i + 1]; ++e)
      a.values[e] = scale * (a.column[e] == i ? 6 : a.values[e]);  // dominant diagonal: well conditioned
  }
  VectorXd x = a.times(expected);
  SparseLu lu(200, a.row_start, a.column);
  ASSERT_TRUE(lu.factor(a.values.data()));
  EXPECT_GT(lu.reciprocal_condition(), 0.1);
  lu.solve(x.data());
  EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(SparseLu, keeps_good_pivots_and_gives_up_bad_ones) {
  Random random;
  Compressed a = banded(300, 2, random);
  for (std::size_t e = 0; e < a.values.size(); ++e) a.values[e] *= 0.1;
  const auto set_diagonal = [&](double value) {
    for (int i = 0; i < a.n; ++i)
      for (int e = a.row_start[i]; e < a.row_start[i + 1]; ++e)
        if (a.column[e] == i) a.values[e] = value;
  };
  const VectorXd b = random_matrix(a.n, 1, random);
  SparseLu lu(a.n, a.row_start, a.column);
  set_diagonal(1);
  ASSERT_TRUE(lu.factor(a.values.data()));
  EXPECT_EQ(lu.pivotings(), 1);
  for (double diagonal : {0.9, 1.1, -1.3}) {
    set_diagonal(diagonal);
    ASSERT_TRUE(lu.factor(a.values.data()));
    EXPECT_EQ(lu.pivotings(), 1);
    VectorXd x = b;
    lu.solve(x.data());
    EXPECT_LT(a.backward_error(x, b), 1e-15);
  }
  for (double diagonal : {1e-13, 0.0}) {  // the first pivots were on the diagonal
    SparseLu lu(a.n, a.row_start, a.column);
    set_diagonal(1);
    ASSERT_TRUE(lu.factor(a.values.data()));
    set_diagonal(diagonal);
    ASSERT_TRUE(lu.factor(a.values.data()));
    EXPECT_EQ(lu.pivotings(), 2);
    VectorXd x = b;
    lu.solve(x.data());
    EXPECT_LT(a.backward_error(x, b), 1e-13) << diagonal;
    // And from then on the new ones are kept.
    for (double& value : a.values) value *= 1.01;
    ASSERT_TRUE(lu.factor(a.values.data()));
    EXPECT_EQ(lu.pivotings(), 2);
  }
}

TEST(SparseLu, singular_matrices_are_said_to_be) {
  // 2 x 2: values decide.
  SparseLu two(2, {0, 2, 4}, {0, 1, 0, 1});
  const double singular[] = {1, 2, 2, 4}, regular[] = {1, 2, 3, 4}, not_finite[] = {1, nan, 3, 4};
  EXPECT_FALSE(two.factor(singular));
  EXPECT_EQ(two.reciprocal_condition(), 0);
  EXPECT_GE(two.singular_column(), 0);
  ASSERT_TRUE(two.factor(regular));
  EXPECT_EQ(two.singular_column(), -1);
  double b[] = {3, 7};
  two.solve(b);
  EXPECT_NEAR(b[0], 1, 1e-15);
  EXPECT_NEAR(b[1], 1, 1e-15);
  EXPECT_FALSE(two.factor(singular));
  EXPECT_FALSE(two.factor(not_finite));
  EXPECT_TRUE(two.factor(regular));

  // The pattern decides: two equations with one unknown between them, column 2 is empty.
  SparseLu three(3, {0, 2, 3, 4}, {0, 1, 1, 1});
  const double ones[] = {1, 1, 1, 1};
  EXPECT_LT(three.structural_rank(), 3);
  EXPECT_FALSE(three.factor(ones));

  SparseLu none(0, {0}, {});
  EXPECT_TRUE(none.factor(nullptr));
  none.solve(nullptr);
}

TEST(SparseLu, wrong_patterns_are_refused) {
  EXPECT_THROW(SparseLu(2, {0, 1}, {0}), std::logic_error);
  EXPECT_THROW(SparseLu(2, {0, 1, 2}, {0, 2}), std::logic_error);
  EXPECT_THROW(SparseLu(2, {0, 2, 3}, {1, 1, 0}), std::logic_error);
  EXPECT_THROW(SparseLu(2, {0, 1, 3}, {0, 1}), std::logic_error);
}

TEST(SparseLu, can_be_moved) {
  SparseLu first(1, {0, 1}, {0});
  const double four = 4;
  ASSERT_TRUE(first.factor(&four));
  SparseLu second = std::move(first);
  double x = 2;
  second.solve(&x);
  EXPECT_EQ(x, 0.5);
}

// Memory --------------------------------------------------------------------------------------------------------------

TEST(LinearMemory, factor_and_solve_do_not_allocate) {
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "allocations cannot be counted in this build";
  Random random;
  const int n = 37;
  const Matrix a = random_matrix(n, n, random);
  std::vector<Quad> real(n * n), real_b(n, 1);
  for (int i = 0; i < n * n; ++i) real[i] = a.data()[i];
  VectorXd b = VectorXd::Ones(n);
  DenseLu<double> dense(n);
  DenseLu<Quad> extended(n);
  Compressed s = banded(500, 2, random);
  for (int i = 0; i < s.n; ++i) s.values[s.row_start[i]] += 3;
  VectorXd sparse_b = VectorXd::Ones(s.n);
  SparseLu sparse(s.n, s.row_start, s.column);
  ASSERT_TRUE(sparse.factor(s.values.data()));

  const long before = tests::allocations();
  bool fine = true;
  for (int repeat = 0; repeat < 3; ++repeat) {
    fine &= dense.factor(a.data());
    dense.solve(b.data());
    fine &= extended.factor(real.data());
    extended.solve(real_b.data());
    for (double& value : s.values) value *= 1.01;
    fine &= sparse.factor(s.values.data());
    sparse.solve(sparse_b.data());
  }
  const long after = tests::allocations();
  EXPECT_TRUE(fine);
  EXPECT_EQ(after - before, 0);
  EXPECT_EQ(sparse.pivotings(), 1);
}

// Rank ----------------------------------------------------------------------------------------------------------------

using Rows = std::vector<int>;

TEST(AnalyseRows, full_rank_has_nothing_to_report) {
  Random random;
  for (auto [m, n] : {std::pair{1, 1}, {3, 7}, {40, 40}, {60, 200}}) {
    const Matrix a = random_matrix(m, n, random);
    const RankReport report = analyse_rows(m, n, a.data());
    EXPECT_EQ(report.rank, m);
    EXPECT_TRUE(report.dependent_rows.empty());
    EXPECT_TRUE(report.follows_from.empty());
  }
}

TEST(AnalyseRows, says_what_follows_from_what) {
  Random random;
  Matrix a = random_matrix(6, 9, random);
  a.row(4) = a.row(0) - 2 * a.row(1) + 0.01 * a.row(3);
  a.row(5) = -3 * a.row(2);
  const RankReport report = analyse_rows(6, 9, a.data());
  EXPECT_EQ(report.rank, 4);
  EXPECT_EQ(report.dependent_rows, (Rows{4, 5}));
  ASSERT_EQ(report.follows_from.size(), 2u);
  EXPECT_EQ(report.follows_from[0], (Rows{0, 1, 3}));
  EXPECT_EQ(report.follows_from[1], (Rows{2}));
}

TEST(AnalyseRows, dependent_rows_in_the_middle_do_not_hide_later_ones) {
  Random random;
  Matrix a = random_matrix(8, 12, random);
  a.row(0).setZero();
  a.row(3) = a.row(1) + a.row(2);
  a.row(6) = a.row(5) - a.row(3);  // names rows 1, 2, 5: row 3 itself follows from 1 and 2
  const RankReport report = analyse_rows(8, 12, a.data());
  EXPECT_EQ(report.rank, 5);
  EXPECT_EQ(report.dependent_rows, (Rows{0, 3, 6}));
  EXPECT_EQ(report.follows_from, (std::vector<Rows>{{}, {1, 2}, {1, 2, 5}}));
}

TEST(AnalyseRows, scale_of_rows_does_not_matter) {
  Random random;
  Matrix a = random_matrix(5, 5, random);
  a.row(3) = a.row(0) + a.row(2);
  a.row(0) *= 1e-150;
  a.row(2) *= 1e200;
  a.row(3) *= 1e-80;
  const RankReport report = analyse_rows(5, 5, a.data());
  EXPECT_EQ(report.rank, 4);
  EXPECT_EQ(report.dependent_rows, (Rows{3}));
  EXPECT_EQ(report.follows_from, (std::vector<Rows>{{0, 2}}));
}

TEST(AnalyseRows, tolerance_is_a_distance) {
  Matrix a(2, 2);
  a << 1, 0, 1, 1e-6;
  EXPECT_EQ(analyse_rows(2, 2, a.data(), 1e-7).rank, 2);
  EXPECT_EQ(analyse_rows(2, 2, a.data(), 1e-5).rank, 1);
}

TEST(AnalyseRows, more_rows_than_columns) {
  Random random;
  const Matrix a = random_matrix(9, 4, random);
  const RankReport report = analyse_rows(9, 4, a.data());
  EXPECT_EQ(report.rank, 4);
  EXPECT_EQ(report.dependent_rows, (Rows{4, 5, 6, 7, 8}));
  for (const Rows& rows : report.follows_from) EXPECT_EQ(rows, (Rows{0, 1, 2, 3}));
  EXPECT_EQ(analyse_rows(0, 4, nullptr).rank, 0);
  const double bad[] = {1, nan};
  EXPECT_THROW(analyse_rows(1, 2, bad), std::logic_error);
}

// Rods between points of the plane: a triangle is rigid, a square needs one diagonal, and the second one follows.
TEST(AnalyseRows, the_second_diagonal_of_a_square_follows) {
  const double at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const int rods[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}};
  Matrix a = Matrix::Zero(6, 8);
  for (int r = 0; r < 6; ++r)
    for (int k = 0; k < 2; ++k) {
      const auto [from, to] = std::pair{rods[r][0], rods[r][1]};
      a(r, 2 * from + k) = 2 * (at[from][k] - at[to][k]);
      a(r, 2 * to + k) = -a(r, 2 * from + k);
    }
  const RankReport report = analyse_rows(6, 8, a.data());
  EXPECT_EQ(report.rank, 5);
  EXPECT_EQ(report.dependent_rows, (Rows{5}));
  EXPECT_EQ(report.follows_from, (std::vector<Rows>{{0, 1, 2, 3, 4}}));
}

// A long chain of rods, some of them given twice: sparse rows, and a rank that another algorithm confirms.
TEST(AnalyseRows, long_chains) {
  Random random;
  const int rods = 400, n = 3 * rods;
  Matrix a = Matrix::Zero(rods + 2, n);
  for (int r = 0; r < rods; ++r)
    for (int k = 0; k < 3; ++k) {
      const double d = random();
      a(r, 3 * r + k) = d;
      if (r > 0) a(r, 3 * (r - 1) + k) = -d;
    }
  a.row(rods) = a.row(17);
  a.row(rods + 1) = 5 * a.row(100) - a.row(101);
  const RankReport report = analyse_rows(rods + 2, n, a.data());
  EXPECT_EQ(report.rank, rods);
  EXPECT_EQ(report.rank, a.colPivHouseholderQr().rank());
  EXPECT_EQ(report.dependent_rows, (Rows{rods, rods + 1}));
  EXPECT_EQ(report.follows_from, (std::vector<Rows>{{17}, {100, 101}}));
}

}  // namespace
}  // namespace alembert::internal
