#pragma once

// What the symplectic Euler methods of Jay and Simeon share: unknowns Z, z1 and the two multipliers of a step, starting
// values, and the momentum p in place of z (for Hamiltonian models p is z; for Lagrangian ones P = p(y, Z) is the
// paper's variable).

#include "alembert/methods/method.h"
#include "alembert/methods/shared/contact_terms.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal {

/// The pieces from which a method of this kind writes its equations. y1 is y0 + h v(y0, Z), or y0 + h v(y1, Z) for the
/// conjugate methods, where y1 - y0 is unknown.
class EulerStep {
 public:
  /// a: of the family, where the model has contacts (it is positive then).
  EulerStep(const Equations& equations, bool conjugate, Quad a = 0);

  Expr h;
  Exprs S0, S1;  // multipliers, then the forces of contacts
  /// Changes of momentum since t0, as lists over z.
  Exprs P() const;                 // p(y, Z) - p0 with y = y0, conjugate: y1
  Exprs p1() const;                // p(t1, y1, z1) - p0
  Exprs f() const;                 // f(y0, Z), conjugate: f(y1, Z)
  Exprs r0(const Exprs& S) const;  // r(y0, z0, S)
  Exprs r1(const Exprs& S) const;  // r(y1, z1, S)

  /// 0 = left - right, where right is a sum of h times factor times values.
  struct Scaled {
    Quad factor;
    Exprs values;
  };
  void momentum(const Exprs& left, const std::vector<Scaled>& right, const std::string& where);
  /// S0 starts from g_yy(v,v)/2 + G (v_y v, conjugate) + G v_z (sum of these at t0) = 0; S1 from the true multiplier.
  /// The values are made from f and r at the start: with_f, then factors of r(S0) and of r(psi).
  void start_from(bool with_f, Quad r_of_S0, Quad r_of_psi);
  /// Adds g(y1) = 0 and g_t + g_y v = 0 at the end, and closes the step.
  StepPlan close();

 private:
  Exprs change(Expr t, const Exprs& y, const Exprs& z, const Exprs& dz) const;
  Exprs reaction(const Point& x, const Exprs& S, bool front) const;
  void position();
  Expr work_of_constraints() const;
  Exprs rebound(const Exprs& still) const;
  void tell(const Exprs& P0, const Exprs& P1, const Exprs& still);
  StepPlan close_with_contacts();

  const Equations& e_;
  bool conjugate_;
  Quad a_;
  Frame frame_;
  ContactTerms contacts_;
  Expr t1_;
  Exprs dZ_, dz_, dy_, Z_, z1_, y1_, p0_;
  Exprs first_, second_;  // the multipliers that are unknown, in the middle and at the end; S0 and S1 consist of them
  struct Balance {
    Exprs values;
    std::string where;
  };
  std::vector<Balance> balances_;  // that wait for their place among the equations
};

/// A family NAME(a), default a = 1/2: the given one with signature and members. natural: the multipliers stand in the
/// reaction one by one, so that it does not converge when r is nonlinear in them.
/// inclusions: with contacts in its steps.
MethodFamily euler_family(MethodFamily family, bool natural, std::function<StepPlan(const Equations&, Quad a)> step,
                          bool inclusions = false);

/// The equation that natural_euler(a) converges to (Jay and Simeon, section 3.4): y' = v, and z' from
///     p_z Z' = f + a r(S0),  g_yy(v,v)/2 + G v_z Z' = 0 ;  d/dt p = f + a r(S0) + (1-a) r(S1),  d/dt (g_t + g_y v) =
///     0.
/// It is the model's own where r is linear in the multiplier. Inputs t, y, z; unknowns z', Z', S0, S1.
ImplicitEquations natural_limit(const Equations& equations, Quad a);

/// Whether r is nonlinear in the multipliers of the holonomic constraints.
bool nonlinear_reaction(const Equations& equations);

}  // namespace alembert::internal
