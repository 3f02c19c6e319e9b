#pragma once

// Whether anything does work on a system.

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// Whether the energy is constant along every motion, as far as the form of the equations tells: no applied forces, no
/// dissipation, ideal reactions, nothing depends on time or first-order states, nonholonomic constraints homogeneous in
/// the velocities. False where there is no energy, and for port-Hamiltonian systems, whose balance is known in another
/// way.
bool conserves_energy(const Equations& equations);

/// What changes the energy, per time: dE/dt = supplied - dissipated where the equations of motion and the constraints
/// hold. Both may contain multipliers. The model has an energy.
struct WorkRates {
  Expr dissipated;  // by the Rayleigh function; of a port-Hamiltonian system by its resistive part
  Expr supplied;    // by forces, drives, moving constraints, inputs
};
WorkRates work_rates(const Equations& equations);
/// Both in a list, then Equations::friction_powers.
Exprs work_powers(const Equations& equations);

/// The largest subexpressions of the equations that depend on time and on nothing else but constants: inputs, drives,
/// moving supports.
Exprs time_functions(const Equations& equations);

}  // namespace alembert::internal
