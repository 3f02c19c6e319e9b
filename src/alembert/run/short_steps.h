#pragma once

// A step made again in many short ones, where there is doubt whether it continues the motion.

#include <optional>

#include "alembert/run/engine.h"

namespace alembert::internal {

class ShortSteps {
 public:
  explicit ShortSteps(Engine& engine) : engine_(engine) {}

  /// Whether so many short steps lead from `from` to about the position at which the step ended, `to`, which the
  /// engine's watch has just looked at, or to one at least where the constraints lie as they do there. Says nothing
  /// against it where they cannot be made.
  bool agree(const GridPoint& from, const GridPoint& to, int parts);

 private:
  Engine& engine_;
  std::optional<Step<double>> step_;  // with a history of its own, made when first needed
};

}  // namespace alembert::internal
