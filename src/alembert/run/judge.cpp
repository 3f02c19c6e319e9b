#include "alembert/run/judge.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/run/accuracy.h"

namespace alembert::internal {

namespace {

// Residuals of constraints relative to their terms. Rounding makes 1e-15 of them, ill-conditioned equations 1e-10; a
// method that holds its constraints and shows more does not hold them.
constexpr double held = 1e-7;
// Where Newton stops at a tolerance, residuals may be so many times as large.
constexpr double loose = 1e4;
// Errors of the energy of a method that conserves it exactly, relative to the kinetic energy.
constexpr double conserved = 1e-6;
// An energy that grew to this many times what there was in the first steps did not come from an inaccurate method: the
// steps are unstable.
constexpr double burst = 100;
constexpr long first_steps = 50;
// But for the very first ones only of steps whose energy is right by this part: an explosion is no measure of itself.
constexpr long very_first_steps = 4;
constexpr double early_burst = 1e4;  // of the kinetic energy
constexpr double right_enough = 0.5;
// Explosions pass every bound, in whatever units; less may be rounding of a system at rest, which has no scale.
constexpr double noise = 1e-12;
// Velocities that move nothing by more than this part of the size of the system in a unit of time are rounding.
constexpr double at_rest = 1e-12;
// Errors of the energy are looked at again when they have grown by this factor.
constexpr double looked_again = 1.1;
// Differences of energies below this part of them are rounding.
constexpr double energy_rounding = 1e-10;

double largest(std::span<const double> values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

Judge::Judge(Engine& engine, const GridPoint& start, bool accounts)
    : engine_(engine),
      accounts_(accounts && engine.work),
      size_(largest(std::span(start.state).first(engine.e.y.size()))),
      slope_(std::max(1.0, largest(engine.watch.longest()))),
      held_(std::max(held, loose * engine.options.newton.tolerance)),
      first_energy_(engine.watch.energy()),
      kinetic_t_(start.t),
      early_(std::abs(first_energy_)) {
  if (engine_.conservative || accounts_) kinetic_ = kinetic(start);
}

void Judge::go_on(const GridPoint& from) {
  size_ = std::max(size_, largest(std::span(from.state).first(engine_.e.y.size())));
  slope_ = std::max(slope_, largest(engine_.watch.longest()));
  looks_ = 0;
  known_error_ = -1;
}

std::string Judge::broken(const GridPoint& at) {
  if (not_finite(at.state)) return "the state is not finite at t = " + time_text(at.t) + "; try a smaller step";
  std::string found = broken_constraint(at);
  if (!found.empty() || !(engine_.conservative || accounts_)) return found;
  const double energy = engine_.watch.energy();
  return broken_energy(at, energy, accounts_ ? engine_.work->off() : std::abs(energy - first_energy_));
}

double Judge::energy_error() const {
  if (accounts_ || kinetic_ == 0 || energy_error_ == 0) return energy_error_;
  return std::max(energy_error_, engine_.watch.energy_watched.max_error / kinetic_);
}

double Judge::final_error() const {
  if (accounts_ || kinetic_integral_ == 0 || energy_error_ == 0) return 0;
  return std::abs(engine_.watch.energy() - first_energy_) * kinetic_time_ / kinetic_integral_;
}

// In an oscillation an error of 1 in its range of positions changes the potential energy by 4 times the largest kinetic
// energy at most, and one of 1 in its range of velocities changes the kinetic energy by as much.
double Judge::least_error() const {
  if (accounts_ || kinetic_ == 0 || energy_error_ == 0) return 0;
  return std::abs(engine_.watch.energy() - first_energy_) / (8 * kinetic_);
}

double Judge::loosely_held() const {
  if (engine_.options.newton.tolerance == 0) return 0;
  const Watch& watch = engine_.watch;
  const Claims& claims = engine_.method.claims;
  const double scale = std::max(1.0, slope_ * size_);
  const double speed = std::max(1.0, largest(watch.longest()) * std::max(speed_, largest(engine_.motion.velocity())));
  double off = 0;
  const auto add = [&](bool claimed, double residual, double allowed) {
    if (claimed && residual > held * allowed) off = std::max(off, residual);
  };
  add(claims.position, watch.max_position, scale);
  add(claims.velocity, watch.max_velocity, speed);
  add(claims.nonholonomic, watch.max_nonholonomic, speed);
  return off;
}

bool Judge::not_finite(std::span<const double> state) const {
  double sum = 0;
  for (const double x : state) sum += x * 0;
  return sum != 0;
}

double Judge::kinetic(const GridPoint& at) {
  engine_.motion.look(at.t, at.state);
  const std::span<const double> p = engine_.motion.momentum(), v = engine_.motion.velocity();
  double sum = 0;
  for (std::size_t i = 0; i < std::min(p.size(), v.size()); ++i) sum += p[i] * v[i];
  return std::abs(sum) / 2;
}

std::string Judge::words(const char* what, double residual, double t) const {
  return std::string(what) + " by " + to_text(residual) + " at t = " + time_text(t) + ", which " + engine_.method.name +
         " never does where its equations are solved: the motion has left what numbers can hold; try a smaller step";
}

std::string Judge::broken_constraint(const GridPoint& at) {
  // Where constraints follow from others, Newton itself watches whether they contradict each other.
  if (!engine_.initial.redundant.empty()) return "";
  const Watch& watch = engine_.watch;
  const Claims& claims = engine_.method.claims;
  if (claims.position && watch.position() > held_ && watch.position() > held_ * slope_ * size_)
    return words("the constraints are violated", watch.position(), at.t);
  const bool slow = watch.velocity() <= held_ && watch.nonholonomic() <= held_;
  if (slow) return "";
  engine_.motion.look(at.t, at.state);
  speed_ = std::max(speed_, largest(engine_.motion.velocity()));
  const double allowed = held_ * std::max(1.0, largest(watch.longest())) * speed_;
  if (claims.velocity && watch.velocity() > std::max(held_, allowed))
    return words("the constraints on the velocities are violated", watch.velocity(), at.t);
  if (claims.nonholonomic && watch.nonholonomic() > std::max(held_, allowed))
    return words("the nonholonomic constraints are violated", watch.nonholonomic(), at.t);
  return "";
}

/// What errors of the energy are compared with. Overdamped motions have next to no kinetic energy.
double Judge::scale() const { return accounts_ ? kinetic_ + span_ + engine_.work->gained() : kinetic_; }

/// Whether all velocities are rounding of what forces that cancel would make of them in a step.
bool Judge::rests(const GridPoint& at) const {
  Multipliers own(engine_.multipliers);
  const std::size_t n_y = engine_.e.y.size();
  const std::vector<double> forces = balanced_forces(own, at, n_y, engine_.options.step);
  for (std::size_t j = 0; j < forces.size(); ++j)
    if (std::abs(at.state[n_y + j]) > rounding_of_forces * forces[j]) return false;
  return !forces.empty();
}

std::string Judge::broken_energy(const GridPoint& at, double energy, double error) {
  const bool early = looks_ <= first_steps;
  const double now = kinetic(at);
  kinetic_ = std::max(kinetic_, now);
  span_ = std::max(span_, std::abs(energy - first_energy_));
  const double passed = std::abs(at.t - std::exchange(kinetic_t_, at.t));
  kinetic_integral_ += now * passed;
  kinetic_time_ += passed;
  if (looks_ <= very_first_steps || (early && error <= right_enough * now)) early_ = std::max(early_, now);
  if (!early) known_error_ = std::max(known_error_, energy_rounding * std::abs(first_energy_));
  if (error <= energy_rounding * std::abs(first_energy_)) return "";
  const double most = scale();
  if (most == 0 || largest(engine_.motion.velocity()) <= at_rest * size_) return "";
  const bool worse = error / most > energy_error_;
  if (worse && error > may_be_rest * most && rests(at)) {
    known_error_ = std::max(known_error_, looked_again * error);
    return "";
  }
  if (worse) {
    energy_error_ = error / most;
    energy_error_t_ = at.t;
  }
  if (!early) known_error_ = std::max(known_error_, looked_again * error);
  const double allowed = std::max(conserved, loose * engine_.options.newton.tolerance);
  if (!accounts_ && engine_.method.claims.energy && error > allowed * kinetic_)
    return words("the energy is off", error, at.t);
  if (!bursts(error, early)) return "";
  return burst_words(energy, error, at.t);
}

bool Judge::bursts(double error, bool early) const {
  const double there = early_ + (accounts_ ? engine_.work->gained() : 0);
  // Where a motion becomes faster by itself, what is right of its kinetic energy is no explosion.
  if (looks_ <= very_first_steps || error <= burst * there || error <= right_enough * kinetic_) return false;
  // At first, and where everything is at rest, the energy itself may be rounding.
  return error > noise && !(early && kinetic_ <= early_burst * there);
}

std::string Judge::burst_words(double energy, double error, double t) const {
  const std::string from =
      "the energy went from " + to_text(first_energy_) + " to " + to_text(energy) + " by t = " + time_text(t);
  const std::string why = accounts_ ? ", and what forces and damping do explains all but " + to_text(error) + " of it"
                                    : " although nothing does work";
  // Newton's own tolerance may be the reason, too.
  const double loose_newton = engine_.options.newton.tolerance;
  return from + why + ": the steps are too long for this motion; try a smaller step" +
         (loose_newton > 0 ? ", or Newton without its tolerance of " + to_text(loose_newton) : "");
}

}  // namespace alembert::internal
