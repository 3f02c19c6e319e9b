#pragma once

// Runs to look at: a figure, and a page with the animation.

#include <string>

#include "alembert/trajectory.h"

namespace alembert {

/// Coordinates, positions of points, energy error, constraints, invariants and multipliers, a panel each: an SVG
/// document.
std::string figure(const Trajectory& trajectory);

/// A whole page that needs nothing else: the animation where the model has points, the figure, and words (the report).
std::string page(const Trajectory& trajectory, const std::string& words = {});

}  // namespace alembert
