#include "alembert/newton/predictor.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "alembert/base/bytes.h"
#include "alembert/base/processor.h"
#include "alembert/base/profile.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

/// Every row takes the place of the one before, the first that of u; u becomes what is left after the last, and sum the
/// sum of the new rows 0 to degree. stride: the length of a row, whole packs.
template <int rows, int degree>
inline __attribute__((always_inline)) void shift_and_sum(double* __restrict table, int stride, double* __restrict u,
                                                         double* __restrict sum) {
  for (int i = 0; i < stride; i += pack_width) {
    DoublePack left = *reinterpret_cast<const DoublePack*>(u + i);
    DoublePack total = left;
    for (int k = 0; k < rows; ++k) {
      DoublePack& own = *reinterpret_cast<DoublePack*>(table + k * stride + i);
      const DoublePack now = left;
      left = now - own;
      own = now;
      if (k > 0 && k <= degree) total += now;
    }
    *reinterpret_cast<DoublePack*>(u + i) = left;
    *reinterpret_cast<DoublePack*>(sum + i) = total;
  }
}

template <int rows>
inline __attribute__((always_inline)) void shift_all(double* table, int stride, int degree, double* u, double* sum) {
  switch (degree) {
    case 0: return shift_and_sum<rows, 0>(table, stride, u, sum);
    case 1: return shift_and_sum<rows, 1>(table, stride, u, sum);
    case 2: return shift_and_sum<rows, 2>(table, stride, u, sum);
    case 3: return shift_and_sum<rows, 3>(table, stride, u, sum);
    case 4: return shift_and_sum<rows, 4>(table, stride, u, sum);
    default: return shift_and_sum<rows, 5>(table, stride, u, sum);
  }
}

ALEMBERT_BEST_PROCESSOR
void shift_six_rows(double* table, int stride, int degree, double* u, double* sum) {
  shift_all<6>(table, stride, degree, u, sum);
}

/// As above, of three rows in a table of any stride, and without the sum.
ALEMBERT_BEST_PROCESSOR
void shift_three_rows(double* __restrict table, int stride, const double* __restrict u, int count) {
  int i = 0;
  for (; i + pack_width <= count; i += pack_width) {
    DoublePack left = *reinterpret_cast<const DoublePack*>(u + i);
    for (int k = 0; k < 3; ++k) {
      DoublePack& row = *reinterpret_cast<DoublePack*>(table + static_cast<std::ptrdiff_t>(k) * stride + i);
      const DoublePack now = left;
      left = now - row;
      row = now;
    }
  }
  for (; i < count; ++i) {
    double left = u[i];
    for (int k = 0; k < 3; ++k) left -= std::exchange(table[static_cast<std::ptrdiff_t>(k) * stride + i], left);
  }
}

int whole_packs(int unknowns) { return (unknowns + pack_width - 1) / pack_width * pack_width; }

}  // namespace

template <class T>
Predictor<T>::Predictor(int unknowns)
    : n_(unknowns),
      stride_(is_small(unknowns) ? whole_packs(unknowns) : unknowns),
      rows_(is_small(unknowns) ? most_rows : rows_of_large),
      table_(static_cast<std::size_t>(rows_) * stride_),
      beyond_(is_small(unknowns) ? stride_ : 0),
      next_(beyond_.size()) {}

template <class T>
void Predictor<T>::clear() noexcept {
  count_ = 0;
  degree_ = 0;
  predicted_ = false;
}

/// Rows of the table that the next solution reaches.
template <class T>
int Predictor<T>::filled() const {
  return static_cast<int>(std::min<long>(count_ + 1, rows_));
}

template <class T>
template <class Work>
void Predictor<T>::by_blocks(Work work) const {
  for (int from = 0; from < n_; from += block) work(from, std::min(block, n_ - from));
}

template <class T>
void Predictor<T>::last(T* u) const noexcept {
  std::copy_n(table_.data(), n_, u);
}

template <class T>
void Predictor<T>::predict(T* __restrict u) const noexcept {
  const During predicting(Activity::prediction);
  if (predicted_) {
    std::copy_n(next_.data(), n_, u);
    return;
  }
  by_blocks([&](int from, int count) {
    std::copy_n(table_.data() + from, count, u + from);
    for (int k = 1; k <= degree_; ++k) {
      const T* __restrict difference = row(k) + from;
      for (int i = 0; i < count; ++i) u[from + i] += difference[i];
    }
  });
}

template <class T>
void Predictor<T>::learn(const T* u) noexcept {
  const During predicting(Activity::prediction);
  // Row k of the table becomes the k-th backward difference at the new step; what is left after row k is the error
  // that a prediction of degree k would have made.
  const bool look = count_ < 2 * rows_ || count_ % look_every == 0;
  const int rows = filled();
  if constexpr (std::is_same_v<T, double>) {
    static_assert(most_rows == 6);
    if (!look && rows == most_rows && !beyond_.empty()) {
      std::copy_n(u, n_, beyond_.begin());
      shift_six_rows(table_.data(), stride_, degree_, beyond_.data(), next_.data());
      predicted_ = true;
      ++count_;
      return;
    }
    static_assert(rows_of_large == 3);
    if (!look && rows == rows_of_large && beyond_.empty()) {
      shift_three_rows(table_.data(), stride_, u, n_);
      ++count_;
      return;
    }
  }
  predicted_ = false;
  std::array<T, most_rows> error{};  // squared, by degree
  by_blocks([&](int from, int count) {
    std::array<T, block> left_block;
    T* __restrict left = left_block.data();
    std::copy_n(u + from, count, left);
    for (int k = 0; k < rows; ++k) {
      T* __restrict own = row(k) + from;
      for (int i = 0; i < count; ++i) {
        const T now = left[i];
        left[i] = now - own[i];
        own[i] = now;
      }
      if (!look || k >= count_) continue;
      for (int i = 0; i < count; ++i) error[k] += left[i] * left[i];
    }
    if (!beyond_.empty()) std::copy_n(left, count, beyond_.begin() + from);
  });
  for (int k = 0; look && k < rows && k < count_; ++k)
    if (k == 0 || error[k] < error[degree_]) degree_ = k;
  ++count_;
}

template <class T>
void Predictor<T>::unlearn() noexcept {
  if (count_ == 0 || beyond_.empty()) return;
  --count_;
  predicted_ = false;
  const int rows = filled();
  for (int k = 0; k < rows; ++k) {
    T* const own = row(k);
    const T* const next = k + 1 < rows ? row(k + 1) : beyond_.data();
    for (int i = 0; i < n_; ++i) own[i] -= next[i];  // what fills up the packs stays 0
  }
  degree_ = std::min(degree_, static_cast<int>(std::max<long>(count_ - 1, 0)));
}

template <class T>
void Predictor<T>::save(ByteWriter& out) const {
  out.write(n_);
  out.write(degree_);
  out.write(count_);
  out.write(table_);
  out.write(beyond_);
}

template <class T>
void Predictor<T>::load(ByteReader& in) {
  if (in.read<int>() != n_) throw InputError("the saved state has another number of unknowns");
  in.read(degree_);
  in.read(count_);
  in.refill(table_);
  in.refill(beyond_);
  predicted_ = false;
}

template class Predictor<double>;
template class Predictor<Quad>;

}  // namespace alembert::internal
