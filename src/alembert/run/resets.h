#pragma once

// What events set: values of parameters and states, made of what was before.

#include <optional>
#include <span>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"
#include "alembert/run/engine.h"

namespace alembert::internal {

class Resets {
 public:
  /// The engine outlives this.
  explicit Resets(Engine& engine);

  /// Does what an event of the model does at a point, which is on the constraints before and after; the changes of
  /// contacts are numbered behind the events. reactions: the multipliers there, lambda and psi. Why there is no such
  /// state in words, "" where all went well.
  std::string apply(int event, GridPoint& point, std::span<const double> reactions);

 private:
  std::vector<double> velocities(const GridPoint& point);
  bool keep_velocities(const std::vector<double>& before, GridPoint& point);

  Engine& engine_;
  Kernel<double> kernel_;
  std::optional<Kernel<double>> mobility_;  // Hamiltonian form: v and v_p, row after row
  std::vector<double> in_, out_, work_;
  std::vector<const Event*> events_;
  std::vector<std::size_t> first_;  // of the actions of each event
};

/// The multipliers of the model without contacts, lambda and psi, at a point of an engine of one of its modes, or its
/// own.
std::vector<double> reactions_at(Engine& engine, const Engine& base, double t, std::span<const double> state);

}  // namespace alembert::internal
