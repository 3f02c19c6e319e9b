#pragma once

// Equations for Newton's method, as expressions.

#include <memory>
#include <vector>

#include "alembert/newton/stage_structure.h"

namespace alembert::internal {

/// Unknowns that are measured together: a correction counts relative to max(scale, largest of the group).
struct UnknownGroup {
  int first = 0, count = 0;
  Expr scale;  // of the inputs; empty: the group follows the others and does not decide (multipliers)
  /// Where rounding of the constraints is larger than that of the unknowns themselves: their own size. What a kept
  /// matrix leaves must be small against it, for that lies along the constraints, too, and adds up over the steps.
  Expr own = {};
  // Multipliers that the equations are nonlinear in count all the same: by their own scale, or as what they do to the
  // unknowns of the first group, with which they are measured then.
  bool reactions = false;
  Expr effect = {};  // of one of them on these; of the inputs
  bool multipliers() const { return !scale || reactions; }
  bool counts() const { return scale || effect; }
};

struct FewerEquations;  // fewer_equations.h
struct Inclusions;      // inclusions.h

/// F(inputs, unknowns) = 0.
struct ImplicitEquations {
  Exprs inputs, unknowns;  // symbols
  Exprs equations;         // as many as unknowns
  std::vector<UnknownGroup> groups;
  std::shared_ptr<const StageStructure> stages;  // where the equations are a SPARK step; else empty
  std::shared_ptr<Graph> graph;                  // of the equations, where it is not kept alive by others
  std::shared_ptr<const FewerEquations> fewer;   // a regular system that is solved first, where some are redundant
  std::shared_ptr<const Inclusions> inclusions = nullptr;  // where unilateral laws are among them
};

}  // namespace alembert::internal
