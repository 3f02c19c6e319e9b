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

}  // namespace alembert::internal
