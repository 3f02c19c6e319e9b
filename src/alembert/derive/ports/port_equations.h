#pragma once

// What the equations of a port-Hamiltonian system have besides those of Equations. There z are the differential
// states, y is empty, psi are the algebraic states and the inputs in loops:
//     E z' = f + N ,  0 = k(t,z) ,  0 = algebraic(t,z,psi)
// inertial is E z'; there are as many psi as k and algebraic together, and reduced holds d/dt k and the algebraic rows.

#include "alembert/model/ports/port.h"

namespace alembert::internal {

struct PortEquations {
  PortSystem system;  // in the symbols z, psi and its own u, y
  Exprs algebraic;    // = 0
  std::vector<std::string> algebraic_names;
  Exprs inputs, outputs;      // u and y of the system, in t, z, psi
  Exprs flows, efforts;       // E x' and z of the system, one per state
  Expr dissipated, supplied;  // powers, dE/dt = supplied - dissipated
  Exprs energies;             // of the components; none where there are none
  std::vector<std::string> energy_names;
};

}  // namespace alembert::internal
