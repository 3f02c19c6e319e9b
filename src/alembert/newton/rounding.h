#pragma once

// What rounding can do to the values of a tape: a running error analysis beside the evaluation.

#include "alembert/code/kernel.h"

namespace alembert::internal {

/// Evaluates the tape in double. error[i] bounds, to first order, how far value[i] can be from the exact value when
/// every input and constant is only known to half a unit in its last place and every operation rounds. A residual
/// below a few times its error is zero as far as double numbers can tell. parameters: the table, as kernels take it.
void rounding_levels(const Tape& tape, const double* in, double* value, double* error,
                     const double* parameters = nullptr);
/// The same without allocation: work holds twice as many numbers as the tape has registers.
void rounding_levels(const Tape& tape, const double* in, double* value, double* error, double* work,
                     const double* parameters) noexcept;

/// Whether equations hold as well as double numbers can tell. Near an equilibrium all unknowns vanish, and what is left
/// of forces that cancel is large against them: corrections then never become small. Other scalars and large systems
/// have no such test.
class RoundingTest {
 public:
  RoundingTest() = default;  // always false
  explicit RoundingTest(Tape equations);
  bool holds(const double* x) noexcept;
  void bind(const double* parameters) noexcept { parameters_ = parameters; }

 private:
  Tape tape_;
  std::vector<double> levels_;  // values, errors, work
  const double* parameters_ = nullptr;
};

}  // namespace alembert::internal
