#pragma once

// What a method really keeps on a model, measured beside what it claims. The measurements stand alone as well: the
// conformance tests are made of them.

#include <optional>

#include "alembert/run/simulate.h"
#include "alembert/study.h"
#include "alembert/study/reference.h"

namespace alembert::internal {

// Measurements -------------------------------------------------------------------------------------------------------
// Each starts at a consistent point at t0 and gives a relative number, 0 up to rounding where the property holds;
// nothing where a step failed. T is double or Quad.

/// Largest entry of D^T Omega D - Omega for the derivative D of a step, on the tangent space of the holonomic
/// constraints on both levels, in canonical coordinates (q, p).
template <class T>
std::optional<double> symplectic_defect(const Equations& equations, const Method& method, const MotionPoint<T>& start,
                                        T t0, T h);

/// n steps of h, then n steps of -h: the distance from the start.
template <class T>
std::optional<double> symmetry_defect(const Equations& equations, const Method& method, const MotionPoint<T>& start,
                                      T t0, T h, long n);

/// n steps, z turned round, n steps, z turned round: the distance from the start.
template <class T>
std::optional<double> reversibility_defect(const Equations& equations, const Method& method,
                                           const MotionPoint<T>& start, T t0, T h, long n);
/// How far the motion itself is from being reversible at a point: z'(q, -v) = z'(q, v), velocities and constraints odd
/// or even in z.
template <class T>
std::optional<double> irreversibility(const Equations& equations, const MotionPoint<T>& at, T t0);

/// The discrete Lagrange-d'Alembert equations of Jay 2009, Theorem 6.1, for one step of a SPARK method:
///     D_1 L_d = -p0 - f_d^- ,  D_2 L_d = p1 - f_d^+ ,  L_d = h sum b_i L(T_i, Q_i, V_i)
/// taken along every variation of the stages V_i with dq1 = 0, and with dq0 = 0. Residuals relative to the momenta.
/// Beyond the theorem, applied forces F do the virtual work h sum b_i F_i dQ_i, by the quadrature of L_d, and reactions
/// of holonomic constraints are in f_d as those of nonholonomic ones are, with the coefficients a~ and b~.
struct DiscreteEquations {
  double left = 0, right = 0;
};
template <class T>
std::optional<DiscreteEquations> discrete_lagrange_dalembert(const Equations& equations, const Method& method,
                                                             const MotionPoint<T>& start, T t0, T h);
/// Largest violation of (6.2): b^ = b, b^_i a_ij + b_j a^_ji = b^_i b_j. The theorem holds where it is 0.
double variational_condition(const SparkCoefficients& coefficients);

/// Orders seen between two runs of `steps` and 2 * steps steps over the length, halved again (at most `halvings` times)
/// while the two last orders differ by more than 0.1: the steps were too large for the order to show.
struct MeasuredOrders {
  Errors order;             // of the last halving; NaN where nothing is left to measure (rounding, no multipliers)
  Errors error;             // at the smallest step
  std::vector<long> steps;  // of all runs
  bool extended = true;     // measured in extended precision
  std::string failure;      // "" when there are orders
};
MeasuredOrders measure_orders(const Equations& equations, const InitialValues& initial, const Method& method, Quad t0,
                              Quad length, long steps, int halvings);

/// Largest change of the energy (0 where there is none) and of every invariant within n steps; empty where a step
/// failed.
template <class T>
std::vector<double> changes(const Equations& equations, const Method& method, const MotionPoint<T>& start, T t0, T h,
                            long n);

// All of them ---------------------------------------------------------------------------------------------------------

/// Throws InputError for wrong input (step 0, a method that refuses the model, ...).
Verification verify(const Model& model, const Equations& equations, const Method& method, const VerifyOptions& options);

/// Why the energy of a model changes along its motion ("dissipation", "moving constraints", ...); empty where it is
/// kept.
std::vector<std::string> energy_changes(const Model& model, const Equations& equations);

}  // namespace alembert::internal
