#pragma once

// Trajectories as figures and pages.

#include "alembert/plot/plot.h"
#include "alembert/plot/points.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

/// What a run did: coordinates, positions of its points, energy error, both constraint levels, invariants and
/// multipliers, a panel each where there is something to show.
Figure figure_of(const Trajectory& trajectory);

/// The paths of the points of a planar or spatial mechanism (in a fixed view), with its rods at the first of the rows
/// [from, to).
Panel positions(const Trajectory& trajectory, const std::vector<MovingPoint>& points, std::size_t from, std::size_t to);

/// A whole page that needs nothing else: the animation where the model has points, the figure, and words (the report).
std::string page_of(const Trajectory& trajectory, const std::string& title, const std::string& words);

/// The frame of every page: style for light and dark screens and for paper, no scripts but those in the body.
std::string html_page(const std::string& title, const std::string& body);

}  // namespace alembert::internal
