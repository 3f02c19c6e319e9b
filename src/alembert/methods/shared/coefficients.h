#pragma once

// Nodes, weights and Runge-Kutta matrices for any number of stages, computed in extended precision; nothing is typed
// in.

#include <vector>

#include "alembert/quad.h"

namespace alembert::internal {

using RealVector = std::vector<Quad>;
using RealMatrix = std::vector<RealVector>;  // rows

/// Nodes in [0, 1], ascending, and weights of the interpolatory quadrature.
struct Quadrature {
  RealVector c, b;
};
Quadrature gauss_nodes(int s);        // s >= 1
Quadrature radau_left_nodes(int s);   // c_1 = 0 (Radau I)
Quadrature radau_right_nodes(int s);  // c_s = 1 (Radau II)
Quadrature lobatto_nodes(int s);      // s >= 2

struct Tableau {
  RealMatrix A;
  RealVector b, c;
};
Tableau gauss(int s);
Tableau radau_ia(int s);
Tableau radau_iia(int s);
Tableau lobatto_iiia(int s);
Tableau lobatto_iiib(int s);
Tableau lobatto_iiic(int s);
Tableau lobatto_iiic_star(int s);
Tableau lobatto_iiid(int s);  // (IIIC + IIIC*)/2

/// int_0^{x_i} l_j, l_j the Lagrange polynomials on the nodes c.
RealMatrix integrate_lagrange(const RealVector& c, const RealVector& x);
/// l_j(x) for all j.
RealVector lagrange(const RealVector& c, Quad x);
/// Solves A X = B by elimination with pivoting.
RealMatrix solve(RealMatrix A, RealMatrix B);

}  // namespace alembert::internal
