#pragma once

// What may be set, at the start and by events: states, parameters, and what follows from states.

#include <optional>
#include <string>

#include "alembert/error.h"
#include "alembert/expr.h"

namespace alembert::internal {

/// A function of the state that may be set as states are, at the start or by an event: the other states follow.
struct Prescribed {
  std::string name;  // "hinge.rate"
  Expr value;        // of t, q, z
  bool moves;        // it contains velocities, so that these are what it sets; else the positions
  Place place;
  std::optional<Quad> start;  // its value at the start, where the model says one
  Expr start_expression;      // the same in parameters
  bool overridden = false;    // that was given from outside
};

/// What an event assigns.
struct Action {
  enum class To { parameter, y, z, prescribed };
  To to = To::parameter;
  int entry = 0;  // of Model::parameter_symbols, q, the z, or Model::prescribed
  Expr value;     // in what was before the event; may contain multipliers
  std::string name;
};

}  // namespace alembert::internal
