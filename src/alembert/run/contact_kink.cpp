// Kinks of drives, tables, gaps, slips and forces while something is closed: bilateral impulses, impacts, and the mode
// behind them, by what holds there.

#include <algorithm>
#include <cmath>

#include "alembert/base/epsilon.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// So little later, as a part of a step, and so many times the rounding of the time, a kink is behind: what lies within
// both is not told from it.
constexpr double part_of_step = 1e-10;
constexpr double times_rounding = 32;
// More kinks than this in the time of a step are those of something that chatters: they are no ends any more.
constexpr int most_kinks = 50;

}  // namespace

/// The state a short time later, by straight lines.
void ContactRun::behind(double ahead, std::vector<double>& state) {
  base_.motion.look(t_, state_);
  const std::span<const double> v = base_.motion.velocity();
  state.assign(state_.begin(), state_.end());
  for (std::size_t i = 0; i < v.size(); ++i) state[i] += ahead * v[i];
}

void ContactRun::look() {
  if (ahead_ == 0) return system_->look(t_, state_);
  behind(ahead_, behind_);
  behind(2 * ahead_, limit_);
  system_->look_behind(t_ + ahead_, behind_, t_ + 2 * ahead_, limit_);
}

/// z' and the multipliers of an engine where the run stands; in a kink those behind it.
std::span<const double> ContactRun::rates(Engine& engine) {
  if (ahead_ == 0) return engine.multipliers.at(t_, state_);
  behind(ahead_, behind_);
  return engine.multipliers.at(t_ + ahead_, behind_);
}

/// Whether the segment that begins is to end at kinks.
bool ContactRun::follows_kinks() {
  if (!compiled_->engine.kinks || !keeps_contact(mode_)) return false;
  if (std::abs(t_ - counted_from_) < std::abs(options_.step)) return kinks_ < most_kinks;
  counted_from_ = t_;
  kinks_ = 0;
  return true;
}

/// Whether constraints or gaps jump themselves, which no motion follows: the run ends.
bool ContactRun::torn() {
  constexpr double much = 1e-7;  // of places: what passing over a kink moves them by is far less
  look();
  base_.watch.glance(t_ + ahead_, behind_);
  double size = 1;
  for (std::size_t i = 0; i < e_.y.size(); ++i) size = std::max(size, std::abs(state_[i]));
  double off = base_.watch.position();
  for (int i = 0; i < count(); ++i)
    if (mode_[static_cast<std::size_t>(i)].closed) off = std::max(off, -system_->gap(i));
  if (off <= much * size) return false;
  fail("constraints or gaps jump at t = " + time_text(t_) + ": they are off by " + to_text(off) +
       " at once, and no motion follows that; lead there by a ramp (a `table`), or by a force or torque");
  return true;
}

/// Velocities that bilateral constraints leave behind in their kink are put onto them by their impulses alone; what
/// these do to contacts is an impact.
void ContactRun::keep_bilateral() {
  constexpr double rounding = 1e-9;  // of the velocities: they come from straight lines
  kink_impulses_.clear();
  look();
  const ContactSystem::Kept kept = system_->kept();
  if (kept.multipliers.empty() || !kept.change.allFinite()) return;
  double speed = 0;
  for (std::size_t i = e_.y.size(); i < state_.size(); ++i) speed = std::max(speed, std::abs(state_[i]));
  const bool jumps = kept.change.cwiseAbs().maxCoeff() > rounding * speed;
  base_.watch.glance(t_, state_);
  const double before = base_.watch.energy();
  for (Eigen::Index i = 0; i < kept.change.size(); ++i)
    state_[e_.y.size() + static_cast<std::size_t>(i)] += kept.change[i];
  if (!jumps) return;
  base_.watch.glance(t_, state_);
  books_.set(base_.watch.energy() - before);
  kink_impulses_ = kept.multipliers;
  warn("impulse",
       "a constraint has a kink at t = " + time_text(t_) +
           ": the velocities jump there, as by an impulse; smooth it (a `spline` or `monotone` table) where the real "
           "motion has no such jump");
}

/// Whether the impulses of a kink load friction in joints or constraints.
bool ContactRun::kink_loads() {
  if (kink_impulses_.empty() || !system_->any_load()) return false;
  const std::vector<double> loads = system_->loads(kink_impulses_),
                            resting = system_->loads(std::vector<double>(kink_impulses_.size(), 0));
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (loads[i] > resting[i]) return true;
  return false;
}

/// From just before a kink to just behind it: impulses of bilateral constraints that have it, impacts with what then is
/// approached, and the mode by what holds behind it.
void ContactRun::cross_kink(double t) {
  ++kinks_;
  const double dt = t - t_;
  const std::span<const double> rates = compiled_->engine.multipliers.at(t_, state_);
  behind(dt, behind_);
  std::copy(behind_.begin(), behind_.end(), state_.begin());
  for (std::size_t i = 0; i < e_.z.size(); ++i)
    if (std::isfinite(rates[i])) state_[e_.y.size() + i] += dt * rates[i];
  t_ = t;
  ahead_ = std::max(part_of_step * std::abs(options_.step), times_rounding * epsilon * std::abs(t_));
  handed_.in_kink = true;
  if (torn()) return;
  keep_bilateral();
  settle(nothing_told(), true);
  kink_impulses_.clear();
  if (t_ > piece_begin_) track_.piece(std::exchange(piece_begin_, t_), t_);
}

}  // namespace alembert::internal
