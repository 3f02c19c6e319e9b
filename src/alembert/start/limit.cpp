#include "alembert/start/limit.h"

#include <cmath>

#include "alembert/base/decompositions.h"
#include "alembert/base/lists.h"
#include "alembert/start/dense.h"

namespace alembert::internal {

namespace {

using Matrix = Eigen::MatrixXd;

/// Of singular values, rows having unit length: far above the rounding of a few differentiations (each multiplies it by
/// the condition of the matrix before), far below what a model has on purpose.
constexpr double tolerance = 1e-9;
/// A row of derivatives below this is empty: it holds no number that a model could mean.
constexpr double nothing = 1e-200;

/// A row counts by its derivatives where it has any: heavy and light bodies are alike.
void unit_rows(Matrix& E, Matrix& A) {
  for (Eigen::Index i = 0; i < E.rows(); ++i) {
    const double derivatives = E.row(i).norm();
    const double size = derivatives > nothing ? derivatives : std::hypot(derivatives, A.row(i).norm());
    if (!(size > 0)) continue;
    E.row(i) /= size;
    A.row(i) /= size;
  }
}

Exprs all_unknowns(const Equations& e) { return joined<Expr>(e.y, e.z, e.lambda, e.psi); }

/// The right sides of y' = v, p_z z' = ..., 0 = g, 0 = k up to their signs.
Exprs right_sides(const Equations& e) {
  const Exprs motion(e.reduced.begin(), e.reduced.begin() + static_cast<long>(e.z.size()));
  const Exprs zeros(e.z.size(), e.graph->constant(0));
  return joined<Expr>(e.v, substitute(motion, e.z_dot, zeros, *e.graph), e.g, e.k);
}

/// The index of E x' = A x by shuffling: rows without derivatives are differentiated until none is left.
std::optional<int> shuffled_index(Matrix E, Matrix A) {
  const Eigen::Index n = E.rows();
  for (int index = 0; index <= static_cast<int>(n); ++index) {
    unit_rows(E, A);
    const SingularValues svd = singular_values(E);
    Eigen::Index rank = 0;
    while (rank < n && svd.values[static_cast<std::size_t>(rank)] > tolerance) ++rank;
    if (rank == n) return index;
    const Matrix U = Eigen::Map<const Matrix>(svd.U.data(), n, n).transpose();
    E = U * E;
    A = U * A;
    E.bottomRows(n - rank) = A.bottomRows(n - rank);
    A.bottomRows(n - rank).setZero();
    for (Eigen::Index i = rank; i < n; ++i)
      if (E.row(i).norm() < tolerance) return {};
  }
  return {};
}

}  // namespace

DifferentiationIndex::DifferentiationIndex(const Equations& e)
    : n_y_(e.y.size()),
      n_z_(e.z.size()),
      right_(joined<Expr>(e.t, all_unknowns(e)), right_sides(e), all_unknowns(e)),
      mass_(joined<Expr>(e.t, all_unknowns(e)), e.p, e.z) {}

std::optional<int> DifferentiationIndex::at(const State& state, const std::vector<double>& multipliers) const {
  const std::vector<double> in = joined<double>(flat(state), multipliers);
  const Matrix A = to_dense(right_.derivative(in));
  Matrix E = Matrix::Zero(A.rows(), A.cols());
  E.topLeftCorner(n_y_, n_y_).setIdentity();
  E.block(n_y_, n_y_, n_z_, n_z_) = to_dense(mass_.derivative(in));
  if (!E.allFinite() || !A.allFinite()) return {};
  return shuffled_index(std::move(E), A);
}

void DifferentiationIndex::bind(const double* parameters) {
  right_.bind(parameters);
  mass_.bind(parameters);
}

}  // namespace alembert::internal
