#pragma once

// Steps between two kinks see the formulas of one side of each, also where a stage lies beyond it: so the equations are
// smooth in every step, and the order of the method holds.

#include "alembert/run/kinks.h"

namespace alembert::internal {

/// Parameters that say on which side a step is, behind those of the model: one for each function of the kinks, +1, -1,
/// or 0 where both sides count; two for each table, the kinks between which its argument lies.
struct Sides {
  static constexpr double both = 0;
  static constexpr double everywhere = 1e300;  // arguments of tables are far below, and it is a number in any text
  /// Where nothing is known.
  static std::vector<double> unknown(const Kinks& kinks);
};

/// The equations with switches that read these parameters. Kinks in time alone stay: stages never lie beyond them.
Equations on_sides(const Equations& equations, const Kinks& kinks);

}  // namespace alembert::internal
