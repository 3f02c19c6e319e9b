#pragma once

// Coordinates without mass: rows of the equations of motion in which no acceleration is left. They are algebraic
// equations 0 = f + N + r, constraints that nobody wrote down.

#include "alembert/derive/equations.h"

namespace alembert::internal {

struct Massless {
  std::vector<int> z;              // numbers of the z that the mass matrix leaves undetermined
  Exprs rows;                      // what is left of their rows, = 0, in t, y, z, lambda, psi
  std::vector<std::string> names;  // of the rows: "motion of x2'"
  std::string reason;              // "there is no kinetic energy in x2'", of the first
  bool empty() const { return rows.empty(); }
};

/// Where the mass matrix p_z is singular whatever the state is: rows that vanish identically, and null vectors of a
/// constant matrix. Empty for most models; a matrix that becomes singular somewhere is not seen here.
Massless massless(const Equations& e);

}  // namespace alembert::internal
