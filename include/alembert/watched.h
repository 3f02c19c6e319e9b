#pragma once

// What a run watches on its way and says about itself at the end.

#include <string>

namespace alembert {

/// Extremes of something watched at every step.
struct Watched {
  double initial = 0;
  double final = 0;
  double max_error = 0;  // largest |value - initial|
};

/// A value that the model observes, over all grid points.
struct ObservedRange {
  double final = 0;
  double least = 0, most = 0;
};

struct Extremes {
  double least = 0;
  double most = 0;
};

/// A line fitted through block means of an error over time.
struct Drift {
  double per_time = 0;
  double uncertainty = 0;  // one standard error of the slope, from the scatter of the block means
};

/// Something that may make the result other than it seems, with what to do about it.
struct Warning {
  std::string code;  // one word that programs can compare: "energy"
  std::string text;  // fields in backticks
  double t = 0;      // where it was first seen
};

/// What the steps add to the error, found by making some of them again in two parts, and by a
/// companion with steps twice as long.
struct Accuracy {
  double per_time = 0;  // of every state relative to the range of its kind, in a unit of time
  double per_step = 0;  // the largest that was seen
  double worst_t = 0;   // where that was
  long compared = 0;    // steps
};

/// Where the energy of a model that is not isolated went.
struct EnergyAccount {
  double dissipated = 0;  // by friction, dampers, non-ideal constraint forces
  double supplied = 0;    // by forces, drives, moving constraints, inputs
  double impacts = 0;     // the part of what was dissipated that impacts took
  double error = 0;       // largest |energy - initial - supplied + dissipated| at a grid point
};

/// The change of energy in a step as the method's stages predict it, beside the actual one (Symank 2025, (6.15)).
struct EnergyBalance {
  long steps = 0;                    // 0: the method predicts nothing
  double predicted = 0, actual = 0;  // over all steps
  double max_change = 0;             // of a step
  double max_residual = 0;           // largest |predicted - actual| of a step
  bool parted = false;               // the next two are known: port-Hamiltonian systems
  double dissipated = 0, supplied = 0;
};

}  // namespace alembert
