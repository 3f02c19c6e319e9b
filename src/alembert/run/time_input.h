#pragma once

// Whether steps are short enough for what depends on time alone: inputs, drives, moving supports.

#include <optional>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"

namespace alembert::internal {

/// The functions of time of a system; copies share the code.
class TimeInputs {
 public:
  explicit TimeInputs(const Equations& equations);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }

  struct Jump {
    double t = 0;      // inside the step
    double share = 0;  // of the range of the function that the step does not see
  };
  /// The step of size h, between t0 and end, in which a function changes most in a way that a polynomial of this degree
  /// through the step does not follow; nothing where all are followed well.
  std::optional<Jump> jumped_over(double t0, double end, double h, int degree) const;

 private:
  Kernel<double> kernel_;
};

}  // namespace alembert::internal
