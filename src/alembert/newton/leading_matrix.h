#pragma once

// Newton's matrix without what vanishes with the step: masses and gradients of constraints stay, derivatives of forces
// by positions, which a step multiplies by the square of its size, go. What is left falls apart into the masses of the
// stages and one small matrix of the constraints, and it contracts by a little less than what is left out. Private to
// newton/.

#include <optional>
#include <vector>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// A symbol of the equations that stands for an expression of the unknowns.
struct InnerValue {
  Expr symbol, value;
};

/// Equations F(x, s(x), h) = 0 at a point.
struct LeadingProblem {
  Exprs equations, unknowns;
  std::vector<InnerValue> inner;  // s
  Expr h;
  Exprs inputs;                       // all symbols, h, x and those of s among them
  const std::vector<double>& values;  // of them
};

struct LeadingMatrix {
  SparseExprs matrix;
  double contraction = 0;  // of a correction by the next one, as the values have it
};

/// The terms of dF/dx that are of the leading order in h, as powers of h are given to rows and columns by an assignment
/// of least order. Nothing where orders cannot be seen, or where the matrix is singular at the values.
std::optional<LeadingMatrix> leading_matrix(const LeadingProblem& problem);

}  // namespace alembert::internal
