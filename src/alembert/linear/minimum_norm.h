#pragma once

// Newton's matrix where it has lost rank: constraints that depend on each other, singular positions.

#include <vector>

namespace alembert::internal {

class ByteReader;
class ByteWriter;

/// Rank-revealing factorisation of a dense n x n matrix A (Householder QR with column pivots of A with rows and columns
/// scaled to 1). Of all corrections that satisfy A d = b as well as can be it takes the one that leaves the smallest
/// multipliers and changes the other unknowns least, or with Cut::gap the one that changes the multipliers least: close
/// to a singular position they go on as predicted, and the motion with them. All memory is taken by the constructor;
/// factor and solve neither allocate nor throw. Instantiated for double and Quad.
template <class T>
class MinimumNorm {
 public:
  /// multiplier[j]: column j belongs to a multiplier.
  explicit MinimumNorm(std::vector<bool> multiplier);

  /// What counts as zero among the pivots: rounding only (constraints that always depend on each other), or also what
  /// falls far behind the other pivots (close to a position in which they do).
  enum class Cut { rounding, gap };

  /// Takes n x n entries, row after row. False when anything is not finite; solve must not be called then.
  bool factor(const T* a, Cut cut);
  int rank() const { return rank_; }
  /// The last pivot relative to the first: near 1 for a healthy matrix.
  T smallest_pivot() const;

  /// b becomes the correction d: x - d is the next iterate.
  void solve(T* b, const T* x);

  /// The factors; load() takes those of a matrix of the same size (else InputError).
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void choose_rank();
  void find_null_space();
  void solve_triangle(T* b);
  T* column(int k) { return qr_.data() + static_cast<std::size_t>(k) * n_; }

  int n_ = 0, rank_ = 0;
  Cut cut_ = Cut::rounding;
  std::vector<bool> multiplier_;
  std::vector<T> qr_;                                 // by columns: R above, the reflections below and on the diagonal
  std::vector<T> diagonal_, length_, left_;           // of R; of the reflections, squared; columns still to come
  std::vector<T> row_scale_, column_scale_, weight_;  // weight_: in which the correction is the smallest
  std::vector<int> order_;                            // order_[k]: the column of A that became column k
  std::vector<T> null_, basis_, triangle_;            // of A; its weighted, orthonormal form W N = B C
  std::vector<T> work_, wish_, share_;
};

}  // namespace alembert::internal
