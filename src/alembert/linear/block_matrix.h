#pragma once

// The matrices of the two-matrix iteration, [M B; C 0] put together from blocks. Where M is diagonal (masses of
// particles) and S = -C M^{-1} B sparse, M is eliminated first: there is much less to read then. Else the whole is
// factorised, densely or sparsely.

#include <memory>
#include <optional>
#include <vector>

#include "alembert/expr/derivative.h"
#include "alembert/linear/linear.h"

namespace alembert::internal {

class BlockMatrix {
 public:
  /// A block with its first row and column, the place of its values among those given to factor(), and its sign.
  struct Placed {
    const SparseExprs* block;
    int row, column;
    int first;
    double sign;
  };
  /// n x n, M is lead x lead; at most `sides` right-hand sides at a time.
  BlockMatrix(int n, int lead, int sides, const std::vector<Placed>& blocks);
  BlockMatrix(const BlockMatrix& other);

  int size() const { return n_; }
  /// False when the matrix is singular or not finite.
  bool factor(const double* values);
  /// b becomes A^{-1} b; count right-hand sides one behind the other: the factors are read once for several.
  void solve(double* b, int count = 1) const;

  /// The factorisation; load() takes that of the same blocks (else InputError).
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Entries {  // by rows
    std::vector<int> row_start, column, from;
    std::vector<double> sign, value;
    void fill(const double* values);
  };
  bool separable(const std::vector<Placed>& blocks);
  Entries part(const std::vector<Placed>& blocks, int row, int rows, int column, int columns) const;
  bool factor_core(const std::vector<double>& values);
  void solve_core(double* b, int count) const;

  int n_, lead_;
  bool diagonal_ = false;  // M is eliminated
  Entries whole_;          // where it is not
  Entries M_, B_, C_;      // where it is; C_ holds C M^{-1}, M_ the inverse
  // S: of each product of an entry of C with one of B the entry of S that it belongs to.
  std::vector<int> S_start_, S_column_, S_target_;
  std::vector<double> S_value_;
  mutable std::vector<double> right_;  // right-hand sides of S, one behind the other
  // The whole, or S.
  int core_ = 0;
  const std::vector<int>& core_start() const { return diagonal_ ? S_start_ : whole_.row_start; }
  const std::vector<int>& core_column() const { return diagonal_ ? S_column_ : whole_.column; }
  void make_core();
  std::vector<double> full_;
  std::optional<DenseLu<double>> dense_;
  std::optional<SparseLu> sparse_;
};

}  // namespace alembert::internal
