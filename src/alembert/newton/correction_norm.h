#pragma once

// How large a correction is: relative to the unknowns, group by group.

#include <vector>

#include "alembert/base/bytes.h"
#include "alembert/code/kernel.h"
#include "alembert/newton/implicit_equations.h"

namespace alembert::internal {

/// Neither allocates nor throws after it was made. Instantiated for double and Quad.
template <class T>
class CorrectionNorm {
 public:
  /// all: symbols of inputs and unknowns; the groups cover the unknowns in their order.
  CorrectionNorm(const Exprs& all, int inputs, std::vector<UnknownGroup> groups, KernelOptions options);

  /// Takes the scales at x (inputs, then unknowns). Of many thousand numbers they hardly change from step to step, and
  /// all of them are read: then old ones serve for some solves, unless `anew`.
  void take_scales(const T* x, bool anew) noexcept;

  /// The largest entry of delta relative to its group at x; groups without a scale do not count. NaN when anything in
  /// delta is not finite.
  double measure(const T* x, const T* delta) const noexcept;
  /// The same after delta was subtracted from the unknowns.
  double subtract(T* x, const T* delta) const noexcept;
  /// Some numbers of group k become others: the largest change relative to the scale, or to the largest of these.
  double replace(int k, double* now, const double* next, int count) const noexcept;
  /// max(scale, largest unknown) of group k at x.
  T size(int k, const T* x) const noexcept;

  /// By how much smaller than its scale the own size of a group is, at most; see UnknownGroup. 1 where none is.
  double own_share() const noexcept;

  const std::vector<UnknownGroup>& groups() const { return groups_; }
  void bind(const T* parameters) noexcept { scale_.bind(parameters); }
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  template <class Unknowns>
  double measure_while(Unknowns* x, const T* delta) const noexcept;

  int inputs_;
  int unknowns_;
  std::vector<UnknownGroup> groups_;
  Kernel<T> scale_;
  std::vector<T> scales_, work_;       // the own sizes behind the scales, then the effects
  std::vector<std::size_t> with_own_;  // groups that have one
  std::size_t first_effect_ = 0;       // among the scales
  int since_taken_ = 0;                // solves with the same scales
};

}  // namespace alembert::internal
