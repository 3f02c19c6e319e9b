#pragma once

// The mass matrix must be regular at the start, or the messages here say which velocity has no kinetic energy.

#include "alembert/derive/equations.h"
#include "alembert/linear/sparse_rows.h"
#include "alembert/start/state.h"

namespace alembert::internal {

/// Throws InputError when d/dz of the quantity that is differentiated is not finite or singular (all but the
/// Hamiltonian form).
void check_mass(const Model& model, const Equations& e, const SparseRows& mass);

/// Hamiltonian form: a reaction on q_i keeps a constraint only by way of H_pp. Throws InputError where a row of it
/// vanishes although constraints depend on q_i. g_y: which entries are there.
void check_mobility(const Model& model, const Equations& e, const SparseRows& H_pp, const SparseExprs& g_y);

}  // namespace alembert::internal
