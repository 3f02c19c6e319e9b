#pragma once

// Many runs of one model.

#include <map>
#include <string>
#include <vector>

#include "alembert/simulate.h"

namespace alembert {

/// A set of values for one run: open parameters and initial values by name.
using Values = std::map<std::string, double>;

struct Member {
  Values values;
  Report report;
  std::string failure;  // why there was no run (no consistent start, say); "" where there was one
};

/// The same run with many sets of values, on all cores, from one compilation. The stepper stays as it is; each member
/// starts from the model's initial values with its own in their place. Members come back in their order.
std::vector<Member> sweep(const Stepper& stepper, const std::vector<Values>& values, const SimulateOptions& options);

}  // namespace alembert
