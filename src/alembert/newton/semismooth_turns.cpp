// Where semismooth Newton does not arrive: sweeps over the contacts, and Newton on equations that hold the forces to
// those of the last solution, less and less (proximal points).

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/nth.h"
#include "alembert/newton/semismooth_block.h"

namespace alembert::internal {

namespace {

// How often sweeps begin anew, where the forces that they leave lead nowhere: a second time was enough so far.
constexpr int most_sweep_rounds = 8;
// Solutions from one round of sweeps on, and how many without getting nearer by a half. 30 spheres between rough walls
// take 8 to 16.
constexpr int most_turns = 40, most_idle_turns = 5;
// Friction may turn in a circle from sweep to sweep: behind the first round it goes this part of the way.
constexpr double part_of_friction = 0.5;
// Parts of their own response by which forces are held: so that at first they move by a thousandth of themselves, at
// most with the stiffness of the contact alone, and not below what rounding leaves of the matrix. A tenth of it after
// each solution, ten times it where there is none.
constexpr double first_move = 1e-3, most_held = 0.1, least_held = 1e-11, stiffer = 10, stiffest = 1e3;
// What is left of the equations, against the largest force: rounding; what ends the search where it gets no further;
// and what is taken at most, which the run says.
constexpr double exact_left = 1e-13, good_left = 1e-11, most_left = 1e-5;

}  // namespace

/// The largest part of an equation that does not hold, against the largest force and the terms.
double Semismooth::Block::residual(const double* x) {
  if (!linear_in_unknowns) take(x);
  const double* const u = x + offset;
  evaluate(u);
  double force = std::max(force_size(), 1e-300), worst = 0;
  for (const int i : taken)
    if (of_contact[static_cast<std::size_t>(i)]) force = std::max(force, std::abs(u[i]));
  for (const int i : taken) {
    const auto k = static_cast<std::size_t>(i);
    double size = force;
    if (!of_contact[k])
      for (int m = places.row_start[i]; m < places.row_start[i + 1]; ++m)
        size += std::abs(entry(static_cast<std::size_t>(m)) * u[places.column[m]]);
    const double part = std::abs(F[k]) / size;
    if (!(part <= worst)) worst = part;
  }
  return worst;
}

/// Newton from where the unknowns are, in full steps, and where that does not get there in shortened ones. Forces that
/// slip go along a circle: behind a full step more may be left than before, though it is nearer.
bool Semismooth::Block::newton_twice(double* x, NewtonResult& result, NewtonStatistics& statistics) {
  double* const u = unknowns(x);
  const std::vector<double> start(u, u + count);
  for (const bool shortened : {false, true}) {
    damped = shortened;
    std::copy(start.begin(), start.end(), u);
    result.outcome = Outcome::converged;
    take(x);
    const bool there = newton(x, result, statistics);
    damped = false;
    if (there) return true;
  }
  return false;
}

/// Sweeps and Newton in turns; whether the unknowns are good enough.
bool Semismooth::Block::take_turns(double* x, NewtonResult& result, NewtonStatistics& statistics) {
  double* const u = unknowns(x);
  std::vector<double> best;
  double least = INFINITY;
  const auto look = [&] {
    const double back = std::exchange(held, 0), now = residual(x);
    held = back;
    if (!(now < least) && !best.empty()) return;
    least = now;
    best.assign(u, u + count);
  };
  for (int round = 0; round < most_sweep_rounds && !(least <= good_left); ++round) {
    if (round > 0) std::copy(best.begin(), best.end(), u);
    if (!sweep(x, round == 0 ? 1 : part_of_friction)) return false;
    look();
    held = std::clamp(least / first_move, least_held, most_held);
    held_at.assign(u, u + count);
    double before = least;
    for (int turn = 0, idle = 0; turn < most_turns && idle < most_idle_turns && !(least <= exact_left); ++turn) {
      const bool there = newton_twice(x, result, statistics);
      look();
      if (there) held_at.assign(u, u + count);
      else std::copy(held_at.begin(), held_at.end(), u);
      idle = least < before / 2 ? 0 : idle + 1;
      if (idle == 0) before = least;
      held = there ? std::max(held / stiffer, least_held) : stiffer * held;
      if (held > stiffest) break;
    }
    held = 0;
  }
  std::copy(best.begin(), best.end(), u);
  result.outcome = least <= most_left ? Outcome::converged : Outcome::diverged;
  if (!(least <= most_left)) return false;
  if (least <= good_left) return true;
  ++statistics.inexact;
  statistics.largest_left = std::max(statistics.largest_left, least);
  return true;
}

}  // namespace alembert::internal
