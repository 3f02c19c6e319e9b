#pragma once

// Numbers for the dense linear algebra of the start.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "alembert/base/finite.h"
#include "alembert/linear/sparse_rows.h"

namespace alembert::internal {

inline Eigen::MatrixXd to_dense(const SparseRows& a) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows, a.columns);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) result(i, a.column[k]) += a.value[k];
  }
  return result;
}

inline double max_abs(const std::vector<double>& values) {
  double result = 0;
  for (const double v : values) result = std::max(result, std::abs(v));
  return result;
}

/// Entries of a null vector below this share of its largest are rounding, and are not named.
inline constexpr double named_entry = 1e-8;

/// Numbers spread over [-1/2, 1/2), the same on every machine (Marsaglia's xorshift).
class Scatter {
 public:
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0 - 0.5;  // 53 bits, over 2^53
  }

 private:
  std::uint64_t state_ = 88172645463325252u;  // the seed of Marsaglia's paper
};

}  // namespace alembert::internal
