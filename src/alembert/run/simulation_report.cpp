// The report of a run that has ended.

#include <cmath>

#include "alembert/run/report_names.h"
#include "alembert/run/simulation.h"

namespace alembert::internal {

void Simulation::finish() {
  const Watch& watch = engine_.watch;
  report_.rejected = rejected_ + control_->rejected();
  report_.comparisons = comparisons_ + control_->comparisons();
  report_.energy = watch.energy_watched;
  report_.drift = watch.drift.fit();
  if (engine_.work || gained_ > 0 || lost_ > 0) take_account();
  report_.position = watch.max_position;
  report_.velocity = watch.max_velocity;
  report_.nonholonomic = watch.max_nonholonomic;
  report_.velocity_ranges = watch.velocity_ranges;
  report_.invariants = watch.invariants_watched();
  report_.observed = engine_.observed.watched();
  NewtonStatistics newton = control_->statistics();
  newton.iterations += spent_.iterations;
  newton.factorizations += spent_.factorizations;
  newton.evaluations += spent_.evaluations;
  report_.newton = reported(newton);
  report_state();
  if (report_.steps > 0) report_internal();
}

// The error of the energy is what the account does not explain.
void Simulation::take_account() {
  EnergyAccount account = engine_.work ? engine_.work->account() : EnergyAccount{0, 0, 0, report_.energy.max_error};
  // Ports say for themselves which is which; of a run in segments all of them decide.
  if (engine_.work && !engine_.ports && (!segment_ || segment_->arrived))
    count_as_damping(account, engine_.work->most_supplied(), engine_.work->least_supplied());
  account.supplied += gained_;
  account.dissipated += lost_;
  if (report_.balance.parted) {
    account.dissipated = report_.balance.dissipated + lost_;
    account.supplied = report_.balance.supplied + gained_;
    account.error = std::abs(report_.energy.final - report_.energy.initial - account.supplied + account.dissipated);
  }
  report_.energy.max_error = account.error;
  report_.drift = {0, INFINITY};
  report_.account = account;
}

void Simulation::report_state() {
  const std::span<const double> state = point_.state;
  engine_.motion.look(report_.t, state);
  report_.momentum = list(engine_.motion.momentum());
  report_.v = list(engine_.motion.velocity());
  report_.y = list(state.first(n_y_));
  report_.z = list(state.subspan(n_y_));
  const std::span<const double> multipliers = engine_.multipliers.at(report_.t, state).subspan(report_.z.size());
  report_.lambda = list(multipliers.first(engine_.e.lambda.size()));
  report_.psi = list(multipliers.subspan(engine_.e.lambda.size()));
  if (engine_.ports) report_ports(report_.psi);
  report_.joints = engine_.joints.at(report_.t, state, report_.lambda, report_.psi);
}

void Simulation::report_ports(std::span<const double> psi) {
  engine_.ports->look(report_.t, point_.state, psi);
  PortReport& port = *report_.port;
  port.x = port_states(*engine_.model.port, report_.z, report_.psi);
  port.u = list(engine_.ports->inputs());
  port.y = list(engine_.ports->outputs());
  port.energies = list(engine_.ports->energies());
}

void Simulation::report_internal() {
  // A step that an event cut short was made once more, as long as it then was.
  const bool cut = !report_.stopped.empty() && report_.events.back().share > 0 && report_.events.back().share < 1;
  report_.internal = cut ? engine_.dense->internal() : control_->internal();
  report_.internal_names = engine_.step.internal_names();
}

}  // namespace alembert::internal
