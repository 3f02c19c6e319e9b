#pragma once

// Discrete derivatives: the change of a function between two points as a scalar product with the change of its
// arguments, exactly,
//     D . (x1 - x0) = f(x1) - f(x0),
// with D unchanged when the points are exchanged, and D = grad f((x0 + x1)/2) up to second order.
//
// chain: the chain rule with the slope of every operator between the two points instead of its derivative: the mean of
// the other factor for a product, 1/(sqrt(a0) + sqrt(a1)) for a root, cos(mean) sin(d/2)/(d/2) for a sine ... These
// are quotients in cancelled form: no difference is divided by a difference, so nothing happens where the points
// coincide. Functions of expressions pi(x) of degree two get D = sum (slope in pi_k) grad pi_k((x0 + x1)/2), which is
// equivariant: what leaves every pi_k unchanged is orthogonal to D.
// midpoint: grad f(m) + (f(x1) - f(x0) - grad f(m) . dx) dx/|dx|^2, m the mean (Gonzalez 1996).
//
// The sign function has slope 0; atan2 is followed across its cut.

#include "alembert/expr/derivative.h"

namespace alembert::internal {

enum class DiscreteGradient { chain, midpoint };

class Secant {
 public:
  /// f in the symbols x (each once); x0, x1: expressions of the target graph. Where x0[i] is x1[i] nothing changes
  /// along x[i], and the entry i of D means nothing.
  Secant(ExprSpan f, ExprSpan x, ExprSpan x0, ExprSpan x1, Graph& target,
         DiscreteGradient kind = DiscreteGradient::chain);

  /// sum_i w_i D f_i, one entry per x.
  Exprs transposed_product(ExprSpan w) const;

 private:
  Exprs chained(ExprSpan w) const;
  Exprs corrected(ExprSpan w) const;

  Graph& target_;
  Exprs f_, x_, x0_, x1_;
  DiscreteGradient kind_;
};

/// D f.
Exprs discrete_derivative(Expr f, ExprSpan x, ExprSpan x0, ExprSpan x1, Graph& target,
                          DiscreteGradient kind = DiscreteGradient::chain);

/// The slopes of op(a, b) between (a0, b0) and (a1, b1); n0, n1 are its values there. The second is empty for operators
/// with one operand. Where an operand is the same at both ends, its slope may be anything.
struct Slopes {
  Expr a, b;
};
Slopes slopes(Op op, Expr a0, Expr a1, Expr b0, Expr b1, Expr n0, Expr n1);

}  // namespace alembert::internal
