#include "alembert/base/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Orthogonal = Eigen::CompleteOrthogonalDecomposition<Matrix>;

Eigen::Map<const Matrix> matrix(const DenseView& a) { return {a.data, a.rows, a.columns}; }
Eigen::Map<const Vector> vector(const DenseView& a) { return {a.data, a.rows}; }

std::vector<double> numbers(const Matrix& a) { return {a.data(), a.data() + a.size()}; }

}  // namespace

void least_squares(const DenseView& A, const DenseView& b, double* x) {
  Eigen::Map<Vector>(x, A.columns) = Orthogonal(Matrix(matrix(A))).solve(Vector(vector(b)));
}

void pseudo_inverse(const DenseView& A, double* inverse) {
  const Matrix identity = Matrix::Identity(A.rows, A.rows);
  Eigen::Map<Matrix>(inverse, A.columns, A.rows) = Orthogonal(Matrix(matrix(A))).solve(identity);
}

void solve_regular(const DenseView& A, const DenseView& b, double* x) {
  Eigen::Map<Vector>(x, A.columns) = Eigen::PartialPivLU<Matrix>(Matrix(matrix(A))).solve(Vector(vector(b)));
}

std::vector<int> independent_columns(const DenseView& A, double threshold) {
  Eigen::ColPivHouseholderQR<Matrix> qr{Matrix(matrix(A))};
  qr.setThreshold(threshold);
  const auto& order = qr.colsPermutation().indices();
  return {order.data(), order.data() + qr.rank()};
}

std::vector<double> null_space(const DenseView& A, double threshold) {
  Eigen::FullPivLU<Matrix> lu{Matrix(matrix(A))};
  lu.setThreshold(threshold);
  if (lu.rank() == A.columns) return {};
  return numbers(lu.kernel());
}

SymmetricEigen symmetric_eigen(const DenseView& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver{Matrix(matrix(A))};
  return {solver.info() == Eigen::Success, numbers(solver.eigenvalues()), numbers(solver.eigenvectors())};
}

SymmetricEigen gram_eigen(const DenseView& A) { return symmetric_eigen(Matrix(matrix(A) * matrix(A).transpose())); }

SingularValues singular_values(const DenseView& A) {
  check(A.rows == A.columns, "singular values are asked of a square matrix");  // others need a preconditioner
  const Eigen::JacobiSVD<Matrix, Eigen::NoQRPreconditioner> svd(Matrix(matrix(A)),
                                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {numbers(svd.singularValues()), numbers(svd.matrixU())};
}

struct FullPivotLu::Factors {
  Eigen::FullPivLU<Matrix> lu;
};

FullPivotLu::FullPivotLu() : factors_(std::make_unique<Factors>()) {}
FullPivotLu::~FullPivotLu() = default;
FullPivotLu::FullPivotLu(FullPivotLu&&) noexcept = default;
FullPivotLu& FullPivotLu::operator=(FullPivotLu&&) noexcept = default;

void FullPivotLu::factor(const DenseView& A) { factors_->lu.compute(Matrix(matrix(A))); }
double FullPivotLu::smallest_pivot() const { return factors_->lu.matrixLU().diagonal().cwiseAbs().minCoeff(); }
double FullPivotLu::largest_pivot() const { return factors_->lu.maxPivot(); }
void FullPivotLu::solve(const DenseView& b, double* x) const {
  Eigen::Map<Vector>(x, factors_->lu.cols()) = factors_->lu.solve(Vector(vector(b)));
}

}  // namespace alembert::internal
