#include "alembert/linear/minimum_norm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alembert/base/bytes.h"
#include "alembert/base/magnitude.h"
#include "alembert/numerics.h"

namespace alembert::internal {

namespace {

// Pivots below this are rounding.
constexpr double rounding_cut = 1e-11;
// Pivots below this that fall behind the one before by that factor belong to directions which are nearly lost: what the
// constraints would say about them is smaller than the rounding of what they say. At the distance s from a singular
// position they are about s^2, once for the constraint and once for its reaction.
constexpr double gap_cut = 1e-9, gap = 1000;
// What unknowns other than multipliers weigh where the multipliers are to go on as predicted.
constexpr double free_weight = 1e-5;

// By Newton from the double: enough for any precision here.
template <class T>
T root(T x) {
  if (!(x > 0)) return T(0);
  T y = T(std::sqrt(static_cast<double>(x)));
  if (!(y > 0)) return T(0);
  y = (y + x / y) / 2;
  return (y + x / y) / 2;
}

// Four sums side by side: one alone waits for itself.
template <class T>
T product(const T* a, const T* b, int n) {
  T sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

template <class T>
MinimumNorm<T>::MinimumNorm(std::vector<bool> multiplier)
    : n_(static_cast<int>(multiplier.size())), multiplier_(std::move(multiplier)) {
  const std::size_t square = static_cast<std::size_t>(n_) * n_;
  for (auto* list : {&qr_, &null_, &basis_, &triangle_}) list->resize(square);
  for (auto* list : {&diagonal_, &length_, &left_, &row_scale_, &column_scale_, &weight_, &work_, &wish_, &share_})
    list->resize(n_);
  order_.resize(n_);
}

template <class T>
bool MinimumNorm<T>::factor(const T* a, Cut cut) {
  const int n = n_;
  rank_ = 0;
  cut_ = cut;
  std::fill(column_scale_.begin(), column_scale_.end(), T(0));
  for (int i = 0; i < n; ++i) {
    T largest = 0;
    for (int j = 0; j < n; ++j) {
      const T value = a[static_cast<std::size_t>(i) * n + j];
      if (!(value - value == 0)) return false;
      largest = std::max(largest, magnitude(value));
    }
    row_scale_[i] = largest > 0 ? 1 / largest : T(1);
    for (int j = 0; j < n; ++j)
      column_scale_[j] = std::max(column_scale_[j], magnitude(a[static_cast<std::size_t>(i) * n + j]) * row_scale_[i]);
  }
  // Multipliers are compared as they are, the others by what they do.
  T common = 0;
  for (int j = 0; j < n; ++j)
    if (multiplier_[j]) common = std::max(common, column_scale_[j]);
  for (int j = 0; j < n; ++j) {
    const T largest = column_scale_[j];
    weight_[j] = multiplier_[j] ? (common > 0 ? common : T(1)) : (largest > 0 ? largest : T(1));
    if (cut == Cut::gap && !multiplier_[j]) weight_[j] *= T(free_weight);
    column_scale_[j] = largest > 0 ? 1 / largest : T(1);
    T* to = column(j);
    for (int i = 0; i < n; ++i) to[i] = a[static_cast<std::size_t>(i) * n + j] * row_scale_[i] * column_scale_[j];
    left_[j] = product(to, to, n);
  }
  std::iota(order_.begin(), order_.end(), 0);
  for (int k = 0; k < n; ++k) {
    const int best = static_cast<int>(std::max_element(left_.begin() + k, left_.end()) - left_.begin());
    if (best != k) {
      std::swap_ranges(column(k), column(k) + n, column(best));
      std::swap(left_[k], left_[best]);
      std::swap(order_[k], order_[best]);
    }
    T* v = column(k) + k;
    const T size = root(product(v, v, n - k));
    diagonal_[k] = v[0] > 0 ? -size : size;
    v[0] -= diagonal_[k];
    length_[k] = product(v, v, n - k);
    for (int j = k + 1; j < n; ++j) {
      T* c = column(j);
      if (length_[k] > 0) {
        const T factor = 2 * product(v, c + k, n - k) / length_[k];
        for (int i = 0; i < n - k; ++i) c[k + i] -= factor * v[i];
      }
      // Lengths are brought down by what went into row k, and taken anew where that has cancelled.
      const T reduced = left_[j] - c[k] * c[k];
      left_[j] = reduced > T(0.1) * left_[j] ? reduced : product(c + k + 1, c + k + 1, n - k - 1);
    }
  }
  choose_rank();
  find_null_space();
  return true;
}

template <class T>
T MinimumNorm<T>::smallest_pivot() const {
  const T first = n_ > 0 ? magnitude(diagonal_.front()) : T(0);
  return first > 0 ? magnitude(diagonal_.back()) / first : T(0);
}

template <class T>
void MinimumNorm<T>::choose_rank() {
  const T first = n_ > 0 ? magnitude(diagonal_[0]) : T(0);
  rank_ = 0;
  while (rank_ < n_) {
    const T pivot = magnitude(diagonal_[rank_]);
    if (!(pivot > T(rounding_cut) * first)) return;
    if (cut_ == Cut::gap && rank_ > 0 && pivot < T(gap_cut) * first && T(gap) * pivot < magnitude(diagonal_[rank_ - 1]))
      return;
    ++rank_;
  }
}

// R11 y = b in place.
template <class T>
void MinimumNorm<T>::solve_triangle(T* b) {
  for (int i = rank_ - 1; i >= 0; --i) {
    b[i] /= diagonal_[i];
    const T* above = column(i);
    for (int j = 0; j < i; ++j) b[j] -= b[i] * above[j];
  }
}

// A N = 0 from R = [R11 R12; 0 0], and the orthonormal form of W N by Gram-Schmidt, done twice.
template <class T>
void MinimumNorm<T>::find_null_space() {
  const int n = n_, lost = n - rank_;
  for (int k = 0; k < lost; ++k) {
    const T* from = column(rank_ + k);
    T* vector = null_.data() + static_cast<std::size_t>(k) * n;
    std::fill_n(vector, n, T(0));
    for (int i = 0; i < rank_; ++i) work_[i] = -from[i];
    solve_triangle(work_.data());
    for (int i = 0; i < rank_; ++i) vector[order_[i]] = work_[i];
    vector[order_[rank_ + k]] = 1;
    for (int j = 0; j < n; ++j) vector[j] *= column_scale_[j];
    T* b = basis_.data() + static_cast<std::size_t>(k) * n;
    for (int j = 0; j < n; ++j) b[j] = weight_[j] * vector[j];
    T* c = triangle_.data() + static_cast<std::size_t>(k) * n;
    std::fill_n(c, lost, T(0));
    for (int round = 0; round < 2; ++round)
      for (int m = 0; m < k; ++m) {
        const T* other = basis_.data() + static_cast<std::size_t>(m) * n;
        const T part = product(other, b, n);
        c[m] += part;
        for (int j = 0; j < n; ++j) b[j] -= part * other[j];
      }
    c[k] = root(product(b, b, n));
    for (int j = 0; j < n && c[k] > 0; ++j) b[j] /= c[k];
  }
}

template <class T>
void MinimumNorm<T>::solve(T* b, const T* x) {
  const int n = n_, lost = n - rank_;
  for (int i = 0; i < n; ++i) work_[i] = b[i] * row_scale_[i];
  for (int k = 0; k < rank_; ++k) {
    if (!(length_[k] > 0)) continue;
    const T* v = column(k) + k;
    const T factor = 2 * product(v, work_.data() + k, n - k) / length_[k];
    for (int i = 0; i < n - k; ++i) work_[k + i] -= factor * v[i];
  }
  solve_triangle(work_.data());
  std::fill_n(b, n, T(0));
  for (int i = 0; i < rank_; ++i) b[order_[i]] = work_[i] * column_scale_[order_[i]];
  if (lost == 0) return;
  // The part along the null space: the multipliers of x - d (or of d) and the other entries of d become as small as can
  // be.
  const bool absolute = cut_ == Cut::rounding;
  for (int j = 0; j < n; ++j) wish_[j] = weight_[j] * ((absolute && multiplier_[j] ? x[j] : T(0)) - b[j]);
  for (int k = lost - 1; k >= 0; --k) {
    T sum = product(basis_.data() + static_cast<std::size_t>(k) * n, wish_.data(), n);
    for (int m = k + 1; m < lost; ++m) sum -= triangle_[static_cast<std::size_t>(m) * n + k] * share_[m];
    const T pivot = triangle_[static_cast<std::size_t>(k) * n + k];
    share_[k] = pivot > 0 ? sum / pivot : T(0);
  }
  for (int k = 0; k < lost; ++k) {
    const T* vector = null_.data() + static_cast<std::size_t>(k) * n;
    for (int j = 0; j < n; ++j) b[j] += share_[k] * vector[j];
  }
}

template <class T>
void MinimumNorm<T>::save(ByteWriter& out) const {
  out.write(rank_);
  out.write(cut_);
  for (const auto* list : {&qr_, &diagonal_, &length_, &row_scale_, &column_scale_, &weight_}) out.write(*list);
  for (const auto* list : {&null_, &basis_, &triangle_}) out.write(*list);
  out.write(order_);
}

template <class T>
void MinimumNorm<T>::load(ByteReader& in) {
  in.read(rank_);
  in.read(cut_);
  for (auto* list : {&qr_, &diagonal_, &length_, &row_scale_, &column_scale_, &weight_}) in.refill(*list);
  for (auto* list : {&null_, &basis_, &triangle_}) in.refill(*list);
  in.refill(order_);
}

template class MinimumNorm<double>;
template class MinimumNorm<Quad>;

}  // namespace alembert::internal
