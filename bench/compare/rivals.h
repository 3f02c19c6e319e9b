#pragma once

// Programs of others, from Debian's packages; each is there only where CMake found it.

#include <optional>
#include <string>
#include <vector>

#include "../hand_written.h"

namespace alembert::bench {

struct Integrated {
  double seconds = 0;         // CPU time of the integration alone
  std::vector<double> state;  // where it ended: positions, then velocities
};

/// A solver for the double pendulum in the coordinates of its masses.
struct PendulumRival {
  std::string name;  // "CVODE, BDF with projection"
  /// To t, with this relative and absolute tolerance; nothing where it fails.
  std::optional<Integrated> (*run)(const DoublePendulum& start, double t, double tolerance);
};
std::vector<PendulumRival> sundials_rivals();

/// The same for any mechanism.
class Mechanism;
struct MechanismRival {
  std::string name;
  std::optional<Integrated> (*run)(Mechanism& mechanism, double t, double tolerance);
};
std::vector<MechanismRival> mechanism_rivals();

/// CPU seconds a step of a hanging chain of so many rigid links with revolute joints; links of mass 1, length 1.
struct LinksRival {
  std::string name;  // "MuJoCo, RK4"
  double (*step_seconds)(int links, double h, long steps);
};
std::vector<LinksRival> links_rivals();

/// What is not there, and what brings it.
std::vector<std::string> absent_rivals();

}  // namespace alembert::bench
