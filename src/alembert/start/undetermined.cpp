#include "alembert/start/undetermined.h"

#include "alembert/derive/ports/port_equations.h"
#include "alembert/model/refuse.h"
#include "alembert/start/messages.h"

namespace alembert::internal {

namespace {

/// Port-Hamiltonian form: the rates and the algebraic states.
[[noreturn]] void explain_states(const Model& model, const Equations& e, const Accelerations& failed) {
  const PortSystem& system = e.port->system;
  if (!system.loops.empty())
    refuse(model, flat_place(system.inputs, system.loops[0]),
           "the algebraic loop of the input '" + flat_name(system.inputs, system.loops[0]) +
               "' has no solution at the start",
           "its value depends on itself, through the feedthrough and the outputs");
  const Place place = flat_place(system.states, system.algebraic.empty() ? 0 : system.algebraic[0]);
  if (e.psi.empty() || failed.not_finite)
    refuse(model, place, "the rates of the states are not determined at the start",
           "E must be regular, and all values finite");
  refuse(model, place, "the algebraic states " + listed(e.psi_names) + " are not determined at the start",
         failed.singular ? "their rows, or the derivatives of these, must contain them: the index is above 2"
                         : "give starting values: state NAME = VALUE");
}

}  // namespace

void explain_undetermined(const Model& model, const Equations& e, const Level& velocities, const Accelerations& failed,
                          bool linear, bool redundant) {
  if (e.port) explain_states(model, e, failed);
  const Place place = velocities.written == 0 ? Place{} : velocities.places.front();
  const std::string constraints = listed(velocities.written_names());
  if (linear && failed.not_finite)
    refuse(model, place, "the accelerations are not finite at the start", "give other initial values or parameters");
  if (failed.singular)
    refuse(model, place, "the accelerations and reactions are not determined at the start: their matrix is singular",
           velocities.written == 0 ? "each coordinate needs kinetic energy of its own"
                                   : "the reactions must be able to keep " + constraints);
  if (linear && redundant)
    refuse(model, place,
           "the constraints " + constraints + " depend on each other at the start, and no reactions keep all of them",
           "the start is a singular position, or two constraints move differently in time");
  refuse(model, place, "no multipliers found that keep " + constraints + " at the start",
         "give starting values: multiplier NAME = VALUE");
}

}  // namespace alembert::internal
