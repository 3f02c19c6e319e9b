#pragma once

// Where Newton starts: the unknowns of the next step, predicted from those of the last ones.

#include <vector>

#include "alembert/numerics.h"

namespace alembert::internal {

class ByteReader;
class ByteWriter;

/// Extrapolates by backward differences: a polynomial through the last solutions, exact where they lie on one. Its
/// degree is the one that would have served best; it is looked for now and then only, since it hardly changes. Equal
/// steps are assumed; those that change smoothly do no harm. Allocates only when made. Instantiated for double and
/// Quad.
template <class T>
class Predictor {
 public:
  explicit Predictor(int unknowns);

  /// Vectors of so many unknowns stay in the caches: only for these the history is long, and unlearn() works.
  static bool is_small(int unknowns) { return unknowns < 2000; }

  void clear() noexcept;
  bool empty() const noexcept { return count_ == 0; }
  /// What the next u may be; u must not be empty().
  void predict(T* u) const noexcept;
  /// The u that was learnt last.
  void last(T* u) const noexcept;
  void learn(const T* u) noexcept;
  /// Takes the last learn() back, once; nothing for systems that are not small.
  void unlearn() noexcept;

  int degree() const noexcept { return degree_; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  /// Predictions of a higher degree never served better on smooth motions in double precision: the differences are
  /// rounding by then. Large vectors only stream through memory, where each row costs as much as the equations.
  static constexpr int most_rows = 6;
  static constexpr int rows_of_large = 3;
  static constexpr int block = 256;      // a block of all rows stays in the nearest cache
  static constexpr int look_every = 16;  // steps between two looks for the best degree

  T* row(int k) { return table_.data() + static_cast<std::size_t>(k) * stride_; }
  const T* row(int k) const { return table_.data() + static_cast<std::size_t>(k) * stride_; }
  int filled() const;
  template <class Work>
  void by_blocks(Work work) const;

  int n_;
  int stride_;  // of the table: n, of small systems filled up to whole packs
  int rows_;
  int degree_ = 0;
  long count_ = 0;         // steps learnt from
  std::vector<T> table_;   // row k: the k-th backward difference at the last step
  std::vector<T> beyond_;  // the difference that follows the last row, for unlearn()
  std::vector<T> next_;    // the prediction, where it was made while learning
  bool predicted_ = false;
};

}  // namespace alembert::internal
