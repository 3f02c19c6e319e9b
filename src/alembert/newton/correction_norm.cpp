#include "alembert/newton/correction_norm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "alembert/base/magnitude.h"
#include "alembert/base/processor.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

// From so many unknowns on, reading them all for the scales costs some hundredths of a step. In eight steps of a size
// that resolves the motion the largest of them changes by far less than the factor that would matter to a test of
// rounding.
constexpr int many_unknowns = 2000;
constexpr int scaled_every = 8;

/// Of some numbers and their changes.
template <class T>
struct Largest {
  T number = 0, change = 0;
  T none = 0;  // NaN when a change is not finite
};

/// Subtracts the changes first, where `apply`.
template <bool apply, class Unknowns, class T>
inline __attribute__((always_inline)) void look_at(Unknowns* now, const T* changes, int from, int to,
                                                   Largest<T>& most) {
  for (int i = from; i < to; ++i) {
    if constexpr (apply) now[i] -= changes[i];
    const T a = magnitude(now[i]), d = magnitude(changes[i]);
    most.number = most.number < a ? a : most.number;
    most.change = most.change < d ? d : most.change;
    most.none += changes[i] - changes[i];
  }
}

template <bool apply, class Unknowns>
inline __attribute__((always_inline)) void look_in_packs(Unknowns* __restrict now, const double* __restrict changes,
                                                         int count, Largest<double>& most) {
  DoublePack number{}, change{}, none{};
  int i = 0;
  for (; i + pack_width <= count; i += pack_width) {
    const DoublePack d = *reinterpret_cast<const DoublePack*>(changes + i);
    DoublePack a = *reinterpret_cast<const DoublePack*>(now + i);
    if constexpr (apply) {
      a -= d;
      *reinterpret_cast<DoublePack*>(now + i) = a;
    }
    const DoublePack a_size = a < 0 ? -a : a, d_size = d < 0 ? -d : d;
    number = number < a_size ? a_size : number;
    change = change < d_size ? d_size : change;
    none += d - d;
  }
  look_at<apply>(now, changes, i, count, most);
  for (int j = 0; j < pack_width; ++j) {
    most.number = std::max(most.number, number[j]);
    most.change = std::max(most.change, change[j]);
    most.none += none[j];
  }
}

ALEMBERT_BEST_PROCESSOR
void look_and_subtract(double* now, const double* changes, int count, Largest<double>& most) {
  look_in_packs<true>(now, changes, count, most);
}
ALEMBERT_BEST_PROCESSOR
void only_look(const double* now, const double* changes, int count, Largest<double>& most) {
  look_in_packs<false>(now, changes, count, most);
}

/// now becomes next.
ALEMBERT_BEST_PROCESSOR
void look_and_replace(double* __restrict now, const double* __restrict next, int count, Largest<double>& most) {
  DoublePack number{}, change{}, none{};
  int i = 0;
  for (; i + pack_width <= count; i += pack_width) {
    const DoublePack a = *reinterpret_cast<const DoublePack*>(next + i);
    const DoublePack d = a - *reinterpret_cast<const DoublePack*>(now + i);
    *reinterpret_cast<DoublePack*>(now + i) = a;
    const DoublePack a_size = a < 0 ? -a : a, d_size = d < 0 ? -d : d;
    number = number < a_size ? a_size : number;
    change = change < d_size ? d_size : change;
    none += d - d;
  }
  for (; i < count; ++i) {
    const double d = next[i] - now[i];
    now[i] = next[i];
    most.number = std::max(most.number, std::abs(next[i]));
    most.change = std::max(most.change, std::abs(d));
    most.none += d - d;
  }
  for (int j = 0; j < pack_width; ++j) {
    most.number = std::max(most.number, number[j]);
    most.change = std::max(most.change, change[j]);
    most.none += none[j];
  }
}

}  // namespace

template <class T>
CorrectionNorm<T>::CorrectionNorm(const Exprs& all, int inputs, std::vector<UnknownGroup> groups, KernelOptions options)
    : inputs_(inputs), unknowns_(static_cast<int>(all.size()) - inputs), groups_(std::move(groups)) {
  if (unknowns_ == 0) return;
  int covered = 0;
  Exprs scales;
  for (const UnknownGroup& group : groups_) {
    check(group.first == covered, "groups follow each other");
    covered += group.count;
    scales.push_back(group.scale ? group.scale : all.back().graph().constant(0));
  }
  for (std::size_t k = 0; k < groups_.size(); ++k)
    if (groups_[k].own) {
      scales.push_back(groups_[k].own);
      with_own_.push_back(k);
    }
  first_effect_ = scales.size();
  for (const UnknownGroup& group : groups_)
    if (group.effect) scales.push_back(group.effect);
  check(covered == unknowns_, "every unknown is in a group");
  scale_ = Kernel<T>(all, scales, options);
  scales_.resize(scales.size());
  work_.resize(scale_.work());
}

template <class T>
void CorrectionNorm<T>::take_scales(const T* x, bool anew) noexcept {
  if (unknowns_ >= many_unknowns && !anew && ++since_taken_ < scaled_every) return;
  scale_(x, scales_.data(), work_.data());
  since_taken_ = 0;
}

template <class T>
double CorrectionNorm<T>::own_share() const noexcept {
  // What is left is predicted with the slowest contraction and is mostly less. With 1: 2 % more iterations in the
  // gallery.
  constexpr double units = 4;
  double least = 1;
  for (std::size_t i = 0; i < with_own_.size(); ++i)
    least = std::min(least, units * static_cast<double>(scales_[groups_.size() + i] / scales_[with_own_[i]]));
  return least;
}

template <class T>
template <class Unknowns>
double CorrectionNorm<T>::measure_while(Unknowns* x, const T* delta) const noexcept {
  constexpr bool apply = !std::is_const_v<Unknowns>;
  double worst = 0;
  bool finite = true;
  Largest<T> first;  // of the first group and what is measured with it
  std::size_t effect = first_effect_;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    Unknowns* const now = x + inputs_ + groups_[k].first;
    const T* const changes = delta + groups_[k].first;
    Largest<T> most{scales_[k]};
    if constexpr (!std::is_same_v<T, double>) look_at<apply>(now, changes, 0, groups_[k].count, most);
    else if constexpr (apply) look_and_subtract(now, changes, groups_[k].count, most);
    else only_look(now, changes, groups_[k].count, most);
    finite = finite && most.none == 0;
    if (groups_[k].effect) {
      first.number = std::max(first.number, scales_[effect] * most.number);
      first.change = std::max(first.change, scales_[effect++] * most.change);
    } else if (k == 0) {
      first = most;
    } else if (groups_[k].scale && most.change != 0)
      worst = std::max(worst, static_cast<double>(most.change / most.number));
  }
  const bool counts = !groups_.empty() && groups_.front().scale && first.change != 0;
  if (counts) worst = std::max(worst, static_cast<double>(first.change / first.number));
  return finite ? worst : std::nan("");
}

template <class T>
double CorrectionNorm<T>::measure(const T* x, const T* delta) const noexcept {
  return measure_while(x, delta);
}

template <class T>
double CorrectionNorm<T>::subtract(T* x, const T* delta) const noexcept {
  return measure_while(x, delta);
}

template <class T>
double CorrectionNorm<T>::replace(int k, double* now, const double* next, int count) const noexcept {
  Largest<double> most{static_cast<double>(scales_[k])};
  look_and_replace(now, next, count, most);
  if (!(most.none == 0)) return std::nan("");
  return most.change == 0 ? 0 : most.change / most.number;
}

template <class T>
T CorrectionNorm<T>::size(int k, const T* x) const noexcept {
  T size = scales_[k];
  const T* const first = x + inputs_ + groups_[k].first;
  for (int j = 0; j < groups_[k].count; ++j) size = std::max(size, magnitude(first[j]));
  return size;
}

template <class T>
void CorrectionNorm<T>::save(ByteWriter& out) const {
  out.write(scales_);
  out.write(since_taken_);
}

template <class T>
void CorrectionNorm<T>::load(ByteReader& in) {
  in.refill(scales_);
  in.read(since_taken_);
}

template class CorrectionNorm<double>;
template class CorrectionNorm<Quad>;

}  // namespace alembert::internal
