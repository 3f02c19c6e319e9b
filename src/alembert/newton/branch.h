#pragma once

// Whether the solution of a step's equations is the one that continues the motion. A long step may have several, and
// Newton takes any that is near its guess. What it saw on its way says in the usual case that there is no other.

#include <algorithm>
#include <cmath>

#include "alembert/newton/newton_result.h"

namespace alembert::internal {

/// After Newton-Kantorovich: where the second correction is c times the first, c small, other solutions are about 1/c
/// times as far from the guess as the one that was found. Above this nothing is sure.
constexpr double sure_contraction = 0.25;
/// Solutions that are that near to what was predicted, relative to the unknowns, need no further look.
constexpr double surely_near = 1e-3;
/// Others must not be further away than that in the new state, relative to its change over the step, or the equations
/// must look linear.
constexpr double near_start = 0.25;
constexpr double linear_contraction = 0.01;
/// Two ways to one solution end that near to each other: far above rounding, far below what lies between two solutions.
constexpr double same_solution = 1e-6;

/// Whether Newton found the solution so near to its guess and so fast that no further look is needed.
inline bool certain(const NewtonResult& result) {
  return result.contraction <= sure_contraction && result.moved <= surely_near;
}

/// Whether it is the solution that its guess was meant for. apart(): how far the guess was, in the new state.
template <class Apart>
bool continues(const NewtonResult& result, Apart apart) {
  if (result.outcome != Outcome::converged || result.contraction > sure_contraction) return false;
  return result.contraction <= linear_contraction || apart() <= near_start;
}

/// How far the changes a and b of a state over a step of size h are from each other: of the positions relative to the
/// larger one, of the velocities relative to the velocities. Infinite where something is not finite.
template <class T>
double distance(const T* state, const T* a, const T* b, int positions, int states, T h) {
  constexpr double rounding = 1e-9;  // relative to positions: differences of that size are none
  const auto larger = [](T now, T x) { return std::max(now, x < 0 ? -x : x); };
  T size_y = 0, change_y = 0, apart_y = 0, size_z = 0, apart_z = 0, none = 0;
  for (int i = 0; i < states; ++i) {
    const T apart = a[i] - b[i];
    none += apart - apart;
    if (i < positions) {
      size_y = larger(size_y, state[i]);
      change_y = larger(larger(change_y, a[i]), b[i]);
      apart_y = larger(apart_y, apart);
    } else {
      size_z = larger(larger(larger(size_z, state[i]), a[i]), b[i]);
      apart_z = larger(apart_z, apart);
    }
  }
  if (!(none == 0)) return HUGE_VAL;
  change_y = std::max(change_y, T(rounding) * size_y);
  size_z = std::max(size_z, T(rounding) * size_y / (h < 0 ? -h : h));
  const double y = apart_y == 0 ? 0 : static_cast<double>(apart_y / change_y);
  const double z = apart_z == 0 ? 0 : static_cast<double>(apart_z / size_z);
  return std::max(y, z);
}

}  // namespace alembert::internal
