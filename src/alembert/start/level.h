#pragma once

// The two levels on which constraints are made to hold: positions, g(t,y) = 0, and velocities, g_t + g_y v = 0 and
// k(t,y,z) = 0. Where masses vanish, rows of the equations of motion are algebraic and belong to a level too.

#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/derive/massless.h"

namespace alembert::internal {

/// constraints(inputs, unknowns) = 0, with what is needed to speak about it.
struct Level {
  const char* values = "";  // what the unknowns are: "positions", "velocities"
  Exprs inputs, unknowns;   // symbols
  Exprs constraints;        // those that the user wrote, then those that vanishing masses add
  std::size_t written = 0;  // how many the user wrote
  std::vector<std::string> names, unknown_names;
  std::vector<Place> places;  // of the constraints
  std::vector<int> numbers;   // in Model::constraints; -1: added

  std::vector<int> prescribed = {};  // the last of the constraints: their numbers in Model::prescribed

  Exprs symbols() const;
  /// The names of those that the user wrote.
  std::vector<std::string> written_names() const;
};

Level position_level(const Model& model, const Equations& e, const Massless& masses);
/// Its unknowns are z, and the multipliers too where added rows contain both.
Level velocity_level(const Model& model, const Equations& e, const Massless& masses);
/// The level and what is prescribed on it: value = w, the w being the last of its inputs. Those count that a request
/// makes active.
Level with_prescribed(Level level, const Model& model, const Equations& e, bool velocities);

}  // namespace alembert::internal
