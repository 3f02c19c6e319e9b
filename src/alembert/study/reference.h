#pragma once

// Solutions far more accurate than what is measured against them, and the distances that are measured.

#include "alembert/findings.h"
#include "alembert/run/integrate.h"

namespace alembert::internal {

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

/// With the point that it ends at, where it does not fail.
struct Reference : ReferenceRun {
  MotionPoint<Quad> point;
};

/// The solution at t0 + length by a method of order 2 * stages in `steps` steps (rounded up to an even number).
/// Extrapolation integrates the index-reduced system: it takes every model, and shares nothing with the methods.
enum class ReferenceKind { method_or_extrapolation, extrapolation };
Reference make_reference(const Equations& equations, const InitialValues& initial, Quad t0, Quad length, long steps,
                         int stages, ReferenceKind kind = ReferenceKind::method_or_extrapolation);

}  // namespace alembert::internal
