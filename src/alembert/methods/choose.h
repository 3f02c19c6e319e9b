#pragma once

// A method for those who name none: by what the model is and how accurate the run shall be.

#include <string>

#include "alembert/methods/method.h"

namespace alembert::internal {

/// What the choice rests on beside the equations.
struct MethodNeeds {
  double tolerance = 1e-8;   // of a step, relative
  bool decays_fast = false;  // some motion dies away within a small part of a step
  bool interrupted = false;  // steps end at kinks and events
  bool redundant = false;    // constraints follow from others
};

struct MethodChoice {
  Method method;
  std::string reason;  // one plain line
};

/// The chosen one takes the model. Throws InputError where none does.
MethodChoice choose_method(const Equations& equations, const MethodNeeds& needs);

}  // namespace alembert::internal
