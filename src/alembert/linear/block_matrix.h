#pragma once

// The matrices of the two-matrix iteration, [M B; C 0] put together from blocks. Where M falls into small blocks
// (masses of particles, quaternions of bodies) and S = C M^{-1} B is sparse, M is eliminated first: there is much less
// to read then, and S is symmetric in mechanics. Else the whole is factorised, densely or sparsely.

#include <memory>
#include <optional>
#include <vector>

#include "alembert/expr/derivative.h"
#include "alembert/linear/linear.h"
#include "alembert/linear/sparse_ldl.h"

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
  /// False when the matrix is singular or not finite. Takes memory when a matrix is first met for which the symmetric
  /// factorisation does not serve, and then where SparseLu says so.
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
  /// The product of two matrices by rows, whose pattern never changes.
  struct Product {
    std::vector<int> row_start{0}, column;
    std::vector<int> target;  // of each product of entries, in the order of multiply(), its entry here
    std::vector<double> value;
    Product() = default;
    Product(const std::vector<int>& left_start, const std::vector<int>& left_column,
            const std::vector<int>& right_start, const std::vector<int>& right_column);
    void multiply(const std::vector<double>& left, const std::vector<int>& left_column,
                  const std::vector<double>& right, const std::vector<int>& right_start);
  };
  Entries part(const std::vector<Placed>& blocks, int row, int rows, int column, int columns) const;
  bool separate(const std::vector<Placed>& blocks);
  void find_mass_blocks();
  bool invert_masses();
  void make_ldl();
  bool factor_ldl();
  void make_general();
  bool factor_general(const std::vector<double>& values);
  void solve_core(double* b, int count) const;
  template <int sides>
  void solve_separated(double* b) const;

  int n_, lead_;
  bool separated_ = false;  // M is eliminated
  Entries whole_;           // where it is not
  Entries M_, B_, C_;       // where it is
  // The blocks of M, and its inverse by rows: in each row all columns of its block.
  std::vector<int> block_start_{0}, member_;
  std::vector<int> inverse_start_{0}, inverse_column_;
  std::vector<double> inverse_;
  Product T_, S_;                      // M^{-1} B, C M^{-1} B
  mutable std::vector<double> right_;  // right-hand sides of S, one behind the other
  // The whole, or S.
  int core_ = 0;
  const std::vector<int>& core_start() const { return separated_ ? S_.row_start : whole_.row_start; }
  const std::vector<int>& core_column() const { return separated_ ? S_.column : whole_.column; }
  std::optional<SparseLdl> ldl_;    // of S, where its pattern is symmetric
  std::vector<int> below_, above_;  // entries of S: of the lower triangle, and their mirror images
  std::vector<double> lower_;
  bool symmetric_ = false;  // the last factorisation is in ldl_
  std::vector<double> full_;
  std::optional<DenseLu<double>> dense_;  // else in one of these, made when first needed
  std::optional<SparseLu> sparse_;
};

}  // namespace alembert::internal
