#pragma once

// What a model says of a contact.

#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/expr.h"

namespace alembert::internal {

/// What resists slip, a velocity of one or two entries: a force of at most the coefficient times the normal force,
/// against it.
struct Friction {
  Expr coefficient;  // while it slips
  Expr at_rest;      // the same where nobody gave another
  Exprs slip;
};

/// A gap that must not become negative. Its normal force is at least 0.
struct Contact {
  std::string name;  // "floor", "floor[3]" for a family, "elbow.lower"
  Expr gap;          // of t and q
  Expr restitution;
  bool poisson = false;            // Poisson's restitution instead of Newton's
  std::vector<Friction> friction;  // along the surface first; rolling and drilling resistance
  Place place;
  std::string gap_unit = {}, force_unit = {}, slip_unit = {};  // "" where they are not known

  // What acts in the contact, as symbols: the mode that it is in says what they are. Empty where nobody asks.
  Expr force, state;
  Exprs tangential;
};

}  // namespace alembert::internal
