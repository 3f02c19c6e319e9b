#pragma once

// Where the equations of motion have kinks or jumps: the switching functions of min, max, abs and sign in them.

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// An argument of a table, and where the table has kinks, ascending.
struct KinkedTable {
  Expr argument;
  const std::vector<double>* places;  // lasts as long as the process
};

/// A node of an expression that is another formula on either side of a kink.
struct Switch {
  std::uint32_t node;
  std::size_t kink;  // the function that changes its sign there, or the number of functions and that of the table
  int direction;     // +1 where the function is what the node itself looks at, -1 where it is its negative
};

/// Functions of t, y, z, lambda, psi, each once; the equations are smooth while none of them changes its sign and no
/// argument passes a place of its table. Empty for most models. What depends on accelerations is left out.
struct Kinks {
  Exprs functions;
  std::vector<KinkedTable> tables;
  std::vector<Switch> switches;  // in the order of their nodes

  std::size_t size() const { return functions.size() + tables.size(); }
  bool empty() const { return size() == 0; }
};
Kinks kinks(const Equations& equations);

/// Whether the constraints have some: velocities jump there.
bool constraints_have_kinks(const Equations& equations);

/// Whether time alone passes some.
bool have_kinks_in_time(const Equations& equations);

/// Where a motion that begins at t is looked at, so that it is behind a kink that may stand there: less than rounding
/// away.
double just_behind(double t, double direction);

}  // namespace alembert::internal
