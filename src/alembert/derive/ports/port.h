#pragma once

// A port-Hamiltonian system as Equations: E z' = f + N(psi), 0 = k(t,z), 0 = algebraic(t,z,psi), with z the
// differential states and psi the algebraic ones. Where E, or what the algebraic rows have of psi, is constant and its
// rows depend on each other, rows are combined until each of them is of one kind.

#include "alembert/derive/equations.h"
#include "alembert/derive/ports/port_equations.h"

namespace alembert::internal {

/// Fills what Equations holds of the form; system: in the graph and the symbols of the equations. Throws InputError
/// where the differential states are not those that E determines.
void derive_port(const Model& model, Equations& e, PortSystem system);

}  // namespace alembert::internal
