#pragma once

// L D L^T of a sparse symmetric matrix without pivoting: of Gram matrices and of Schur complements, which are definite;
// and L D U of matrices near to those.

#include <vector>

namespace alembert::internal {

class ByteReader;
class ByteWriter;

/// The pattern is analysed once, in an order with little fill: the natural one where it has no more of it, as chains
/// and trees have, else that of AMD. All memory is taken by the constructor; factor and solve neither allocate nor
/// throw. One object serves one thread.
class SparseLdl {
 public:
  /// The lower triangle with its diagonal, by compressed rows: columns ascend in each row, the diagonal is its last.
  SparseLdl(int n, const std::vector<int>& row_start, const std::vector<int>& column);
  SparseLdl() = default;

  int size() const { return n_; }
  /// Multiplications of factor(), nearly.
  double cost() const;

  /// `values` in the order of `column`. Nothing is subtracted along pivots that are at most `vanished` times their
  /// diagonal entry: the rows behind them are what they were. Whether there is none of these.
  bool factor(const double* values, double vanished) noexcept;
  /// L D U of a matrix that has this pattern, and its mirror image, but other values there: `mirrored` holds, for each
  /// entry left of the diagonal, the one at its mirror image. False where a pivot is at most `vanished` times its
  /// diagonal entry in size, or no number; solve() must not be called then.
  bool factor(const double* values, const double* mirrored, double vanished) noexcept;
  /// D of the row of the matrix: what the rows eliminated before leave of its diagonal.
  double pivot(int row) const { return pivot_[place_[row]]; }
  /// b becomes A^{-1} b, where factor() said true; count right-hand sides one behind the other.
  void solve(double* b, int count = 1) const noexcept;

  /// The factors; load() takes those of the same pattern (else InputError).
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  template <int sides>
  void solve_together(double* b) const noexcept;
  template <int sides>
  void solve_chain(double* b) const noexcept;
  bool factor_chain(const double* values, const double* mirrored, double vanished) noexcept;
  void solve_from_both_ends(double* b) const noexcept;
  void analyse(const std::vector<int>& order, const std::vector<int>& row_start, const std::vector<int>& column);

  int n_ = 0;
  std::vector<int> order_, place_;       // order_[k]: the row that is eliminated as number k; place_: its inverse
  bool natural_ = true;                  // order_ is 0, 1, 2, ...
  bool chain_ = false;                   // and each row has the one before as its only neighbour: indices say nothing
  bool symmetric_ = true;                // the last factorisation: U is the mirror image of L
  std::vector<int> a_start_, a_column_;  // of the reordered matrix by rows, without its diagonal
  std::vector<int> a_from_, diagonal_;   // which of the values stands there; on the diagonal
  std::vector<int> a_mirror_;            // which of the mirrored values stands at the mirror image
  std::vector<int> row_start_, row_column_, row_entry_;  // L by rows: columns in the order of elimination, their place
  std::vector<int> column_start_, column_row_;           // L by columns
  std::vector<double> lower_, pivot_, inverse_;          // L by columns; D; 1/D, or 0 where it vanished
  std::vector<double> upper_;                            // U by rows, where it was ever another matrix than L
  std::vector<double> left_, above_;                     // the row in work, and the column; 0 between rows
  static constexpr int most_sides = 4;                   // that are solved together
  mutable std::vector<double> right_;                    // right-hand sides, reordered, one behind the other
};

}  // namespace alembert::internal
