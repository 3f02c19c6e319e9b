#pragma once

// Mechanics as a port-Hamiltonian system, x = (q, v, multipliers):
//     q' = Z v ,  M v' = -Z^T H_q + (K^T - K) v - R v - G^T lambda - k_v^T psi + F ,  K = d(Mv)/dq Z
//     0 = G v + g_t ,  0 = k_v v + (k - k_v v)
// with R from the dissipation function and forces F as ports. The Hamiltonian form keeps its momenta. What does not
// belong to any of the matrices stands behind an input `one` that is 1: moving constraints, and time itself, which
// becomes a state where the energy depends on it.

#include "alembert/derive/equations.h"
#include "alembert/model/ports/port.h"

namespace alembert::internal {

struct ToPortOptions {
  bool ggl = false;         // also g = 0, with multipliers mu in q'
  bool autonomous = false;  // time is a state, also where nothing but inputs and constraints depends on it
};

/// e: the equations of the model, best derived with symbolic parameters; the system lives in their graph (in that of
/// the model where that is a port-Hamiltonian system already). Throws InputError with the reason where the model has no
/// such form.
PortSystem to_port(const Model& model, const Equations& e, ToPortOptions options = {});

/// The same with time as a state (named `time`), driven by an input that is 1; a system that does not depend on time
/// but through its inputs is given back as it is.
PortSystem autonomous(const PortSystem& system);

/// The same in other variables, x = phi(t, x~): E phi_x is the flow, E phi_t is added to the drift, all else is taken
/// at phi. `values` says what stands for the states numbered `replaced` (scalars), in the symbols of the others, of t
/// and of the new states `names`, which take their places one by one.
PortSystem changed(const PortSystem& system, const std::vector<int>& replaced, const Exprs& values,
                   const Exprs& symbols);

/// The system as a text in the model language, which reads back as the same system. x0: initial values, as x; empty
/// values are left out.
std::string port_text(const Model& model, const PortSystem& system, const std::vector<double>& x0);

/// Its parameter statements alone.
std::string parameters_text(const Model& model);

}  // namespace alembert::internal
