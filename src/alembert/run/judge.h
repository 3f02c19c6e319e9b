#pragma once

// Whether a run still is what the method claims: every state finite, constraints held to rounding, the energy where
// nothing does work, and its account where something does.

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "alembert/run/engine.h"

namespace alembert::internal {

class Judge {
 public:
  /// The engine's watch has looked at the start. accounts: the engine's account of the work is kept at every point. The
  /// engine outlives the judge.
  Judge(Engine& engine, const GridPoint& start, bool accounts);

  /// Whether the state at which the watch looked last is as it was expected. Costs a few comparisons.
  bool fine() {
    const bool looks_closer = ++looks_ % between_kinetic == 0;
    const Watch& watch = engine_.watch;
    const bool held = watch.position() <= held_ && watch.velocity() <= held_ && watch.nonholonomic() <= held_;
    if (!held || !watch.finite()) return false;
    if (!engine_.conservative) return !accounts_ || (engine_.work->off() <= known_error_ && !looks_closer);
    return std::abs(watch.energy() - first_energy_) <= known_error_ && !looks_closer;
  }
  // For steps that look at themselves (step_kernel.h): what is beyond the bounds needs a look here, and so do some
  // steps by their number.
  double residual_bound() const { return held_; }
  double energy_bound() const { return engine_.conservative ? known_error_ : HUGE_VAL; }
  /// Steps to the next that is looked at for its number.
  long until_closer() const { return between_kinetic - looks_ % between_kinetic; }
  /// So many steps were as expected.
  void skip(long steps) { looks_ += steps; }
  /// As broken(), of the energy alone.
  std::string look_closer(const GridPoint& at, double energy) {
    return engine_.conservative ? broken_energy(at, energy, std::abs(energy - first_energy_)) : "";
  }
  /// An event changed the energy at once: from here on that is what it should be.
  void jumped(double change) { first_energy_ += change; }
  /// A motion of another size may begin here; errors of the energy so far stay.
  void go_on(const GridPoint& from);
  /// What that state breaks, where it is not fine; "" where all is well.
  std::string broken(const GridPoint& at);

  /// The largest error of the energy so far, relative to the kinetic energy; of an account, to all that was moved in
  /// it.
  double energy_error() const;
  /// The error of the energy in the end, relative to the mean of the kinetic energy.
  double final_error() const;
  /// The least error of the state, relative to the range of motion, that goes with the present error of the energy.
  double least_error() const;
  /// The largest residual of constraints that the method claims to hold, where a tolerance of Newton's lets it be more
  /// than rounding; 0 where it is none.
  double loosely_held() const;
  double energy_error_t() const { return energy_error_t_; }

  /// What it has seen of the motion.
  template <class A>
  void archive(A& fields) {
    fields(size_, speed_, slope_, held_, looks_, first_energy_, kinetic_, kinetic_integral_, kinetic_time_, kinetic_t_,
           early_, span_, known_error_, energy_error_, energy_error_t_);
  }

 private:
  static constexpr long between_kinetic = 16;  // looks between two at the kinetic energy
  bool not_finite(std::span<const double> state) const;
  std::string broken_constraint(const GridPoint& at);
  std::string broken_energy(const GridPoint& at, double energy, double error);
  bool bursts(double error, bool early) const;
  std::string burst_words(double energy, double error, double t) const;
  double scale() const;
  double kinetic(const GridPoint& at);
  bool rests(const GridPoint& at) const;
  std::string words(const char* what, double residual, double t) const;

  Engine& engine_;
  bool accounts_;
  double size_, speed_ = 0;  // of positions at the start, of velocities so far
  double slope_;             // of the constraints at the start: the longest gradient
  double held_;              // residuals of constraints below this are rounding
  long looks_ = 0;
  double first_energy_, kinetic_ = 0;
  double kinetic_integral_ = 0, kinetic_time_ = 0, kinetic_t_;  // over time; when it was looked at last
  double early_;                                                // the largest energy in the first steps
  double span_ = 0;                                             // by which the energy has changed at most
  double known_error_ = -1;                                     // of the energy: up to here nothing new is seen
  double energy_error_ = 0, energy_error_t_ = 0;
};

}  // namespace alembert::internal
