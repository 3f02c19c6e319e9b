#include "alembert/solve/rank.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <utility>

namespace alembert {
namespace {

constexpr int largest_dense_analysis = 3000;  // rows and columns together

/// As analyse_rows, by a sparse QR of the transposed matrix: memory for what is not zero only.
RankReport analyse_sparse(const SparseRows& rows, double tolerance) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rows.rows; ++i) {
    double square = 0;
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) square += rows.value[k] * rows.value[k];
    const double scale = square > 0 ? 1 / std::sqrt(square) : 1;
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) {
      entries.emplace_back(rows.column[k], i, rows.value[k] * scale);
    }
  }
  Eigen::SparseMatrix<double> a(rows.columns, rows.rows);
  a.setFromTriplets(entries.begin(), entries.end());
  a.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>> qr;
  qr.setPivotThreshold(tolerance);
  qr.compute(a);
  RankReport report{static_cast<int>(qr.rank()), {}, {}};
  const Eigen::SparseMatrix<double> r = qr.matrixR();
  const auto order = qr.colsPermutation().indices();  // column k of R is column order[k] of a
  for (int k = report.rank; k < rows.rows; ++k) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(report.rank);
    for (Eigen::SparseMatrix<double>::InnerIterator it(r, k); it; ++it) {
      if (it.row() < report.rank) x[it.row()] = it.value();
    }
    for (int j = report.rank - 1; j >= 0; --j) {
      double pivot = 0;
      for (Eigen::SparseMatrix<double>::InnerIterator it(r, j); it; ++it) {
        if (it.row() == j) pivot = it.value();
      }
      x[j] /= pivot;
      for (Eigen::SparseMatrix<double>::InnerIterator it(r, j); it; ++it) {
        if (it.row() < j) x[it.row()] -= it.value() * x[j];
      }
    }
    std::vector<int> needed;
    for (int j = 0; j < report.rank; ++j) {
      if (std::abs(x[j]) > tolerance) needed.push_back(static_cast<int>(order[j]));
    }
    std::sort(needed.begin(), needed.end());
    report.dependent_rows.push_back(static_cast<int>(order[k]));
    report.follows_from.push_back(std::move(needed));
  }
  return report;
}

}  // namespace

RankReport analyse_rows(const SparseRows& rows, double tolerance) {
  if (!std::all_of(rows.value.begin(), rows.value.end(), [](double v) { return std::isfinite(v); }))
    return {rows.rows, {}, {}};
  if (rows.rows + rows.columns > largest_dense_analysis) return analyse_sparse(rows, tolerance);
  std::vector<double> dense(static_cast<std::size_t>(rows.rows) * rows.columns, 0.0);
  for (int i = 0; i < rows.rows; ++i) {
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) {
      dense[static_cast<std::size_t>(i) * rows.columns + rows.column[k]] += rows.value[k];
    }
  }
  return analyse_rows(rows.rows, rows.columns, dense.data(), tolerance);
}

}  // namespace alembert
