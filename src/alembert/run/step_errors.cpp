#include "alembert/run/step_errors.h"

#include <algorithm>
#include <utility>

namespace alembert::internal {

namespace {

// So many are made again: each takes a copy of all that a run has.
constexpr long most_cut = 100;

}  // namespace

std::vector<double>& StepErrors::begin() {
  std::fill(now_.begin(), now_.end(), 0);
  return now_;
}

void StepErrors::take(long n, double t, double size, bool accompanied) {
  ++compared_;
  const auto steps = static_cast<double>(n - std::exchange(summed_, n));
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += (last_[i] + now_[i]) / 2 * steps;
  last_ = now_;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    largest_[i] = std::max(largest_[i], now_[i]);
    if (accompanied) accompanied_[i] = std::max(accompanied_[i], now_[i]);
  }
  if (size <= worst_) return;
  worst_ = size;
  worst_t_ = t;
}

std::vector<double> StepErrors::sum_since(const std::vector<double>& before, long n) const {
  std::vector<double> sum = sum_;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += last_[i] * static_cast<double>(n - summed_) - before[i];
  return sum;
}

void CutSteps::kink(double t) {
  shortest_contact_ = std::min(shortest_contact_, std::abs(t - std::exchange(last_kink_, t)));
}

bool CutSteps::due() { return ++count_ <= most_cut; }

void CutSteps::add(double error) {
  errors_ += error;
  ++compared_;
}

// They add up, and what is wrong with a velocity behind one goes on until the next.
double CutSteps::error() const {
  if (compared_ == 0) return 0;
  const auto all = static_cast<double>(count_);
  return errors_ * all / static_cast<double>(compared_) * std::max(1.0, all / 4);
}

}  // namespace alembert::internal
