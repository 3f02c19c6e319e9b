#include "alembert/linear/sparse_system.h"

namespace alembert::internal {

SparseSystem::SparseSystem(WideKernel<double> equations, JacobianValues<double> matrix)
    : equations_(std::move(equations)),
      matrix_(std::move(matrix)),
      lu_(matrix_.size(), matrix_.row_start(), matrix_.column()),
      work_(equations_.work()) {}

bool SparseSystem::factor(const double* x) noexcept {
  matrix_.take(x);
  return lu_.factor(matrix_.values().data());
}

void SparseSystem::solve(const double* x, double* d) noexcept {
  equations_(x, d, work_.data());
  matrix_.scale_rows(d);
  lu_.solve(d);
  matrix_.scale_columns(d);
}

std::unique_ptr<LinearSystem<double>> SparseSystem::clone() const {
  return std::make_unique<SparseSystem>(equations_, matrix_);
}

void SparseSystem::bind(const double* parameters) noexcept {
  equations_.bind(parameters);
  matrix_.bind(parameters);
}

}  // namespace alembert::internal
