#include "alembert/newton/predictor.h"

#include <algorithm>
#include <array>

#include "alembert/base/bytes.h"

namespace alembert::internal {

template <class T>
Predictor<T>::Predictor(int unknowns)
    : n_(unknowns),
      rows_(is_small(unknowns) ? most_rows : rows_of_large),
      table_(static_cast<std::size_t>(rows_) * unknowns),
      beyond_(is_small(unknowns) ? unknowns : 0) {}

template <class T>
void Predictor<T>::clear() noexcept {
  count_ = 0;
  degree_ = 0;
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
  // Row k of the table becomes the k-th backward difference at the new step; what is left after row k is the error
  // that a prediction of degree k would have made.
  const bool look = count_ < 2 * rows_ || count_ % look_every == 0;
  const int rows = filled();
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
  const int rows = filled();
  for (int k = 0; k < rows; ++k) {
    T* const own = row(k);
    const T* const next = k + 1 < rows ? row(k + 1) : beyond_.data();
    for (int i = 0; i < n_; ++i) own[i] -= next[i];
  }
  degree_ = std::min(degree_, static_cast<int>(std::max<long>(count_ - 1, 0)));
}

template <class T>
void Predictor<T>::save(ByteWriter& out) const {
  out.write(degree_);
  out.write(count_);
  out.write(table_);
  out.write(beyond_);
}

template <class T>
void Predictor<T>::load(ByteReader& in) {
  in.read(degree_);
  in.read(count_);
  in.refill(table_);
  in.refill(beyond_);
}

template class Predictor<double>;
template class Predictor<Quad>;

}  // namespace alembert::internal
