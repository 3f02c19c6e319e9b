// How far a segment goes at most, so that no flight is passed over and slip in space turns little in a step.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/decompositions.h"
#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// A flight that is shorter than so many steps is looked at in two parts: else its impact would be missed.
constexpr double short_flight = 4;
// What has opened is asked after so many steps whether it is away from the surface: its next impact is that of its gap,
// and not of what is allowed to one that touches.
constexpr double steps_to_leave = 2;
// Slip in space turns fast where it ends: the steps halve from so many steps before on, and its direction stays for the
// last part of a step. What stands across then is lost: that part times the turn.
constexpr double near_stop = 3, last_of_stop = 1e-5;
// Slip in space that begins keeps its direction, for this part of a step at first, anew after every short time, until
// it is this part of the velocities.
constexpr double first_of_slip = 1e-3, slip_of_start = 1e-7;
// While slip may turn the time to its end is looked at again after so many steps, and after half of that time.
constexpr double steps_between_looks = 20;
// A slip in space whose direction turns in a step so far that this cosine is not reached came to its end inside, or all
// but did: steps are chosen for half of that angle. Steps below this part of the usual ones are taken all the same.
constexpr double turned_far = 0.5, shortest_refused = 1e-5;

}  // namespace

/// Slips that have begun get the directions in which friction and what pulls are in line, and that they keep to from
/// then on: they turn faster than any step, and what stands across would swing.
void ContactRun::align_slips(const std::vector<std::pair<int, std::size_t>>& begun) {
  std::vector<int> closed, rows;
  for (int k = 0; k < count(); ++k)
    if (mode_[static_cast<std::size_t>(k)].closed) closed.push_back(k);
  Told told(slack_.size(), frictions());
  for (const auto& [i, j] : begun) told.stops[static_cast<std::size_t>(system_->first_friction(i)) + j] = true;
  std::optional<ConeProblem> problem = force_problem(closed, told);
  const std::optional<ConeSolution> found = problem ? solved(*problem, closed, &free_multipliers_) : std::nullopt;
  if (!found) return;
  for (const int k : closed) rows.push_back(contact(k).normal);
  std::vector<double> off(rows.size(), 0);
  for (const auto& [i, j] : begun) {
    const auto place = static_cast<std::size_t>(std::find(closed.begin(), closed.end(), i) - closed.begin());
    const ConeSolution::Tangent& wanted = found->contacts[place].tangents[j];
    const int first = contact(i).friction[j].first;
    const double along = system_->rate(first) * wanted.direction[0] + system_->rate(first + 1) * wanted.direction[1];
    if (!wanted.slips || along <= 0) continue;
    mode_[static_cast<std::size_t>(i)].friction[j].direction = wanted.direction;
    for (int r = 0; r < 2; ++r) {
      off.push_back(system_->rate(first + r) - along * wanted.direction[static_cast<std::size_t>(r)]);
      rows.push_back(first + r);
    }
  }
  if (rows.size() == closed.size()) return;
  const Eigen::Map<const Eigen::VectorXd> across(off.data(), static_cast<Eigen::Index>(off.size()));
  const Eigen::VectorXd impulses = least_squares(system_->response(rows), Eigen::VectorXd(-across));
  const Eigen::VectorXd change = system_->change(rows, impulses);
  for (Eigen::Index k = 0; k < change.size(); ++k) state_[e_.y.size() + static_cast<std::size_t>(k)] += change[k];
  look();
}

bool ContactRun::any_turns() const {
  return std::any_of(mode_.begin(), mode_.end(), [](const ContactMode& m) {
    return m.closed && std::any_of(m.friction.begin(), m.friction.end(),
                                   [](const FrictionMode& f) { return f.kind == FrictionMode::Kind::turns; });
  });
}

/// Whether a step led past the end of a slip in space, which then goes somewhere else: friction inside is not smooth,
/// and the step is worth nothing. From where it began the next ones are shorter.
bool ContactRun::slip_turned_far(const GridPoint& from, const GridPoint& to) {
  if (std::abs(to.t - from.t) < shortest_refused * std::abs(options_.step)) return false;
  system_->glance(from.t, from.state);
  const auto each = [&](const auto& with) {
    for (int i = 0; i < count(); ++i)
      for (std::size_t j = 0; mode_[static_cast<std::size_t>(i)].closed && j < contact(i).friction.size(); ++j)
        if (mode_[static_cast<std::size_t>(i)].friction[j].kind == FrictionMode::Kind::turns)
          with(contact(i).friction[j].first);
  };
  std::vector<std::array<double, 2>> slips;
  each([&](int row) { slips.push_back({system_->rate(row), system_->rate(row + 1)}); });
  system_->glance(to.t, to.state);
  bool far = false;
  std::size_t next = 0;
  each([&](int row) {
    const std::array<double, 2> was = slips[next++], is = {system_->rate(row), system_->rate(row + 1)};
    const double sizes = std::hypot(was[0], was[1]) * std::hypot(is[0], is[1]);
    far = far || was[0] * is[0] + was[1] * is[1] < turned_far * sizes;
  });
  return far;
}

/// How far the segment goes at most; slip in space that begins or ends gets its direction.
double ContactRun::piece_end() {
  if (ended_) return t_;
  double end = std::min(options_.end, next_closing());
  look();
  const std::span<const double> rates = this->rates(compiled_->engine);
  const std::vector<double> accelerated = system_->accelerations(rates);
  const double h = std::abs(options_.step);
  const auto within = [&](double length) {
    if (t_ + length <= t_ || t_ + length >= end) return;
    end = t_ + length;
    handed_.ends_on_grid = false;
  };
  handed_.ends_on_grid = false;
  const auto on_grid = [&](double length) {
    const double steps = std::floor((t_ + length - handed_.grid) / h * (1 + 1e-14));
    const double at = handed_.grid + steps * h;
    if (at <= t_ || at >= end) return;
    end = at;
    handed_.ends_on_grid = true;
  };
  bool changed = false;
  std::vector<std::pair<int, std::size_t>> begun;
  for (int i = 0; i < count(); ++i) {
    ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    const double rate = system_->rate(contact(i).normal);
    const double a = accelerated[static_cast<std::size_t>(contact(i).normal)];
    if (!mode.closed) {
      if (mode.touches && opens_[static_cast<std::size_t>(i)]) on_grid(steps_to_leave * h);
      const bool flies = rate > 0 && at_surface(i) && falls(i, a, rates);
      if (flies && -2 * rate / a < short_flight * h) within(-rate / a);
      continue;
    }
    for (std::size_t j = 0; j < mode.friction.size(); ++j) {
      const SlipRows& f = contact(i).friction[j];
      FrictionMode& own = mode.friction[j];
      if (f.size == 1 || own.kind == FrictionMode::Kind::sticks) continue;
      std::array<double, 2> now{};
      const bool moves = slips(f, now);
      double size = 0, along = 0, across = 0, scale = 0;
      const double s1 = system_->rate(f.first), s2 = system_->rate(f.first + 1);
      const double a1 = accelerated[static_cast<std::size_t>(f.first)], a2 = accelerated[f.first + 1];
      size = std::hypot(s1, s2);
      scale = std::max(system_->rate_scale(f.first), system_->rate_scale(f.first + 1));
      along = size > 0 ? (s1 * a1 + s2 * a2) / size : 0;
      across = size > 0 ? std::abs(s1 * a2 - s2 * a1) / size : 0;
      // What is nothing but rounding has no direction, and no acceleration along it.
      const double stop = moves && along < 0 ? -size / along : INFINITY;
      const bool begins = !moves || (along >= 0 && size <= slip_of_start * scale);
      const FrictionMode::Kind kind =
          begins || stop < last_of_stop * h ? FrictionMode::Kind::slips : FrictionMode::Kind::turns;
      changed = changed || kind != own.kind || (moves && kind == FrictionMode::Kind::slips);
      if (moves && along > 0 && own.kind == FrictionMode::Kind::slips) begun.emplace_back(i, j);
      own.kind = kind;
      turned_ = true;
      if (moves) own.direction = now;
      if (begins) within(std::max(first_of_slip * h, moves ? std::min(h, size / std::hypot(a1, a2)) : 0));
      if (kind != FrictionMode::Kind::turns) continue;
      // Steps in which the slip grows many times over, or turns far, have no solution that Newton's method finds.
      const double change = size / std::hypot(a1, a2);
      if (change < h / 2) within(2 * change);
      if (across > 0 && size / across < 2 * h) within(size / across / 2);
      if (stop < near_stop * h) within(stop / 2);
      else on_grid(std::min(stop / 2, steps_between_looks * h));
    }
  }
  within(shortened_);
  // Else the same steps would lead from event to event as in the run beside which this one goes.
  constexpr double first_part = 0.381966011250105;
  const ContactTrack::Piece* piece = beside_ ? beside_->piece_from(t_) : nullptr;
  if (piece && piece->length() < whole_step_) within(first_part * piece->length());
  if (!begun.empty()) align_slips(begun);
  if (!changed) return end;
  const Mode before = mode_;
  leave_to_others();
  impacted_.assign(impacted_.size(), false);
  announce(before);
  project();
  compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  return end;
}

}  // namespace alembert::internal
