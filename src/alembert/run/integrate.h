#pragma once

// A bare run in any precision: no watching, no output. References, measured orders and tests use it.

#include <string>
#include <vector>

#include "alembert/methods/method.h"
#include "alembert/newton/step.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

/// A state with z' and the multipliers there, from the index-reduced system.
template <class T>
struct MotionPoint {
  std::vector<T> y, z, z_dot, lambda, psi;
};

/// The initial values brought to the precision of T: the constraints hold to its rounding.
template <class T>
MotionPoint<T> polish(const Equations& equations, const InitialValues& initial, T t0);

/// z', lambda, psi at (t, y, z) of a point, from the index-reduced system; Newton starts from what the point holds.
template <class T>
NewtonResult complete(const Equations& equations, T t, MotionPoint<T>& point, NewtonOptions options = {});

template <class T>
struct Endpoint {
  NewtonResult newton;  // of the last step
  long steps = 0;       // that were made
  MotionPoint<T> point;
  NewtonStatistics statistics;
  double seconds = 0;   // CPU time of the steps, compiling not counted
  std::string failure;  // why it ended early: place in time, worst equation, what to try; "" when all went well
};

/// The plan of steps of size h from a point. From rest, or nearly so, velocities are measured against what the
/// accelerations there make in a step: relative to themselves, those that stay zero never settle, and quadruple
/// precision has no test of rounding that would see it.
template <class T>
StepPlan plan_from(const MotionPoint<T>& from, T h, const Method& method, const Equations& equations);

/// n steps of size h from the given point.
template <class T>
Endpoint<T> integrate(const Equations& equations, const Method& method, const MotionPoint<T>& from, T t0, T h, long n,
                      NewtonOptions options = {});

}  // namespace alembert::internal
