#pragma once

// Whether steps are short enough for what depends on time alone: inputs, drives, moving supports.

#include <optional>
#include <span>
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
  /// The step between two of these times in which a function changes most in a way that a polynomial of this degree
  /// through the step does not follow; nothing where all are followed well, or the steps are too many to look at.
  std::optional<Jump> jumped_over(std::span<const double> times, int degree) const;
  bool any() const { return kernel_.outputs() > 0; }
  /// Of more steps nothing is said.
  static constexpr std::size_t most_steps = 25000;

 private:
  Kernel<double> kernel_;
};

}  // namespace alembert::internal
