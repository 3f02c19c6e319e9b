#pragma once

// Bounds of a tape's values over a box of inputs, by interval arithmetic.

#include <span>

#include "alembert/code/kernel.h"

namespace alembert::internal {

/// All numbers from low to high; low > high never happens, and what is unbounded or not defined everywhere is infinite.
struct Interval {
  double low = 0, high = 0;

  bool contains(double x) const { return low <= x && x <= high; }
};

/// The values that an operator takes over intervals of its operands, or more. Rounding is left out: bounds are exact
/// but for a few units in the last place. same: both operands are the same variable.
Interval enclose(Op op, Interval a, Interval b, bool same = false);

/// out[i] contains all values of output i over the box. work holds tape.registers() intervals. parameters: the table,
/// as kernels take it.
void enclose(const Tape& tape, std::span<const Interval> box, std::span<Interval> out, std::span<Interval> work,
             const double* parameters);

}  // namespace alembert::internal
