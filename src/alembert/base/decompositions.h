#pragma once

// Dense decompositions that are made once in a while (starts, contacts, checks), behind plain numbers: Eigen's
// templates for them are compiled in one source only, which would else be a third of the time that the library takes to
// build.

#include <concepts>
#include <memory>
#include <vector>

namespace alembert::internal {

/// A dense matrix, column after column, that somebody else owns; a vector is a matrix of one column.
struct DenseView {
  const double* data;
  long rows, columns;

  DenseView(const double* first, long row_count, long column_count)
      : data(first), rows(row_count), columns(column_count) {}
  /// Of Eigen's matrices and vectors. Not of their parts, whose columns do not follow one another.
  template <class M>
  requires std::same_as<M, typename M::PlainObject> &&(!M::IsRowMajor || M::IsVectorAtCompileTime) DenseView(const M& m)
      : data(m.data()), rows(m.rows()), columns(m.cols()) {}
};

/// The x of least |A x - b|, and of those the shortest (complete orthogonal decomposition, rank by rounding).
void least_squares(const DenseView& A, const DenseView& b, double* x);
template <class Vector>
Vector least_squares(const DenseView& A, const Vector& b) {
  Vector x(A.columns);
  least_squares(A, DenseView(b), x.data());
  return x;
}

/// Moore and Penrose's, by the same decomposition; columns x rows numbers.
void pseudo_inverse(const DenseView& A, double* inverse);

/// The x of A x = b for a square, regular A (LU with partial pivoting); not finite where A is singular. b may be x.
void solve_regular(const DenseView& A, const DenseView& b, double* x);

/// Columns of A that are independent, that which matters most first: as many as the rank, which pivots of a
/// Householder QR above `threshold` of the largest make.
std::vector<int> independent_columns(const DenseView& A, double threshold);

/// A basis of what A maps to zero, column after column, by LU with full pivoting; empty for full column rank. Pivots
/// below `threshold` of the largest count as zero.
std::vector<double> null_space(const DenseView& A, double threshold);

struct SymmetricEigen {
  bool converged = false;
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // of length 1, one after the other
};
/// Of the lower half of a square matrix.
SymmetricEigen symmetric_eigen(const DenseView& A);
/// Of A A^T.
SymmetricEigen gram_eigen(const DenseView& A);

/// A = U diag(values) V^T of a square matrix, without V.
struct SingularValues {
  std::vector<double> values;  // descending
  std::vector<double> U;       // column after column
};
SingularValues singular_values(const DenseView& A);

/// LU with full pivoting, for matrices whose regularity is in doubt.
class FullPivotLu {
 public:
  FullPivotLu();
  ~FullPivotLu();
  FullPivotLu(FullPivotLu&&) noexcept;
  FullPivotLu& operator=(FullPivotLu&&) noexcept;

  void factor(const DenseView& A);
  double smallest_pivot() const;
  double largest_pivot() const;
  void solve(const DenseView& b, double* x) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace alembert::internal
