#pragma once

// What rows and reports say of a state beside what is watched: momenta, velocities, ports, reactions of joints. All of
// them are compiled once, copied with their code shared, and never allocate when asked.

#include <span>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"
#include "alembert/report.h"

namespace alembert::internal {

/// t, y, z in one list: the arguments of functions of a state.
Exprs state_arguments(const Equations& equations);

/// p(t,y,z) and v(t,y,z).
class Motion {
 public:
  Motion(const Equations& equations, KernelOptions options);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }

  void look(double t, std::span<const double> state);
  std::span<const double> momentum() const { return {out_.data(), momenta_}; }
  std::span<const double> velocity() const { return std::span(out_).subspan(momenta_); }

 private:
  std::size_t momenta_;
  Kernel<double> kernel_;
  std::vector<double> in_, out_, work_;
};

/// Inputs, outputs and energies of the components of a port-Hamiltonian system; its flows and efforts where asked for.
class PortValues {
 public:
  PortValues(const Equations& equations, bool dirac, KernelOptions options);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }

  /// psi: the algebraic states and the inputs in loops.
  void look(double t, std::span<const double> state, std::span<const double> psi);
  std::span<const double> inputs() const { return {out_.data(), ports_}; }
  std::span<const double> outputs() const { return {out_.data() + ports_, ports_}; }
  std::span<const double> energies() const { return {out_.data() + 2 * ports_, energies_}; }
  /// Everything, in the order of the columns.
  std::span<const double> all() const { return out_; }

 private:
  std::size_t ports_, energies_;
  Kernel<double> kernel_;
  std::vector<double> in_, out_, work_;
};

/// The reactions of joints on bodies.
class JointReactions {
 public:
  explicit JointReactions(const Equations& equations);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }

  std::vector<JointForces> at(double t, std::span<const double> state, std::span<const double> lambda,
                              std::span<const double> psi) const;

 private:
  std::vector<JointForces> joints_;  // without numbers, but with places for them
  Kernel<double> kernel_;
};

}  // namespace alembert::internal
