#pragma once

// Runge-Kutta steps on the multibody form, with the accelerations themselves as unknowns: they need no inverse of the
// mass matrix, and a coordinate without mass gets its velocity from the equations that are left of its row.
//     M z'_i = f + N + r - (p_t + p_y v) at the stages T_i, Y_i, Z_i ;  y'_i = v(T_i, Y_i, Z_i)
//     Y_i = y0 + h sum a_ij y'_j ;  Z_i = z0 + h sum a_ij z'_j ;  y1, z1 likewise with b
// The multipliers of the method follow the polynomial through their last value and the stages.

#include "alembert/methods/method.h"
#include "alembert/methods/shared/coefficients.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal {

/// Which equations stand for a holonomic constraint: its second derivative in time, its first, or g = 0 and its first
/// together, y' = v + g_y^T mu (Gear, Gupta, Leimkuhler). Nonholonomic ones: the derivative, k, k.
enum class ConstraintForm { index1, index2, ggl };

struct CollocationScheme {
  Tableau stages;
  QuadVector c_bar;  // where the constraints hold: the stages, or the points 1..s of the s+1 Lobatto points
  QuadMatrix A_bar;
};
CollocationScheme at_stages(Tableau tableau);
/// Gauss stages, constraints at the Lobatto points other than 0.
CollocationScheme murua_scheme(int s);

StepPlan collocation_step(const Equations& equations, const CollocationScheme& scheme, ConstraintForm form);
std::string collocation_tableau(const CollocationScheme& scheme);

/// What these steps take: port-Hamiltonian systems and coordinates without mass too.
Capabilities collocation_capabilities();
/// A family NAME(s) with constraints in one form: the given one with signature and members. It has its texts and
/// numbers of stages already.
MethodFamily collocation_family(MethodFamily family, ConstraintForm form,
                                const std::function<CollocationScheme(int)>& scheme,
                                const std::function<Claims(int)>& claims);
/// What holds at the stages holds at the end of the step, in what the form has of the constraints.
Claims stiffly_accurate_claims(int order, ConstraintForm form);
/// A family NAME(s, FORM) with FORM one of index1, index2 (the default), ggl.
MethodFamily collocation_family_of_forms(MethodFamily family, const std::function<CollocationScheme(int)>& scheme,
                                         const std::function<Claims(int, ConstraintForm)>& claims);

/// The pieces that steps with accelerations share: stage values and the rows of the equations of motion.
class AccelerationStages {
 public:
  AccelerationStages(const Equations& equations, Frame& frame, int s);
  /// Increments h z' of the stages, new unknowns.
  std::vector<Exprs> D;
  std::vector<Exprs> Lambda, Psi;  // unknowns, made by multipliers()
  void multipliers();
  /// z0 + sum row_j D_j.
  Exprs z(const QuadVector& row) const;
  /// p_z D + h (p_t + p_y v - f - N - r) of one stage.
  Exprs row(int i, const Point& stage) const;
  /// h times the power of what changes the energy: sum_i b_i h dE/dt at the stages; empty without an energy.
  Expr energy_change(const QuadVector& b, const std::vector<Point>& stages) const;
  /// h sum_i b_i of a power at the stages.
  Expr integral(Expr power, const QuadVector& b, const std::vector<Point>& stages) const;

 private:
  const Equations& e_;
  Frame& frame_;
  Exprs inertia_;  // p_t + p_y v, as functions of the model
};

/// row_0 x_0 + row_1 x_1 + ... + start.
Exprs combined(Graph& graph, const Exprs& start, const QuadVector& row, const std::vector<Exprs>& values);

}  // namespace alembert::internal
