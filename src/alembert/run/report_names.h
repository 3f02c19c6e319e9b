#pragma once

// What makes a report and a trajectory stand by themselves: the names of their numbers, taken from the model.

#include "alembert/derive/equations.h"
#include "alembert/methods/method.h"
#include "alembert/newton/newton_result.h"
#include "alembert/report.h"
#include "alembert/start/initial.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

/// Fills in which run it is and what its numbers are called; leaves the numbers alone.
void describe(Report& report, const Model& model, const Equations& equations, const Method& method);

/// The values of the model's parameters, in the order of Model::parameter_symbols.
void set_parameters(Report& report, std::span<const double> values);

/// The columns of its rows. dirac: also the flows E x' and efforts z of a port-Hamiltonian system.
Columns make_columns(const Model& model, const Equations& equations, bool dirac);

/// The same with the columns of the contacts, as a run has them that follows contacts.
Columns columns_with_contacts(const Model& model, const Equations& equations, bool dirac);

/// The values of all states of a port-Hamiltonian system, the algebraic ones among them; what is not known is NaN.
std::vector<double> port_states(const PortSystem& system, const std::vector<double>& z, const std::vector<double>& psi);

InitialState reported(const InitialValues& initial);
SolverStatistics reported(const NewtonStatistics& statistics);

}  // namespace alembert::internal
