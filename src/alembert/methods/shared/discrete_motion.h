#pragma once

// The discrete equations of motion of Gonzalez 1999, (21), for any model with an energy:
//     y1 - y0 = h u ,  u = D_2 H      p1 - p0 = h P ,  P = -D_1 H + F - Dg^T lambda - A^T psi
// with discrete derivatives D over the step (expr/secant.h) and everything that does work, F and the directions A of
// the nonholonomic reactions, at the mean point. They give
//     H(x1) - H(x0) = h (D_t H + F . u + lambda . D_t g - psi . A u).
//
// In the Lagrangian form H is not at hand. With p = L_v, E = p.v - L, and D L = (D_t L, D_1 L, D_2 L):
//     E1 - E0 = v_m.(p1 - p0) + (p_m - D_2 L).(v1 - v0) - D_1 L.(y1 - y0) - h D_t L ,     index m: the mean
// and with p1 - p0 = D_t p h + C (y1 - y0) + S (v1 - v0), S^T w = p_m - D_2 L, this is
//     E1 - E0 = (v_m + w).(p1 - p0) - (D_1 L + C^T w).(y1 - y0) - h (D_t L + w.D_t p):
// D_2 H = v_m + w and D_1 H = -(D_1 L + C^T w) are discrete derivatives of H. For constant mass w = 0.

#include "alembert/derive/equations.h"
#include "alembert/expr/secant.h"

namespace alembert::internal {

/// full: D over (t, q, p) together. partitioned: D_1 is the mean of those with p0 and with p1 held, D_2 of those with
/// q0 and q1 held. midpoint: Gonzalez' formula for H as a whole, and for each constraint.
enum class EnergyGradient { full, partitioned, midpoint };

struct DiscreteMotion {
  Exprs u, P;
  Expr power;         // D_t H + F . u + lambda . D_t g - psi . A u; the constant 0 where nothing does work
  Exprs p_mean;       // (p0 + p1)/2
  Exprs k;            // the nonholonomic constraints at the mean point, for the velocity u: = 0
  Exprs w_equations;  // = 0, as many as w
};

struct Ends {
  Expr t0, t1;
  Exprs y0, y1, z0, z1;
};

/// Whether unknowns w are needed: the Lagrangian form with a mass matrix that depends on the state.
bool needs_w(const Equations& e);
DiscreteMotion discrete_motion(const Equations& e, EnergyGradient kind, const Ends& ends, const Exprs& w,
                               const Exprs& lambda, const Exprs& psi);

/// A: the directions in which nonholonomic constraints react, dk/dv in the velocities v; one row per k, in e's symbols.
SparseExprs nonholonomic_directions(const Equations& e);

/// What is added to z so that the momenta p change by C^T L^{-T} mu, where C holds the gradients of all constraints and
/// L L^T = C M^{-1} C^T: the change of the kinetic energy of a z with C v = 0 is |mu|^2/2, whatever the position.
struct Normal {
  Exprs z, impulse;
};
Normal normal_velocity(const Equations& e, const Point& at, const Exprs& mu);
/// Whether reactions can do work: constraints that contain time, or nonholonomic ones that are not linear.
bool reactions_work(const Equations& e);

}  // namespace alembert::internal
