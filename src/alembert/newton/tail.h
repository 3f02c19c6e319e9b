#pragma once

// The last part of a step's equations: what follows from the rest by one linear system, such as the velocities at the
// end of a step once its stages are known. Newton need not iterate over it.

#include <vector>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// Numbers of unknowns, and of the equations that stand at the same places. No equation of the core contains an unknown
/// of the tail, and all equations of the tail together are linear in its unknowns.
struct TailSplit {
  std::vector<int> core, tail;
};
TailSplit split_tail(ExprSpan equations, const SparseExprs& J, ExprSpan unknowns);

/// The rows and columns of J with these numbers.
SparseExprs part_of(const SparseExprs& J, const std::vector<int>& places);

}  // namespace alembert::internal
