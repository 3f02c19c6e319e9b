#pragma once

// A port-Hamiltonian descriptor system, as the user wrote it and checked:
//     E(t,x) x' + r(t,x) = (J - R) z + (B - P) u ,     y = (B + P)^T z + (S - N) u
//     Gamma = [J B; -B^T N] skew,  W = [R P; P^T S] symmetric and positive semidefinite,  grad_x H = E^T z,  H_t = z^T
//     r
// so that dH/dt = -[z;u]^T W [z;u] + y^T u. E is square and may be singular: states with a zero column of E are
// algebraic. docs/port_hamiltonian.md.

#include <functional>
#include <map>
#include <utility>

#include "alembert/expr/derivative.h"
#include "alembert/model/model.h"

namespace alembert::internal {

/// How components hang together: M y + N u = 0 in their inputs and outputs.
struct Connection {
  int equations = 0;
  std::vector<std::string> multipliers;  // the inputs that became algebraic states; all others were eliminated
  bool lossy = false;                    // it takes power, as the user allowed; else M N^T + N M^T = 0 was proved
};

struct PortSystem {
  Expr t;
  std::vector<Block> states;                 // into x
  Exprs x;                                   // symbols
  std::vector<int> differential, algebraic;  // numbers of x, ascending; the columns of the second vanish in E
  SparseExprs E, J, R, B, P, S, N;           // whole: both triangles
  Exprs r, z;
  Expr H;
  std::vector<Block> inputs, outputs;  // into u and y, which belong together one by one
  Exprs u, y;                          // symbols
  Exprs u_value;                       // in t, x, y and other u; u itself where nobody gave one
  std::vector<int> loops;  // the inputs that are left as unknowns, because their values depend on themselves

  struct Part {
    std::string name;  // of a component; "" are the states of the model itself
    Expr H;
  };
  std::vector<Part> parts;  // none where there are no components
  Connection connection;

  int size() const { return static_cast<int>(x.size()); }
};

/// The rows of x' that are left when what is given by others has been put in: u as functions of t, x and the inputs
/// in `loops`, then y and the right side of E x' = F.
struct PortRows {
  Exprs u, y, F;
  Exprs loops;                // = 0: u - value of the inputs in `loops`
  Expr dissipated, supplied;  // powers: [z;u]^T W [z;u], y^T u
};
/// The inputs that must be unknowns so that all others follow one after the other.
std::vector<int> input_loops(const PortSystem& system);
PortRows port_rows(const PortSystem& system);

/// The system with every list of expressions replaced by `map` of it; symbols too.
PortSystem carried(const PortSystem& system, const std::function<Exprs(const Exprs&)>& map);

/// Entries by (row, column); those that are identically zero are left out.
using Entries = std::map<std::pair<int, int>, Expr>;
SparseExprs sparse(int rows, int columns, const Entries& entries);
SparseExprs transposed(const SparseExprs& matrix);
/// matrix x; the graph is needed for rows without entries.
Exprs product(const SparseExprs& matrix, const Exprs& x, Graph& graph);
SparseExprs product(const SparseExprs& a, const SparseExprs& b);

/// "v[2]": the name of an entry of a flat list; rows of E, J, R go by the names of the states.
std::string flat_name(const std::vector<Block>& blocks, int number);
Place flat_place(const std::vector<Block>& blocks, int number);

}  // namespace alembert::internal
