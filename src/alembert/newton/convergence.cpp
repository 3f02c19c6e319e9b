#include "alembert/newton/convergence.h"

namespace alembert::internal {

Verdict Convergence::damped(double now) noexcept {
  const Verdict seen = first_look(now);
  if (seen != Verdict::proceed || corrections_ == 1) return seen;
  return ratio_ > quadratic && now <= fresh_floor * unit_ ? Verdict::converged : Verdict::proceed;
}

Verdict Convergence::singular(double now) noexcept {
  const Verdict seen = first_look(now);
  if (seen != Verdict::proceed) return seen;
  if (now <= quiet_floor * unit_) return Verdict::converged;
  return corrections_ > 1 && ratio_ > stalled && settled() ? Verdict::converged : Verdict::proceed;
}

void Convergence::save(ByteWriter& out) const {
  out.write(contraction_);
  out.write(noise_);
}

void Convergence::load(ByteReader& in) {
  in.read(contraction_);
  in.read(noise_);
}

}  // namespace alembert::internal
