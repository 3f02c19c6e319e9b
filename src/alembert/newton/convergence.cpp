#include "alembert/newton/convergence.h"

namespace alembert::internal {

void Convergence::begin() noexcept {
  before_ = 0;
  ratio_ = 0;
  moved_ = 0;
  largest_ratio_ = 0;
  corrections_ = 0;
  renewed_ = false;
}

void Convergence::begin_simplified() noexcept {
  begin();
  noise_ *= noise_decay;
}

Verdict Convergence::first_look(double now) noexcept {
  if (std::isnan(now)) return Verdict::not_finite;
  ++corrections_;
  ratio_ = now / before_;
  moved_ += now;
  before_ = now;
  return now <= unit_ ? Verdict::converged : Verdict::proceed;
}

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
