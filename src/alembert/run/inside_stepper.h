#pragma once

// What runs and studies need of a stepper.

#include <memory>

#include "alembert/run/engine.h"
#include "alembert/stepper.h"

namespace alembert::internal {

struct InsideStepper {
  /// The engine that it was compiled with: for other motions of the same equations, never to be advanced.
  static Engine& engine(const Stepper& stepper);
  /// Another engine whose motion begins where the stepper stands, and goes on with the same bits where it makes steps
  /// of the stepper's size.
  static std::unique_ptr<Engine> engine_here(const Stepper& stepper, double step);
};

}  // namespace alembert::internal
