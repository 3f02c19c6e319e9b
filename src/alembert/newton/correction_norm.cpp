#include "alembert/newton/correction_norm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "alembert/base/magnitude.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

// From so many unknowns on, reading them all for the scales costs some hundredths of a step. In eight steps of a size
// that resolves the motion the largest of them changes by far less than the factor that would matter to a test of
// rounding.
constexpr int many_unknowns = 2000;
constexpr int scaled_every = 8;

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
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    Unknowns* __restrict now = x + inputs_ + groups_[k].first;
    const T* __restrict changes = delta + groups_[k].first;
    const auto look = [&](int i, T& most, T& largest, T& none) {
      if constexpr (apply) now[i] -= changes[i];
      const T a = magnitude(now[i]);
      const T d = magnitude(changes[i]);
      most = most < a ? a : most;
      largest = largest < d ? d : largest;
      none += changes[i] - changes[i];  // 0, or NaN when something is not finite
    };
    constexpr int lanes = 4;  // side by side: they do not wait for each other
    T mosts[lanes] = {}, largests[lanes] = {}, nones[lanes] = {};
    T size = scales_[k], change = 0, sum = 0;
    int i = 0;
    for (; i + lanes <= groups_[k].count; i += lanes)
      for (int j = 0; j < lanes; ++j) look(i + j, mosts[j], largests[j], nones[j]);
    for (; i < groups_[k].count; ++i) look(i, size, change, sum);
    for (int j = 0; j < lanes; ++j) {
      size = std::max(size, mosts[j]);
      change = std::max(change, largests[j]);
      sum += nones[j];
    }
    finite = finite && sum == 0;
    if (groups_[k].scale && change != 0) worst = std::max(worst, static_cast<double>(change / size));
  }
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
