#pragma once

// Template bodies of convergence.h.

#include <algorithm>

#include "alembert/newton/convergence.h"

namespace alembert::internal {

template <class AtRounding>
Verdict Convergence::exact(double now, AtRounding at_rounding) noexcept {
  const Verdict seen = first_look(now);
  if (seen != Verdict::proceed || corrections_ == 1) return seen;
  note_ratio();
  if (is_last(now, now * ratio_ * ratio_, at_rounding)) return Verdict::converged;
  if (ratio_ > quadratic && now <= fresh_floor * unit_) return Verdict::converged;
  if (ratio_ > quadratic && corrections_ >= first_ratios && at_rounding()) return hold_at_rounding();
  return ratio_ > growing && corrections_ > first_ratios ? Verdict::diverged : Verdict::proceed;
}

template <class AtRounding>
Verdict Convergence::simplified(double now, Matrix matrix, AtRounding at_rounding) noexcept {
  const bool telling = renewed_ && !matrix.approximate;
  renewed_ = renewed_ || matrix.here;
  const Verdict seen = first_look(now);
  const bool quadratic_here = matrix.here && !matrix.approximate;
  if (corrections_ == 1 && quadratic_here && now <= at_once_) return Verdict::converged;
  if (seen != Verdict::proceed || corrections_ == 1) return seen;
  if (telling) note_ratio();
  // One small ratio may be luck (the prediction was wrong where the matrix is right), so the slowest counts.
  if (!matrix.here && now > quiet_floor * unit_) contraction_ = std::max(contraction_, std::min(ratio_, slowest_rate));
  const double rate = std::max(ratio_, contraction_);
  // Quadratic where the matrix belongs to this iterate, else all that a geometric series would still bring.
  const double left =
      quadratic_here ? now * ratio_ * std::min(ratio_, 1.0) : now * rate / (1 - std::min(rate, slowest_rate));
  if (is_last(now, left, at_rounding)) return Verdict::converged;
  return ratio_ > slow ? slowly(now, ratio_, matrix, at_rounding) : Verdict::proceed;
}

template <class AtRounding>
Verdict Convergence::slowly(double now, double ratio, Matrix matrix, AtRounding at_rounding) noexcept {
  if (now <= quiet_floor * unit_) {
    // Rounding, or an old matrix that still contracts? What is left then would be seen in the constraints.
    const bool known = renewed_ || now <= noise_;
    if (!known) return Verdict::renew;
    if (ratio <= stalled) return Verdict::proceed;
    noise_ = std::max(noise_, now);
    return Verdict::converged;
  }
  if (ratio > stalled && corrections_ > first_ratios && at_rounding()) return hold_at_rounding();
  const bool best = matrix.approximate ? renewed_ : matrix.here;  // no other matrix would do better
  const double hopeless = matrix.approximate ? 1 : growing;       // linear convergence never comes back
  if (best && now <= fresh_floor * unit_ && (!matrix.approximate || ratio >= 1)) return Verdict::converged;
  if (best && ratio > hopeless && corrections_ > first_ratios) return Verdict::diverged;
  return matrix.approximate && renewed_ ? Verdict::proceed : Verdict::renew;
}

}  // namespace alembert::internal
