#pragma once

// A part of a run that is made of several, one behind the other: the grid, the rows and the counts go on.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "alembert/run/sample_times.h"

namespace alembert::internal {

class Archive;
class Engine;
struct GridPoint;

/// When a checkpoint was left last, and after how many steps of the whole run; when the clock was looked at.
struct CheckpointClock {
  double saved = 0;  // seconds; 0: never
  long steps = 0, looked = 0;
};

struct Segment {
  Engine* base = nullptr;       // of the model as it is written: what events set is set there
  double grid = 0;              // where the grid of fixed steps begins
  long steps = 0;               // made before
  bool first = true;            // of the run
  bool probes = true;           // the accuracy of its steps
  bool rests = false;           // nothing moves: there is no kinetic energy that errors could be measured by
  bool row = true;              // the first point has a row
  bool final = true;            // the run ends where this ends
  bool ends_on_grid = false;    // where it does not
  bool stops_at_kinks = false;  // it ends in front of the first kink: what happens there is for who goes on
  bool in_kink = false;         // it begins in one
  int own_events = 0;           // the first of the events: they stop the run, the others the segment
  /// Whether a step that was made must not be taken, because it passed over something: the segment fails in front of
  /// it. Empty for most.
  std::function<bool(const GridPoint& from, const GridPoint& to)> refuses;
  /// Called for every step that was made, before anything is said of it. Empty for most.
  std::function<void(const GridPoint& from, const GridPoint& to)> arrived;
  /// Called for every step that ends on the grid, where somebody keeps the motion. Empty for most.
  std::function<void(const GridPoint& point)> passed;
  /// What goes with the checkpoints of the run in front of its steps. Empty: it leaves none.
  std::function<void(Archive& fields)> archive;
  std::string signature;       // of the whole run, where this is not all of it
  std::string failed;          // why the run ends behind the step of which `arrived` was told; "": it goes on
  double taken = 0;            // energy that contacts took, beside all other work
  std::vector<int> acting;     // changes of contacts in that step that set something, by their numbers
  std::vector<int> announced;  // numbers of events for which the first point is the row

  // Handed on.
  std::vector<long> counts;            // of all events
  std::vector<double> parameters;      // that are open, as the segment ends
  std::optional<SampleTimes> samples;  // that are left
  CheckpointClock clock;
  std::optional<double> kink;  // where it is, if the segment ended in front of one
  std::vector<int> sides;      // of the model's own events, in front of that kink
  bool row_in_kink = false;    // it has a row by its number
};

}  // namespace alembert::internal
