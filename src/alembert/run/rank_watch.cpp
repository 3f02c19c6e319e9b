#include "alembert/run/rank_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/run/motion.h"

namespace alembert::internal {

namespace {

// Below this the gradients of the constraints count as dependent.
constexpr double dependent = 1e-7;
// A minimum between two steps this much smaller than the values around it is a zero: the motion between steps is known
// to about the fourth power of the step.
constexpr double passed = 3e-3;
// Second differences of velocities beyond this part of their size are jumps; components smaller than that part of the
// largest do not count alone.
constexpr double turn = 0.5, still = 0.05;
// The same for the energy, against that of the motion.
constexpr double energy_jump = 0.1;
// Residuals of the constraints behind a position, against those before it; less than that part of the gradients does
// not count.
constexpr double worse = 10, small_residual = 1e-6;
// So many points in a row with dependent constraints are no passage.
constexpr long longest_stay = 100;
// A function that goes through zero between equal steps is, in the middle, a third of what it is at the further end;
// one that touches zero is less, and so is one with steps that grow to twice their size. A minimum that is flatter has
// no zero beside it.
constexpr double steep_part = 0.9;
// Where the minimum lies between two points: places looked at first, then golden sections, 0.618^40 = 4e-9 of the two
// parts that are left. A minimum is not known better than to the root of rounding.
constexpr int samples = 16;
constexpr int refinements = 40;

}  // namespace

RankWatch::RankWatch(const Equations& e, Watch& watch) : watch_(watch), n_y_(e.y.size()) {
  Exprs motion = e.v;
  motion.push_back(e.p.size() == e.v.size() ? dot(e.p, e.v) : e.graph->constant(0));
  motion_ = Kernel<double>(state_arguments(e), motion, interpreted);
  const std::size_t n = e.y.size() + e.z.size();
  for (Point& p : points_) {
    p.state.resize(n);
    p.velocity.resize(n_y_);
  }
  in_.resize(n + 1);
  out_.resize(n_y_ + 1);
  middle_.resize(n);
  work_.resize(motion_.work());
}

RankWatch::RankWatch(const RankWatch& other, Watch& watch)
    : watch_(watch),
      n_y_(other.n_y_),
      motion_(other.motion_),
      points_(other.points_),
      newest_(other.newest_),
      in_(other.in_),
      out_(other.out_),
      middle_(other.middle_),
      work_(other.work_) {}

void RankWatch::find_motion(Point& point) {
  in_[0] = point.t;
  std::copy(point.state.begin(), point.state.end(), in_.begin() + 1);
  motion_(in_.data(), out_.data(), work_.data());
  std::copy_n(out_.begin(), n_y_, point.velocity.begin());
  point.kinetic = std::abs(out_.back());
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
    if (value < least) {
      least = value;
      best = k;
    }
  }
  double left = std::max(0, best - 1) / static_cast<double>(samples);
  double right = std::min(samples, best + 1) / static_cast<double>(samples);
  constexpr double golden = 0.6180339887498949;  // (sqrt(5) - 1)/2
  for (int i = 0; i < refinements; ++i) {
    const double one = right - golden * (right - left), two = left + golden * (right - left);
    const double at_one = between(a, b, one), at_two = between(a, b, two);
    least = std::min({least, at_one, at_two});
    (at_one < at_two ? right : left) = at_one < at_two ? two : one;
  }
  return least;
}

// A motion that changes its branch turns velocities over within a step; one that is wrong has another energy.
bool RankWatch::smooth() const {
  const Point &first = point(0), &middle = point(1), &last = point(2);
  const double share = (last.t - middle.t) / (middle.t - first.t);  // the last step may be shorter
  double largest = 0;
  for (const Point& p : points_)
    for (const double v : p.velocity) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < n_y_; ++i) {
    const double a = first.velocity[i], b = middle.velocity[i], c = last.velocity[i];
    const double size = std::max({std::abs(a), std::abs(b), std::abs(c), still * largest});
    if (!(std::abs(c - b - share * (b - a)) <= turn * size)) return false;
  }
  const double jump = std::abs(last.energy - middle.energy - share * (middle.energy - first.energy));
  if (!(jump <= energy_jump * std::max({first.kinetic, middle.kinetic, last.kinetic}))) return false;
  double gradient = 0, place = 0;
  for (const double length : watch_.longest()) gradient = std::max(gradient, length);
  for (std::size_t i = 0; i < n_y_; ++i) place = std::max(place, std::abs(last.state[i]));
  return last.residual <=
         std::max(worse * std::max(first.residual, middle.residual), small_residual * gradient * place);
}

RankWatch::Rank RankWatch::look(double t, std::span<const double> state) {
  if (!watch_.watches_rank()) return Rank::kept;
  newest_ = newest_ == 2 ? 0 : newest_ + 1;
  Point &first = point(0), &middle = point(1), &last = point(2);
  last.t = t;
  last.independence = watch_.independence();
  last.energy = watch_.energy();
  last.residual = watch_.position();
  ++count_;
  // Near dependence the watch looks at every point.
  near_ = watch_.independence_is_new() ? near_ + 1 : 0;
  if (near_ == 0) return Rank::kept;
  std::copy(state.begin(), state.end(), last.state.begin());
  dependent_ = last.independence < dependent ? dependent_ + 1 : 0;
  if (near_ < 3) return Rank::kept;
  if (dependent_ > longest_stay) return Rank::lost;
  // Only where the smooth function whose size this is may have gone through zero.
  const bool turned = middle.independence <= first.independence && middle.independence <= last.independence;
  if (!turned || middle.independence > 0.5) return Rank::kept;
  const bool steep = middle.independence <= steep_part * std::max(first.independence, last.independence);
  if (!steep && middle.independence >= dependent) return Rank::kept;
  for (Point& p : points_) find_motion(p);
  const bool through =
      middle.independence < dependent || std::min(smallest_between(first, middle), smallest_between(middle, last)) <
                                             passed * std::max(first.independence, last.independence);
  if (!through) return Rank::kept;
  if (!smooth()) return Rank::lost;
  const bool again = count_ - said_ < 3;
  said_ = count_;
  return again ? Rank::kept : Rank::passed;
}

}  // namespace alembert::internal
