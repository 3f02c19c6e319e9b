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

/// A run on a page, by the name that it has there.
struct PageRun {
  const Trajectory* trajectory = nullptr;
  std::string name;
};

/// A whole page that needs nothing else: the mechanism that moves, plots, and words (the report). Runs beside the first
/// are laid over it. `path` is where the model of the first was read, "" where nobody knows: files that it names are
/// looked for there. Where the program was built without its bundle, it is the simple page of the first run.
std::string page_of(const std::vector<PageRun>& runs, const std::string& title, const std::string& words,
                    const std::string& path = {});
/// The same for one run.
std::string page_of(const Trajectory& trajectory, const std::string& title, const std::string& words,
                    const std::string& path = {});
/// Points, rods and figure: what there is without the bundle.
std::string simple_page_of(const Trajectory& trajectory, const std::string& title, const std::string& words);
/// "" where pages are whole; else what is to be said about them.
std::string page_note();

/// The frame of every page: style for light and dark screens and for paper, no scripts but those in the body.
std::string html_page(const std::string& title, const std::string& body);

}  // namespace alembert::internal
