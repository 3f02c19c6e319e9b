// Impacts that follow each other faster and faster: behind their limit the contact stays closed.

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Impacts accumulate where the time that is left to their limit is below this part of a step, and below this time.
constexpr double accumulated_part = 1e-3, accumulated_time = 1e-5;
// Flights lower than this, against the sizes of the gap, are too low for their impacts to be found: ten times what
// rounding hides.
constexpr double lowest_flight = 3e-13;
// So many times between impacts must have had nearly the same ratio.
constexpr int steady_ratios = 3;
constexpr double same_ratio = 1e-2;

}  // namespace

void ContactRun::note_impact(int i) {
  Impacts& own = impacts_[static_cast<std::size_t>(i)];
  const double passed = t_ - std::exchange(own.t, t_);
  const double ratio = passed / std::exchange(own.passed, passed);
  const bool same = std::abs(ratio - own.ratio) <= same_ratio;
  own.ratio = ratio;
  own.steady = same && ratio < 1 ? own.steady + 1 : 0;
}

/// Closes contacts that bounce too low, or for too short a time. Whether there were some.
bool ContactRun::end_accumulations() {
  look();
  const std::vector<double> accelerated = system_->accelerations(compiled_->engine.multipliers.at(t_, state_));
  const double soon = std::min(accumulated_time, accumulated_part * std::abs(options_.step));
  std::vector<int> set;
  double after = 0;
  for (int i = 0; i < count(); ++i) {
    const Impacts& own = impacts_[static_cast<std::size_t>(i)];
    const double rate = system_->rate(contact(i).normal), a = accelerated[static_cast<std::size_t>(contact(i).normal)];
    // How high it goes is a size of the gap, also where all that is known of it is that it was closed.
    if (rate > 0 && a < 0) system_->reach(i, std::min(rate * rate / (-2 * a), rate * std::abs(options_.end - t_)));
    const bool leaves = std::abs(system_->gap(i)) <= lowest_flight * system_->gap_scale(i) && rate > 0 && a < 0;
    if (mode_[static_cast<std::size_t>(i)].closed || !leaves) continue;
    const bool steady = own.steady >= steady_ratios;
    const double ratio = steady ? own.ratio : system_->restitution(i);
    const double left = -2 * rate / a / (1 - ratio);
    const bool low = rate * rate / (-2 * a) < lowest_flight * system_->gap_scale(i);
    if (!low && !(steady && left < soon)) continue;
    set.push_back(i);
    if (std::isfinite(left)) after = std::max(after, left);
  }
  if (set.empty()) return false;
  close_accumulated(set, after);
  return true;
}

/// Contacts whose impacts accumulate lose what is left of their rates and stay closed.
void ContactRun::close_accumulated(const std::vector<int>& set, double after) {
  std::vector<int> rows;
  for (const int i : set) rows.push_back(contact(i).normal);
  for (int i = 0; i < count(); ++i)
    if (mode_[static_cast<std::size_t>(i)].closed) rows.push_back(contact(i).normal);
  Eigen::VectorXd rates(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) rates[static_cast<Eigen::Index>(k)] = system_->rate(rows[k]);
  const Eigen::MatrixXd D = system_->response(rows);
  const Eigen::VectorXd p = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(D).solve(-rates);
  const Eigen::VectorXd change = system_->change(rows, p) + friction_of_rest(set, p);
  for (std::size_t k = 0; k < set.size(); ++k) {
    const auto j = static_cast<Eigen::Index>(k);
    books_.impact(set[k], -p[j] * rates[j] / 2, -p[j] * system_->moving(rows[k]));
    impacts_[static_cast<std::size_t>(set[k])] = {};
  }
  for (Eigen::Index i = 0; i < change.size(); ++i) state_[e_.y.size() + static_cast<std::size_t>(i)] += change[i];
  const Mode before = mode_;
  closing_.insert(closing_.end(), set.begin(), set.end());
  closing_t_ = std::max(t_ + after, std::isfinite(closing_t_) ? closing_t_ : t_);
  impacted_.assign(impacted_.size(), false);
  choose_mode(Told(slack_.size(), frictions()));
  if (!going_) return;
  // What leaves without acceleration, but for rounding, does not come back.
  std::erase_if(closing_, [&](int i) { return !mode_[static_cast<std::size_t>(i)].closed; });
  if (closing_.empty()) closing_t_ = INFINITY;
  project();
  announce(before);
}

}  // namespace alembert::internal
