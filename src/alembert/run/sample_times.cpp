#include "alembert/run/sample_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/error.h"
#include "alembert/numerics.h"

namespace alembert::internal {

SampleTimes::SampleTimes(std::vector<double> at, double sample, double t0, double end)
    : at_(std::move(at)), t0_(t0), end_(end), sample_(sample) {
  const double direction = end < t0 ? -1 : 1;
  for (const double t : at_)
    if (!std::isfinite(t) || (t - t0_) * direction < 0 || (end_ - t) * direction < 0)
      throw InputError("`at` " + to_text(t) + " is not between the start " + to_text(t0_) + " and the end " +
                       to_text(end_));
  std::sort(at_.begin(), at_.end(), [&](double a, double b) { return a * direction < b * direction; });
  if (sample_ == 0) return;
  if (!std::isfinite(sample_) || sample_ < 0) throw InputError("`sample` must be a number above 0");
  samples_ = std::floor(std::abs(end_ - t0_) / sample_ * (1 + 1e-12)) + 1;
  if (samples_ > 9e15) throw InputError("`sample` " + to_text(sample_) + " is too small to reach the end");
  sample_ *= direction;
}

double SampleTimes::regular() const {
  const double direction = end_ < t0_ ? -1 : 1;
  const double time = t0_ + next_sample_ * sample_;
  return (end_ - time) * direction < 0 ? end_ : time;
}

/// Whether the next one is a listed time, and no multiple of the sample.
bool SampleTimes::is_listed() const {
  const double direction = end_ < t0_ ? -1 : 1;
  const bool more = next_sample_ < samples_;
  return next_at_ < at_.size() && (!more || at_[next_at_] * direction <= regular() * direction);
}

double SampleTimes::upcoming() const {
  if (next_at_ >= at_.size() && next_sample_ >= samples_) return end_ < t0_ ? -HUGE_VAL : HUGE_VAL;
  return is_listed() ? at_[next_at_] : regular();
}

std::optional<double> SampleTimes::next(double t) {
  const double direction = end_ < t0_ ? -1 : 1;
  for (;;) {
    const double time = upcoming();
    if (!std::isfinite(time) || time * direction > t * direction) return {};
    is_listed() ? static_cast<void>(++next_at_) : static_cast<void>(++next_sample_);
    if (last_ && *last_ == time) continue;
    return last_ = time;
  }
}

}  // namespace alembert::internal
