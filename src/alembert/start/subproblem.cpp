#include "alembert/start/subproblem.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>

#include "alembert/linear/linear.h"
#include "alembert/start/dense.h"

namespace alembert::internal {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Vector times(const SparseRows& a, const Vector& x) {
  Vector y = Vector::Zero(a.rows);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) y[i] += a.value[k] * x[a.column[k]];
  }
  return y;
}

Vector row_scales(const SparseRows& jacobian, const Vector& mass) {
  Vector result = Vector::Ones(jacobian.rows);
  for (int i = 0; i < jacobian.rows; ++i) {
    double square = 0;
    for (int k = jacobian.row_start[i]; k < jacobian.row_start[i + 1]; ++k) {
      square += jacobian.value[k] * jacobian.value[k] / mass[jacobian.column[k]];
    }
    if (square > 0 && std::isfinite(1 / std::sqrt(square))) result[i] = 1 / std::sqrt(square);
  }
  return result;
}

Vector diagonal(const SparseRows& a) {
  Vector result = Vector::Ones(a.rows);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      if (a.column[k] == i) result[i] = a.value[k];
    }
  }
  return result;
}

namespace {

/// Rows of unit length that are closer to the span of others than this are redundant to rounding; and with caution,
/// where steps that obey such rows did not lead to a solution, rows that would magnify residuals 1e5 times.
constexpr double redundant_row = 1e-11;
constexpr double nearly_redundant_row = 1e-5;
/// On the diagonal of rows of unit length, so that redundant ones do no harm: squares of their rounding vanish in it,
/// and the steps of all others lose four digits at most.
constexpr double sparse_regularisation = 1e-12;
/// Below this a factorisation has no correct digit.
constexpr double least_condition = 1e-14;

/// Null-space method: with M = L L^T, u = L^T d and (D J L^-T)^T P = Q R, the first columns of Q carry what the
/// constraints demand, the others are free. Dependent rows come last in the pivoting and are left out.
class DenseSubproblem final : public Subproblem {
 public:
  explicit DenseSubproblem(double tolerance) : tolerance_(tolerance) {}

  bool factor(const Quadratic& q, bool with_hessian) override {
    const int n = q.metric.rows;
    const int m = q.jacobian.rows;
    root_.compute(to_dense(q.metric));
    if (root_.info() != Eigen::Success) return false;
    scale_ = row_scales(q.jacobian, diagonal(q.metric));
    const Matrix a = root_.matrixL().solve(Matrix(to_dense(q.jacobian).transpose() * scale_.asDiagonal()));
    rank_ = 0;
    if (m > 0 && n > 0) {
      qr_.setThreshold(tolerance_);
      qr_.compute(a);
      rank_ = static_cast<int>(qr_.rank());
      basis_ = qr_.householderQ() * Matrix::Identity(n, n);
    } else {
      basis_ = Matrix::Identity(n, n);
    }
    hessian_.resize(0, 0);
    if (!with_hessian) return true;
    const Matrix half = root_.matrixL().solve(to_dense(q.hessian));
    hessian_ = root_.matrixL().solve(Matrix(half.transpose()));
    const auto free = basis_.rightCols(n - rank_);
    reduced_.compute(Matrix(Matrix::Identity(n - rank_, n - rank_) + free.transpose() * hessian_ * free));
    return n == rank_ || reduced_.info() == Eigen::Success;
  }

  void solve(const Quadratic& q, Vector& step, Vector& mu) override {
    const auto free = basis_.rightCols(q.metric.rows - rank_);
    const Vector wish = Matrix(root_.matrixU()) * q.deviation;
    const Vector demanded = demand(q.residual);
    Vector u = demanded;
    Vector gradient;
    if (hessian_.size() == 0) {
      u += free * (free.transpose() * wish);
      gradient = u - wish;
    } else {
      if (free.cols() > 0) u += free * reduced_.solve(Vector(free.transpose() * (wish - hessian_ * demanded)));
      gradient = u - wish + hessian_ * u;
    }
    mu = Vector::Zero(q.jacobian.rows);
    if (rank_ > 0) {
      Vector nu = Vector::Zero(q.jacobian.rows);
      const Vector projected = basis_.leftCols(rank_).transpose() * gradient;
      nu.head(rank_) = -qr_.matrixR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solve(projected);
      mu = (qr_.colsPermutation() * nu).cwiseProduct(scale_);
    }
    step = root_.matrixU().solve(u);
  }

  Vector correction(const Vector& c) override { return root_.matrixU().solve(demand(c)); }

 private:
  Vector demand(const Vector& c) const {
    if (rank_ == 0) return Vector::Zero(basis_.rows());
    const Vector wanted = qr_.colsPermutation().transpose() * Vector(-c.cwiseProduct(scale_));
    const auto r = qr_.matrixR().topLeftCorner(rank_, rank_);
    const Vector w = r.transpose().triangularView<Eigen::Lower>().solve(wanted.head(rank_));
    return basis_.leftCols(rank_) * w;
  }

  double tolerance_;
  Eigen::LLT<Matrix> root_;
  Eigen::ColPivHouseholderQR<Matrix> qr_;
  Eigen::LLT<Matrix> reduced_;
  Matrix basis_, hessian_;
  Vector scale_;
  int rank_ = 0;
};

using Rows = std::vector<std::vector<std::pair<int, double>>>;  // (column, value)

/// Columns in order, entries at the same place added.
SparseRows compressed(Rows rows) {
  SparseRows result;
  result.rows = static_cast<int>(rows.size());
  result.columns = result.rows;
  for (auto& row : rows) {
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [j, a] : row) {
      if (static_cast<int>(result.column.size()) > result.row_start.back() && result.column.back() == j) {
        result.value.back() += a;
      } else {
        result.column.push_back(j);
        result.value.push_back(a);
      }
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

/// [M + H, J^T D; D J, -delta] with a sparse LU; delta only where the constraints depend on each other.
class SparseSubproblem final : public Subproblem {
 public:
  explicit SparseSubproblem(bool regularised) : regularisation_(regularised ? sparse_regularisation : 0) {}

  bool factor(const Quadratic& q, bool with_hessian) override {
    const int n = q.metric.rows;
    const int m = q.jacobian.rows;
    scale_ = row_scales(q.jacobian, diagonal(q.metric));
    Rows rows(n + m);
    const auto put = [&](const SparseRows& a) {
      for (int i = 0; i < n; ++i) {
        for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) rows[i].emplace_back(a.column[k], a.value[k]);
      }
    };
    put(q.metric);
    if (with_hessian) put(q.hessian);
    for (int i = 0; i < m; ++i) {
      for (int k = q.jacobian.row_start[i]; k < q.jacobian.row_start[i + 1]; ++k) {
        const double value = q.jacobian.value[k] * scale_[i];
        rows[n + i].emplace_back(q.jacobian.column[k], value);
        rows[q.jacobian.column[k]].emplace_back(n + i, value);
      }
      rows[n + i].emplace_back(n + i, -regularisation_);
    }
    const SparseRows matrix = compressed(std::move(rows));
    lu_.emplace(n + m, matrix.row_start, matrix.column);
    n_ = n;
    return lu_->factor(matrix.value.data()) && (regularisation_ > 0 || lu_->reciprocal_condition() > least_condition);
  }

  void solve(const Quadratic& q, Vector& step, Vector& mu) override {
    Vector b(n_ + q.jacobian.rows);
    b << times(q.metric, q.deviation), -q.residual.cwiseProduct(scale_);
    lu_->solve(b.data());
    step = b.head(n_);
    mu = b.tail(q.jacobian.rows).cwiseProduct(scale_);
  }

  Vector correction(const Vector& c) override {
    Vector b(n_ + c.size());
    b << Vector::Zero(n_), -c.cwiseProduct(scale_);
    lu_->solve(b.data());
    return b.head(n_);
  }

 private:
  double regularisation_;
  std::optional<SparseLu> lu_;
  Vector scale_;
  int n_ = 0;
};

}  // namespace

std::unique_ptr<Subproblem> make_subproblem(bool dense, bool cautious) {
  if (dense) return std::make_unique<DenseSubproblem>(cautious ? nearly_redundant_row : redundant_row);
  return std::make_unique<SparseSubproblem>(cautious);
}

}  // namespace alembert::internal
