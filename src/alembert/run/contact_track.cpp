#include "alembert/run/contact_track.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

// Of a run, evenly: enough to see where two runs part, to a part of 1/256 of the time, however long it is.
constexpr std::size_t most_points = 512;
// Two runs meet an event at times that differ by a small part of what lies between events.
constexpr double same_piece = 0.1;

}  // namespace

void ContactTrack::pass(double t, std::span<const double> state) {
  ranges_.add(state);
  if (++passed_ % every_ != 0) return;
  points_.push_back({t, {state.begin(), state.end()}});
  if (points_.size() < most_points) return;
  every_ *= 2;
  for (std::size_t i = 0; 2 * i + 1 < points_.size(); ++i) points_[i] = std::move(points_[2 * i + 1]);
  points_.resize(points_.size() / 2);
}

double ContactTrack::rounding(std::size_t i) const {
  const double own = ranges_.rounding(i), time = points_.size() < 2 ? 0 : points_.back().t - points_.front().t;
  if (i < n_y_ || !(time > 0)) return own;
  double of_positions = 0;
  for (std::size_t k = 0; k < n_y_; ++k) of_positions = std::max(of_positions, ranges_.rounding(k));
  return std::max(own, of_positions / time);
}

const ContactTrack::Piece* ContactTrack::piece_from(double t) const {
  auto next = std::lower_bound(pieces_.begin(), pieces_.end(), t, [](const Piece& a, double b) { return a.begin < b; });
  const auto fits = [&](const Piece& piece) { return std::abs(piece.begin - t) <= same_piece * piece.length(); };
  if (next != pieces_.end() && fits(*next)) return &*next;
  if (next != pieces_.begin() && fits(*--next)) return &*next;
  return nullptr;
}

bool ContactTrack::any_shorter(double length) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.length() < length; });
}

std::vector<double> TrackComparison::times(double end) const {
  std::vector<double> times;
  for (const ContactTrack::Point& point : track_.points())
    if (point.t <= end) times.push_back(point.t);
  return times;
}

void TrackComparison::row(std::span<const double> values) {
  const std::vector<ContactTrack::Point>& points = track_.points();
  while (next_ < points.size() && points[next_].t < values[0]) ++next_;
  if (next_ >= points.size() || points[next_].t != values[0]) return;
  const std::span<const double> state = values.subspan(1, points[next_].state.size());
  seen_.push_back({distance(state, points[next_].state), values[0]});
}

// Straight from end to end: where contacts change in a step not more is known.
void TrackComparison::between(double t0, std::span<const double> from, double t1, std::span<const double> to) {
  const std::vector<ContactTrack::Point>& points = track_.points();
  for (; next_ < points.size() && points[next_].t <= t1; ++next_) {
    const double share = (points[next_].t - t0) / (t1 - t0);
    std::vector<double> state(points[next_].state.size());
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = from[i] + share * (to[i] - from[i]);
    seen_.push_back({distance(state, points[next_].state), points[next_].t});
  }
}

// What is no more than rounding is no distance.
double TrackComparison::distance(std::span<const double> a, std::span<const double> b) const {
  const std::vector<double> scales = track_.ranges().scales();
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double apart = std::abs(a[i] - b[i]) - track_.rounding(i);
    if (!(apart <= 0)) most = std::max(most, apart / scales[i]);
  }
  return most;
}

TrackComparison::Apart TrackComparison::largest(double t, std::span<const double> end, std::span<const double> other,
                                                std::size_t in_a_row) const {
  const double at_end = distance(other, end);
  Apart most{at_end, t};
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    double all = seen_[i].error;
    for (std::size_t k = i + 1; k < i + in_a_row; ++k) all = std::min(all, k < seen_.size() ? seen_[k].error : at_end);
    if (all > most.error) most = {all, seen_[i].t};
  }
  return most;
}

}  // namespace alembert::internal
