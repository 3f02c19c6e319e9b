#pragma once

// Nodes, weights and Runge-Kutta matrices for any number of stages, computed in quadruple precision; nothing is typed
// in.

#include "alembert/base/quad_matrix.h"

namespace alembert::internal {

/// Nodes in [0, 1], ascending, and weights of the interpolatory quadrature.
struct Quadrature {
  QuadVector c, b;
};
Quadrature gauss_nodes(int s);        // s >= 1
Quadrature radau_left_nodes(int s);   // c_1 = 0 (Radau I)
Quadrature radau_right_nodes(int s);  // c_s = 1 (Radau II)
Quadrature lobatto_nodes(int s);      // s >= 2

struct Tableau {
  QuadMatrix A;
  QuadVector b, c;
};
Tableau gauss(int s);
Tableau radau_ia(int s);
Tableau radau_iia(int s);
Tableau lobatto_iiia(int s);
Tableau lobatto_iiib(int s);
Tableau lobatto_iiic(int s);
Tableau lobatto_iiic_star(int s);
Tableau lobatto_iiid(int s);  // (IIIC + IIIC*)/2

struct Legendre {
  Quad p, before;  // P_n(x), P_{n-1}(x)
};
Legendre legendre(int n, Quad x);

/// int_0^{x_i} l_j, l_j the Lagrange polynomials on the nodes c.
QuadMatrix integrate_lagrange(const QuadVector& c, const QuadVector& x);
/// l_j(x) for all j.
QuadVector lagrange(const QuadVector& c, Quad x);
/// Solves A X = B by elimination with pivoting.
QuadMatrix solve(const QuadMatrix& A, QuadMatrix B);

}  // namespace alembert::internal
