#include "alembert/start/limit.h"

#include <Eigen/Core>
#include <Eigen/SVD>
#include <cmath>

#include "alembert/start/differentiable.h"

namespace alembert::internal {

namespace {

using Matrix = Eigen::MatrixXd;

constexpr double tolerance = 1e-9;  // of singular values, rows having unit length

Matrix dense(const SparseRows& rows) {
  Matrix a = Matrix::Zero(rows.rows, rows.columns);
  for (int i = 0; i < rows.rows; ++i)
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) a(i, rows.column[k]) += rows.value[k];
  return a;
}

void unit_rows(Matrix& E, Matrix& A) {
  for (Eigen::Index i = 0; i < E.rows(); ++i) {
    const double e = E.row(i).norm(), both = std::hypot(e, A.row(i).norm());
    // A row counts by its derivatives where it has any: heavy and light bodies are alike.
    const double size = e > 1e-200 ? e : both;
    if (size > 0) E.row(i) /= size, A.row(i) /= size;
  }
}

}  // namespace

std::optional<int> differentiation_index(const Equations& e, const State& state,
                                         const std::vector<double>& multipliers) {
  // E x' = A x + ... with x = (y, z, lambda, psi), from F(x', x) = (y' - v, reduced rows of motion, g, k).
  const std::size_t n_y = e.y.size(), n_z = e.z.size();
  Exprs x = e.y, F = e.v;
  for (const Exprs* list : {&e.z, &e.lambda, &e.psi}) x.insert(x.end(), list->begin(), list->end());
  const Exprs zeros(n_z, e.graph->constant(0));
  const Exprs motion(e.reduced.begin(), e.reduced.begin() + static_cast<long>(n_z));
  const Exprs forces = substitute(motion, e.z_dot, zeros, *e.graph);
  for (const Exprs* list : {&forces, &e.g, &e.k}) F.insert(F.end(), list->begin(), list->end());
  Exprs inputs = {e.t};
  inputs.insert(inputs.end(), x.begin(), x.end());
  std::vector<double> in = flat(state);
  in.insert(in.end(), multipliers.begin(), multipliers.end());
  const Matrix slopes = dense(DifferentiableList(inputs, F, x).derivative(in));
  const Matrix mass = dense(DifferentiableList(inputs, e.p, e.z).derivative(in));
  const Eigen::Index n = static_cast<Eigen::Index>(x.size());
  Matrix E = Matrix::Zero(n, n), A = slopes;
  E.topLeftCorner(n_y, n_y).setIdentity();
  E.block(n_y, n_y, n_z, n_z) = mass;
  if (!E.allFinite() || !A.allFinite()) return {};

  // Shuffle: rows without derivatives are differentiated until none is left.
  for (int index = 0; index <= static_cast<int>(n); ++index) {
    unit_rows(E, A);
    const Eigen::JacobiSVD<Matrix> svd(E, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const auto& sigma = svd.singularValues();
    Eigen::Index rank = 0;
    while (rank < n && sigma[rank] > tolerance) ++rank;
    if (rank == n) return index;
    const Matrix U = svd.matrixU().transpose();
    E = U * E;
    A = U * A;
    E.bottomRows(n - rank) = A.bottomRows(n - rank);
    A.bottomRows(n - rank).setZero();
    for (Eigen::Index i = rank; i < n; ++i)
      if (E.row(i).norm() < tolerance) return {};
  }
  return {};
}

}  // namespace alembert::internal
