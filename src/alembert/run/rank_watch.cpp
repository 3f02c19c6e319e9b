#include "alembert/run/rank_watch.h"

#include <algorithm>
#include <utility>

namespace alembert {

namespace {

// Below this the gradients of the constraints count as dependent.
constexpr double dependent = 1e-7;
// A minimum between two steps this much smaller than the values around it is a zero: the motion between steps is known
// to about the fourth power of the step.
constexpr double passed = 3e-3;
constexpr int samples = 16;
constexpr int refinements = 40;

Exprs inputs(const Equations& e) {
  Exprs in{e.t};
  for (const Exprs* list : {&e.y, &e.z}) in.insert(in.end(), list->begin(), list->end());
  return in;
}

}  // namespace

RankWatch::RankWatch(const Equations& e, Watch& watch)
    : watch_(watch), n_y_(e.y.size()), velocity_(inputs(e), e.v, {Backend::interpreter, false}) {
  const std::size_t n = e.y.size() + e.z.size();
  for (Point& p : points_) p.state.resize(n), p.velocity.resize(n_y_);
  in_.resize(n + 1), middle_.resize(n), work_.resize(velocity_.work());
}

void RankWatch::find_velocity(Point& point) {
  in_[0] = point.t;
  std::copy(point.state.begin(), point.state.end(), in_.begin() + 1);
  velocity_(in_.data(), point.velocity.data(), work_.data());
}

// y by the cubic through both positions and velocities, z on the straight line.
double RankWatch::between(const Point& a, const Point& b, double s) {
  const double h = b.t - a.t, u = 1 - s;
  const double from = u * u * (1 + 2 * s), to = s * s * (1 + 2 * u), leave = h * s * u * u, arrive = -h * s * s * u;
  for (std::size_t i = 0; i < n_y_; ++i)
    middle_[i] = from * a.state[i] + to * b.state[i] + leave * a.velocity[i] + arrive * b.velocity[i];
  for (std::size_t i = n_y_; i < middle_.size(); ++i) middle_[i] = u * a.state[i] + s * b.state[i];
  return watch_.independence_at(a.t + s * h, middle_);
}

double RankWatch::smallest_between(const Point& a, const Point& b) {
  int best = 0;
  double least = 2;
  for (int k = 0; k <= samples; ++k) {
    const double value = between(a, b, static_cast<double>(k) / samples);
    if (value < least) least = value, best = k;
  }
  double left = std::max(0, best - 1) / static_cast<double>(samples);
  double right = std::min(samples, best + 1) / static_cast<double>(samples);
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < refinements; ++i) {
    const double one = right - golden * (right - left), two = left + golden * (right - left);
    const double at_one = between(a, b, one), at_two = between(a, b, two);
    least = std::min({least, at_one, at_two});
    (at_one < at_two ? right : left) = at_one < at_two ? two : one;
  }
  return least;
}

bool RankWatch::lost(double t, std::span<const double> state) {
  if (!watch_.watches_rank()) return false;
  std::swap(points_[0], points_[1]);
  std::swap(points_[1], points_[2]);
  auto& [first, middle, last] = points_;
  last.t = t;
  last.independence = watch_.independence();
  std::copy(state.begin(), state.end(), last.state.begin());
  ++count_;
  if (last.independence < dependent) return true;
  // Only where the smooth function whose size this is may have gone through zero.
  const bool turned = middle.independence <= first.independence && middle.independence <= last.independence;
  if (count_ < 3 || !turned || middle.independence > 0.5) return false;
  for (Point& p : points_) find_velocity(p);
  const double least = std::min(smallest_between(first, middle), smallest_between(middle, last));
  return least < passed * std::max(first.independence, last.independence);
}

}  // namespace alembert
