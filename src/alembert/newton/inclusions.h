#pragma once

// Unilateral laws among the equations of a step: complementarity and Coulomb's cone, written by functions that are
// differentiated like all others, in blocks of unknowns that are solved one after the other.

#include <memory>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

/// Equation k belongs to unknown k throughout; unknowns of contacts that take no part are 0.
struct Inclusions {
  /// A force of bounded size against the slip: its entries are the unknowns from `first` on.
  struct Tangent {
    int first = 0;
    Exprs force, slip;  // the force may be an unknown and a number that is known
    Expr coefficient;   // the bound is this times the force of the contact; not of the unknowns of its block
    int weight = 0;     // its number in weights
  };
  struct Contact {
    int block = 0;
    int normal = 0;     // an unknown
    Expr force, rate;   // both at least 0, complementary
    int weight = 0;     // its number in weights
    Expr closed;        // it takes part where this is at most 0; of the inputs and the unknowns of earlier blocks
    bool grows = true;  // it takes part as well where `passed` would become negative
    Expr passed;        // the rate where nothing is given
    std::vector<Tangent> tangents;
  };
  std::vector<int> block_start;  // the first unknown of each block
  std::vector<Contact> contacts;
  Exprs weights;  // symbols: positive factors between rates and forces, chosen when the equations are solved
};

/// a - max(a - w b, 0): vanishes where 0 <= a, 0 <= b, and one of them is 0.
Expr complementary(Expr a, Expr b, Expr w);
/// force less the projection of force - w slip onto the disk with this radius: vanishes where |force| <= radius, and
/// the slip is 0 or has the whole force against it.
Exprs in_disk(const Exprs& force, const Exprs& slip, Expr radius, Expr w);

}  // namespace alembert::internal
