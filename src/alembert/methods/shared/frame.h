#pragma once

// The frame in which a method writes the equations of its step.

#include "alembert/derive/equations.h"
#include "alembert/methods/shared/coefficients.h"
#include "alembert/newton/step_equations.h"

namespace alembert::internal {

/// The frame of a step's equations: state, unknowns with their guesses, labelled equations.
struct Frame {
  explicit Frame(const Equations& equations);
  StepEquations step;
  Graph& graph;
  Exprs y0, z0, z_dot0, lambda0, psi0;

  /// New unknowns that start from factor * guess (factor may be empty).
  Exprs unknown(const std::string& name, const Exprs& guess, Expr factor = {});
  void equation(const Exprs& values, const std::string& what, const std::vector<std::string>& names,
                const std::string& where);
  /// Equations that ask for functions of the model to vanish at the end of the step; its adjoint asks for them at its
  /// own.
  void at_end(const Equations& equations, const Exprs& functions, const Point& end, const std::string& what,
              const std::vector<std::string>& names);
  /// Contact points follow the coordinates: their entries of y, the coordinates at time t, become unknowns with c = 0.
  /// At the end of the step its adjoint asks for c = 0 at its own.
  void settle(const Equations& equations, Expr t, Exprs& y, const std::string& where);
  void settle_end(const Equations& equations, Exprs& y);
  void keep(const Exprs& values, const std::string& before, const std::vector<std::string>& names);
  /// A multiplier of the method's own: weights[0] times its value before the step (at first `start`) plus weights[j]
  /// times values[j-1].
  void carry(const Exprs& start, const QuadVector& weights, const std::vector<Exprs>& values, const std::string& before,
             const std::vector<std::string>& names);
  Expr size_y(), size_z();  // largest of |y0|, |z0|, not below Equations::least_y and least_z
  StepPlan plan(const Exprs& y1, const Exprs& z1);

 private:
  /// A place where the contact points are known: the coordinates, the time, the points, their first equation.
  struct Settled {
    Exprs y, s;
    Expr t;
    int equation = -1;
  };
  Settled settled(const Equations& equations, Expr t, Exprs& y, const std::string& where);
  std::vector<Settled> settled_;
  double least_y_, least_z_;
  std::vector<int> first_points_;  // where unknown contact points begin
};

}  // namespace alembert::internal
