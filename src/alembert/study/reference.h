#pragma once

// Solutions far more accurate than what is measured against them, and the distances that are measured.

#include "alembert/run/integrate.h"

namespace alembert::internal {

/// Three distances or orders, one each for y, z and the multipliers; NaN where there is nothing to measure.
struct Errors {
  double q = 0, v = 0, multiplier = 0;
};

/// Largest difference of a component, relative to the largest component of b (absolute where b is 0).
double distance(const std::vector<Quad>& a, const std::vector<Quad>& b);
/// The distances of a point from the exact one; NaN for the multipliers where there are none.
Errors errors(const MotionPoint<Quad>& point, const MotionPoint<Quad>& exact);
/// The same values in extended precision.
template <class T>
MotionPoint<Quad> widened(const MotionPoint<T>& point);

/// Extended precision costs too much for models with more unknowns than this in the index-reduced system and the state.
inline constexpr int largest_extended = 40;
bool extended_affordable(const Equations& equations);

struct Reference {
  std::string method;  // its name, or "extrapolation of order 12" where reference_method() has none for the model
  long steps = 0;
  bool extended = true;  // in extended precision, else in double
  MotionPoint<Quad> point;
  Errors error;  // what it differs by from a run with half as many steps (and rounding in double): an upper bound
  std::string failure;  // "" when there is a point
};

/// The solution at t0 + length by a method of order 2 * stages in `steps` steps (rounded up to an even number).
/// Extrapolation integrates the index-reduced system: it takes every model, and shares nothing with the methods.
enum class ReferenceKind { method_or_extrapolation, extrapolation };
Reference make_reference(const Equations& equations, const InitialValues& initial, Quad t0, Quad length, long steps,
                         int stages, ReferenceKind kind = ReferenceKind::method_or_extrapolation);

}  // namespace alembert::internal
