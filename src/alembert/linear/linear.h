#pragma once

// Linear algebra for Newton: small dense and large sparse factorisations that allocate once and then never again,
// and a rank analysis that says which rows follow from which.

#include <memory>
#include <vector>

#include "alembert/numerics.h"

namespace alembert::internal {

class ByteReader;
class ByteWriter;

/// P S A = L U for a dense n x n matrix: S divides each row by the power of two next to its largest entry (exact), P
/// are partial pivots. All memory is taken by the constructor; factor and solve neither allocate nor throw. The same
/// program gives the same bits on every processor. Instantiated for double and Quad.
template <class T>
class DenseLu {
 public:
  explicit DenseLu(int n = 0);

  int size() const { return n_; }

  /// Takes n x n entries, row after row. False when a pivot is exactly zero or anything is not finite: then
  /// smallest_pivot_row and smallest_pivot_column say where it stopped, and solve must not be called.
  bool factor(const T* a);

  /// b becomes A^{-1} b.
  void solve(T* b) const;

  /// The smallest |u_kk| relative to the largest entry of its column of S A: near 1 for a healthy matrix, near the
  /// rounding unit where rank is lost, 0 after a failed factor. A warning sign, not a condition number.
  T smallest_pivot() const { return smallest_pivot_; }
  /// The equation (row of A) and the unknown (column of A) that met in that pivot; -1 before the first factor.
  int smallest_pivot_row() const { return smallest_pivot_row_; }
  int smallest_pivot_column() const { return smallest_pivot_column_; }

  /// The factors; load() takes those of a matrix of the same size (else InputError).
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  int n_ = 0;
  int stride_ = 0;                 // length of a stored row: n rounded up to whole packs, padded with zeros
  std::vector<T> upper_;           // U by rows; what stands left of the diagonal is not used
  std::vector<T> lower_;           // L by columns, without its unit diagonal
  std::vector<T> row_scale_;       // S
  std::vector<T> column_largest_;  // largest entry of each column of S A
  std::vector<T> pivot_inverse_;
  std::vector<int> swap_;   // step k exchanged the rows k and swap_[k]
  std::vector<int> order_;  // order_[k]: the row of A that now is row k
  T smallest_pivot_ = 0;
  int smallest_pivot_row_ = -1;
  int smallest_pivot_column_ = -1;
};

extern template class DenseLu<double>;
extern template class DenseLu<Quad>;

/// LU of a sparse n x n matrix whose pattern never changes (SuiteSparse KLU: block triangular form, fill-reducing
/// order, rows scaled). The pattern is analysed once; the first factor chooses pivots, later ones keep them as long as
/// they are good and choose anew when they are not. While pivots are kept, factor neither allocates nor throws; solve
/// never does. One object serves one thread.
class SparseLu {
 public:
  /// Compressed rows: the entries of row i stand at row_start[i] .. row_start[i+1]-1, with their columns in `column`
  /// (in any order, each at most once in a row). Throws std::logic_error when that is not so.
  SparseLu(int n, const std::vector<int>& row_start, const std::vector<int>& column);
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  int size() const;

  /// `values` in the order of `column`. False when the matrix is singular or has an entry that is not finite; solve
  /// must not be called then, a later factor may well succeed.
  bool factor(const double* values);

  /// The next factor chooses pivots.
  void forget_pivots();

  /// b becomes A^{-1} b; count right-hand sides one behind the other.
  void solve(double* b, int count = 1) const;

  /// min |u_kk| / max |u_kk|: a cheap and rough estimate of 1 / condition; 0 after a failed factor.
  double reciprocal_condition() const;
  /// The rank that the pattern allows: less than n means singular whatever the values are.
  int structural_rank() const;
  /// The column where the last factor found no pivot; -1 when there was one everywhere, or none could be named.
  int singular_column() const;
  /// How often pivots were chosen, 1 after the first factor.
  int pivotings() const;

  /// The matrix at which pivots were chosen and the last one. load() factorises them again, in a SparseLu of the same
  /// pattern: what follows has the same bits as if it had gone on. InputError where sizes differ.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Klu;
  std::unique_ptr<Klu> klu_;
};

/// Which rows of a matrix follow from rows before them.
struct RankReport {
  int rank = 0;
  std::vector<int> dependent_rows;             // ascending; rank + their number = m
  std::vector<std::vector<int>> follows_from;  // for each dependent row the earlier independent rows that it needs
};

/// Goes through the rows of the m x n matrix (row after row) in order, each scaled to unit length, and calls a row
/// dependent when its distance to the span of the earlier ones is at most `tolerance`. It "needs" an earlier row when
/// that distance would exceed the tolerance without it; a zero row needs none. Entries must be finite
/// (std::logic_error). Costs m n rank operations at most, far fewer for sparse rows.
RankReport analyse_rows(int m, int n, const double* a, double tolerance = 1e-10);

}  // namespace alembert::internal
