#include "alembert/linear/linear.h"

#include <quadmath.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "alembert/base/bytes.h"
#include "alembert/base/magnitude.h"
#include "alembert/error.h"

namespace alembert::internal {
namespace {

constexpr int panel = 4;  // pivots whose updates of the remaining rows are done in one sweep
constexpr int few = 8;    // rows up to which the plain loops are the faster ones
/// What one instruction works on. Rows are padded to whole packs and panels begin at whole packs, so that no loop has a
/// remainder. Vector extensions of the compiler: two SSE2 registers, or one of AVX where the processor has it.
template <class T>
struct Pack {
  using Type = T;
  static constexpr int width = 1;  // no vectors of numbers of 128 bits
};
template <>
struct Pack<double> {
  typedef double Type __attribute__((vector_size(32), aligned(8), may_alias));
  static constexpr int width = 4;  // numbers in the 32 bytes
};

template <class T>
bool finite(T x) {
  return x - x == 0;
}

/// The power of two that brings |x| into [1, 2), as near to it as the exponents allow; x is finite and not 0.
double inverse_power_of_two(double x) {
  const std::int64_t exponent = (std::bit_cast<std::int64_t>(x) >> 52) & 0x7ff;
  return std::bit_cast<double>(std::clamp<std::int64_t>(2046 - exponent, 1, 2046) << 52);
}
Quad inverse_power_of_two(Quad x) { return ldexpq(1, std::min(-ilogbq(x), 16383)); }

template <class T>
struct Factors {
  int n, stride;
  T *upper, *lower, *row_scale, *column_largest, *pivot_inverse;
  int *swap, *order;
};

template <class T>
struct Pivot {
  T smallest;
  int row, column;
  int failed_at;  // -1: all pivots are good
};

/// Copies a row into its padded place, scales it, and keeps the largest entries of the columns. False when it cannot
/// be.
template <class T>
[[gnu::always_inline]] inline bool scale_row(const Factors<T>& f, const T* a, int i) {
  using V = typename Pack<T>::Type;
  constexpr int width = Pack<T>::width;
  T* row = f.upper + i * f.stride;
  for (int j = 0; j < f.n; ++j) row[j] = a[j];
  for (int j = f.n; j < f.stride; ++j) row[j] = 0;
  V largest_in_lane{};
  for (int j = 0; j < f.stride; j += width) {
    const V v = *reinterpret_cast<const V*>(row + j);
    const V size = v < 0 ? -v : v;
    largest_in_lane = size > largest_in_lane ? size : largest_in_lane;
  }
  T largest = 0;
  const T* lane = reinterpret_cast<const T*>(&largest_in_lane);
  for (int l = 0; l < width; ++l) largest = std::max(largest, lane[l]);
  if (largest == 0 || !finite(largest)) return false;
  const T scale = f.row_scale[i] = inverse_power_of_two(largest);
  for (int j = 0; j < f.stride; j += width) {
    V& v = *reinterpret_cast<V*>(row + j);
    V& most = *reinterpret_cast<V*>(f.column_largest + j);
    v *= scale;
    const V size = v < 0 ? -v : v;
    most = size > most ? size : most;
  }
  return true;
}

/// Right-looking elimination, `panel` pivots at a time: inside a panel only the column and the row of the next pivot
/// are brought up to date, the rest follows in one sweep after it.
template <class T>
[[gnu::always_inline]] inline Pivot<T> eliminate(const Factors<T>& f, const T* a) {
  using V = typename Pack<T>::Type;
  constexpr int width = Pack<T>::width;
  const int n = f.n, stride = f.stride;
  Pivot<T> pivot{1, -1, -1, -1};
  for (int j = 0; j < stride; ++j) f.column_largest[j] = 0;
  for (int i = 0; i < n; ++i) {
    f.order[i] = i;
    if (!scale_row(f, a + static_cast<std::ptrdiff_t>(i) * n, i)) return {0, i, -1, i};
  }
  for (int first = 0; first < n; first += panel) {
    const int end = std::min(first + panel, n);
    for (int k = first; k < end; ++k) {
      T* __restrict column = f.lower + k * stride;
      for (int i = first; i < k; ++i) column[i] = 0;
      for (int i = k; i < n; ++i) column[i] = f.upper[i * stride + k];
      for (int i = n; i < stride; ++i) column[i] = 0;
      for (int m = first; m < k; ++m) {
        const T factor = f.upper[m * stride + k];
        const T* __restrict multiplier = f.lower + m * stride;
        for (int i = first; i < stride; i += width)
          *reinterpret_cast<V*>(column + i) -= factor * *reinterpret_cast<const V*>(multiplier + i);
      }
      // A NaN is never the largest, but it spreads to what is left and so stops a later pivot at the latest.
      int best = k;
      T largest = 0;
      for (int i = k; i < n; ++i) {
        const T size = magnitude(column[i]);
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
      }
      f.swap[k] = best;
      if (best != k) {
        std::swap(f.order[k], f.order[best]);
        for (int m = first; m <= k; ++m) std::swap(f.lower[m * stride + k], f.lower[m * stride + best]);
        for (int j = first; j < stride; j += width) {  // not std::swap: as its argument, V would forget its alignment
          V& x = *reinterpret_cast<V*>(f.upper + k * stride + j);
          V& y = *reinterpret_cast<V*>(f.upper + best * stride + j);
          const V kept = x;
          x = y;
          y = kept;
        }
      }
      const T inverse = 1 / column[k];
      if (!(largest > 0) || !finite(inverse) || !finite(largest)) return {0, f.order[k], k, k};
      f.pivot_inverse[k] = inverse;
      const T relative = largest / f.column_largest[k];
      if (!(relative >= pivot.smallest) || pivot.row < 0) pivot = {relative, f.order[k], k, -1};
      T* __restrict row = f.upper + k * stride;
      for (int m = first; m < k; ++m) {
        const T factor = f.lower[m * stride + k];
        const T* __restrict above = f.upper + m * stride;
        for (int j = first; j < stride; j += width)
          *reinterpret_cast<V*>(row + j) -= factor * *reinterpret_cast<const V*>(above + j);
      }
      for (int i = first; i < stride; i += width) *reinterpret_cast<V*>(column + i) *= inverse;
    }
    if (end == n) break;
    const T* __restrict u = f.upper + first * stride;
    const T* l = f.lower + first * stride;
    for (int i = end; i < n; ++i) {
      T* __restrict row = f.upper + i * stride;
      const T l0 = l[i], l1 = l[stride + i], l2 = l[2 * stride + i], l3 = l[3 * stride + i];
      for (int j = end; j < stride; j += width) {
        const V u0 = *reinterpret_cast<const V*>(u + j), u1 = *reinterpret_cast<const V*>(u + stride + j);
        const V u2 = *reinterpret_cast<const V*>(u + 2 * stride + j),
                u3 = *reinterpret_cast<const V*>(u + 3 * stride + j);
        *reinterpret_cast<V*>(row + j) -= (l0 * u0 + l1 * u1) + (l2 * u2 + l3 * u3);
      }
    }
  }
  return pivot;
}

/// The same without packs and panels, which do not pay for few rows; leaves the same storage behind. Nothing left of
/// the diagonal of U, and nothing of the padding, is written.
template <class T>
Pivot<T> eliminate_plainly(const Factors<T>& f, const T* a) {
  const int n = f.n, stride = f.stride;
  Pivot<T> pivot{1, -1, -1, -1};
  for (int j = 0; j < n; ++j) f.column_largest[j] = 0;
  for (int i = 0; i < n; ++i) {
    const T* given = a + static_cast<std::ptrdiff_t>(i) * n;
    T* row = f.upper + i * stride;
    T largest = 0;
    for (int j = 0; j < n; ++j) largest = std::max(largest, magnitude(given[j]));
    if (largest == 0 || !finite(largest)) return {0, i, -1, i};
    const T scale = f.row_scale[i] = inverse_power_of_two(largest);
    f.order[i] = i;
    for (int j = 0; j < n; ++j) {
      row[j] = given[j] * scale;
      f.column_largest[j] = std::max(f.column_largest[j], magnitude(row[j]));
    }
  }
  for (int k = 0; k < n; ++k) {
    int best = k;
    T largest = 0;
    for (int i = k; i < n; ++i) {
      const T size = magnitude(f.upper[i * stride + k]);
      if (size > largest) {
        best = i;
        largest = size;
      }
    }
    f.swap[k] = best;
    if (best != k) {
      std::swap(f.order[k], f.order[best]);
      for (int m = k / panel * panel; m < k; ++m) std::swap(f.lower[m * stride + k], f.lower[m * stride + best]);
      for (int j = k; j < n; ++j) std::swap(f.upper[k * stride + j], f.upper[best * stride + j]);
    }
    const T* above = f.upper + k * stride;
    const T inverse = 1 / above[k];
    if (!(largest > 0) || !finite(inverse) || !finite(largest)) return {0, f.order[k], k, k};
    f.pivot_inverse[k] = inverse;
    const T relative = largest / f.column_largest[k];
    if (!(relative >= pivot.smallest) || pivot.row < 0) pivot = {relative, f.order[k], k, -1};
    for (int i = k + 1; i < n; ++i) {
      T* row = f.upper + i * stride;
      const T factor = f.lower[k * stride + i] = row[k] * inverse;
      for (int j = k + 1; j < n; ++j) row[j] -= factor * above[j];
    }
  }
  return pivot;
}

#if defined(__x86_64__)
bool has_wide_registers() {
  static const bool wide = __builtin_cpu_supports("avx2");
  return wide;
}
#endif

Pivot<Quad> eliminate_best(const Factors<Quad>& f, const Quad* a) { return eliminate_plainly(f, a); }

#if defined(__x86_64__)
// Wider registers, but no fused multiply-add: the result must not depend on the machine.
[[gnu::target("avx2")]] Pivot<double> eliminate_wide(const Factors<double>& f, const double* a) {
  return eliminate(f, a);
}
#endif

Pivot<double> eliminate_narrow(const Factors<double>& f, const double* a) { return eliminate(f, a); }

Pivot<double> eliminate_best(const Factors<double>& f, const double* a) {
  if (f.n <= few) return eliminate_plainly(f, a);
#if defined(__x86_64__)
  if (has_wide_registers()) return eliminate_wide(f, a);
#endif
  return eliminate_narrow(f, a);
}

/// What a solution takes of them.
template <class T>
struct Triangles {
  int n, stride;
  const T *upper, *lower, *row_scale, *pivot_inverse;
  const int* swap;
};

template <class T>
[[gnu::always_inline]] inline void substitute(const Triangles<T>& f, T* b) {
  using V = typename Pack<T>::Type;
  constexpr int width = Pack<T>::width;
  const int n = f.n, stride = f.stride;
  for (int i = 0; i < n; ++i) b[i] *= f.row_scale[i];

  for (int first = 0; first < n; first += panel) {
    const int end = std::min(first + panel, n);
    for (int k = first; k < end; ++k) std::swap(b[k], b[f.swap[k]]);
    const T* l = f.lower + first * stride;
    for (int k = first; k < end; ++k)
      for (int i = k + 1; i < end; ++i) b[i] -= b[k] * l[(k - first) * stride + i];
    if (end == n) break;
    const T b0 = b[first], b1 = b[first + 1], b2 = b[first + 2], b3 = b[first + 3];
    int i = end;
    for (; i + width <= n; i += width) {
      const V l0 = *reinterpret_cast<const V*>(l + i), l1 = *reinterpret_cast<const V*>(l + stride + i);
      const V l2 = *reinterpret_cast<const V*>(l + 2 * stride + i),
              l3 = *reinterpret_cast<const V*>(l + 3 * stride + i);
      *reinterpret_cast<V*>(b + i) -= (b0 * l0 + b1 * l1) + (b2 * l2 + b3 * l3);
    }
    for (; i < n; ++i) b[i] -= (b0 * l[i] + b1 * l[stride + i]) + (b2 * l[2 * stride + i] + b3 * l[3 * stride + i]);
  }

  for (int first = stride - panel; first >= 0; first -= panel) {
    const int end = std::min(first + panel, n);
    for (int k = first; k < end; ++k) {
      const T* u = f.upper + k * stride;
      V sums{};
      int j = end;
      for (; j + width <= n; j += width)
        sums += *reinterpret_cast<const V*>(u + j) * *reinterpret_cast<const V*>(b + j);
      T sum = 0;
      for (; j < n; ++j) sum += u[j] * b[j];
      const T* lane = reinterpret_cast<const T*>(&sums);
      for (int m = 0; m < width; ++m) sum += lane[m];
      b[k] -= sum;
    }
    for (int k = end - 1; k >= first; --k) {
      const T* u = f.upper + k * stride;
      for (int j = k + 1; j < end; ++j) b[k] -= u[j] * b[j];
      b[k] *= f.pivot_inverse[k];
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void substitute_wide(const Triangles<double>& f, double* b) { substitute(f, b); }
#endif

void substitute_narrow(const Triangles<double>& f, double* b) { substitute(f, b); }

void substitute_best(const Triangles<double>& f, double* b) {
#if defined(__x86_64__)
  if (has_wide_registers()) return substitute_wide(f, b);
#endif
  substitute_narrow(f, b);
}
void substitute_best(const Triangles<Quad>& f, Quad* b) { substitute(f, b); }

}  // namespace

template <class T>
DenseLu<T>::DenseLu(int n) : n_(n), stride_((n + panel - 1) / panel * panel) {
  check(n >= 0, "a matrix has no negative size");
  const auto entries = static_cast<std::size_t>(n) * stride_;
  upper_.assign(entries, T(0));
  lower_.assign(entries, T(0));
  row_scale_.assign(n, T(1));
  column_largest_.assign(stride_, T(0));
  pivot_inverse_.assign(n, T(0));
  swap_.assign(n, 0);
  order_.assign(n, 0);
}

template <class T>
bool DenseLu<T>::factor(const T* a) {
  const Factors<T> factors{n_,
                           stride_,
                           upper_.data(),
                           lower_.data(),
                           row_scale_.data(),
                           column_largest_.data(),
                           pivot_inverse_.data(),
                           swap_.data(),
                           order_.data()};
  const Pivot<T> pivot = eliminate_best(factors, a);
  smallest_pivot_ = pivot.smallest;
  smallest_pivot_row_ = pivot.row;
  smallest_pivot_column_ = pivot.column;
  return pivot.failed_at < 0;
}

template <class T>
void DenseLu<T>::solve(T* b) const {
  substitute_best(
      Triangles<T>{n_, stride_, upper_.data(), lower_.data(), row_scale_.data(), pivot_inverse_.data(), swap_.data()},
      b);
}

template <class T>
void DenseLu<T>::save(ByteWriter& out) const {
  for (const auto* list : {&upper_, &lower_, &row_scale_, &column_largest_, &pivot_inverse_}) out.write(*list);
  out.write(swap_);
  out.write(order_);
  out.write(smallest_pivot_);
  out.write(smallest_pivot_row_);
  out.write(smallest_pivot_column_);
}

template <class T>
void DenseLu<T>::load(ByteReader& in) {
  for (auto* list : {&upper_, &lower_, &row_scale_, &column_largest_, &pivot_inverse_}) in.refill(*list);
  in.refill(swap_);
  in.refill(order_);
  in.read(smallest_pivot_);
  in.read(smallest_pivot_row_);
  in.read(smallest_pivot_column_);
}

template class DenseLu<double>;
template class DenseLu<Quad>;

}  // namespace alembert::internal
