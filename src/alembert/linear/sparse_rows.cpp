#include "alembert/linear/sparse_rows.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace alembert::internal {
namespace {

constexpr int largest_block = 2000;  // of a metric that is factorised densely

/// The unknowns that the pattern connects, as lists.
std::vector<std::vector<int>> blocks_of(const SparseRows& a) {
  std::vector<int> parent(a.rows);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      if (a.value[k] != 0) parent[root(a.column[k])] = root(i);
    }
  }
  std::vector<int> number(a.rows, -1);
  std::vector<std::vector<int>> blocks;
  for (int i = 0; i < a.rows; ++i) {
    const int r = root(i);
    if (number[r] < 0) {
      number[r] = static_cast<int>(blocks.size());
      blocks.emplace_back();
    }
    blocks[number[r]].push_back(i);
  }
  return blocks;
}

}  // namespace

SparseRows identity_rows(int n) {
  SparseRows result{n, n, std::vector<int>(n + 1), std::vector<int>(n), std::vector<double>(n, 1.0)};
  std::iota(result.row_start.begin(), result.row_start.end(), 0);
  std::iota(result.column.begin(), result.column.end(), 0);
  return result;
}

SparseRows metric_from(const SparseRows& matrix, bool invert) {
  const int n = matrix.rows;
  std::vector<std::vector<std::pair<int, double>>> rows(n);
  std::vector<int> position(n);
  for (const std::vector<int>& block : blocks_of(matrix)) {
    const int size = static_cast<int>(block.size());
    for (int i = 0; i < size; ++i) position[block[i]] = i;
    if (size > largest_block) {
      for (const int i : block) {
        for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
          const bool diagonal = matrix.column[k] == i;
          if (diagonal && !(matrix.value[k] > 0 && std::isfinite(matrix.value[k]))) return {};
          if (!invert) rows[i].emplace_back(matrix.column[k], matrix.value[k]);
          if (invert && diagonal) rows[i].emplace_back(i, 1 / matrix.value[k]);
        }
        if (rows[i].empty()) return {};
      }
      continue;
    }
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(size, size);
    for (int i = 0; i < size; ++i) {
      for (int k = matrix.row_start[block[i]]; k < matrix.row_start[block[i] + 1]; ++k) {
        if (matrix.value[k] != 0) a(i, position[matrix.column[k]]) = matrix.value[k];
      }
    }
    if (!a.allFinite() || (a.diagonal().array() <= 0).any()) return {};
    const Eigen::VectorXd d = a.diagonal().cwiseSqrt().cwiseInverse();  // masses may differ by many orders
    const Eigen::MatrixXd scaled = d.asDiagonal() * a * d.asDiagonal();
    if ((scaled - scaled.transpose()).cwiseAbs().maxCoeff() > 1e-9) return {};
    const Eigen::LLT<Eigen::MatrixXd> factor(scaled);
    if (factor.info() != Eigen::Success || factor.rcond() < 1e-14) return {};
    if (invert) {
      a = size == 1
              ? Eigen::MatrixXd(a.cwiseInverse())
              : Eigen::MatrixXd(d.asDiagonal() * factor.solve(Eigen::MatrixXd::Identity(size, size)) * d.asDiagonal());
    }
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        if (a(i, j) != 0) rows[block[i]].emplace_back(block[j], (a(i, j) + a(j, i)) / 2);
      }
    }
  }
  SparseRows result{n, n, {0}, {}, {}};
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      result.column.push_back(column);
      result.value.push_back(value);
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

}  // namespace alembert::internal
