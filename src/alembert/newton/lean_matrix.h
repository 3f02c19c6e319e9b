#pragma once

// Newton's matrix without what is small in it. In the equations of a step most of the work on the matrix belongs to
// second derivatives of constraints and potentials, which come with the square of h. Without them the iteration
// contracts by about (h omega)^2 instead of quadratically, and each iteration costs a fraction.

#include <vector>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// J with the entries between an unknown's equation and unknowns of its own group or a later one as they are for h = 0;
/// those of equations and unknowns without a group (-1: multipliers and constraints) stay. How unknowns of one group
/// follow from those of an earlier one (positions from velocities) stays as well.
SparseExprs lean_matrix(const SparseExprs& J, const std::vector<int>& group, Expr h);

/// By how much an iteration with A in place of J contracts in the end: the spectral radius of 1 - A^-1 J. Both matrices
/// by rows, n x n. Infinite where A is singular.
double contraction_of(const std::vector<double>& A, const std::vector<double>& J, int n);

}  // namespace alembert::internal
