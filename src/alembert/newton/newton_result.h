#pragma once

// What a Newton iteration returns. Failure is a value, not an exception: those who asked decide what follows.

#include <vector>

#include "alembert/base/bytes.h"

namespace alembert::internal {

/// contradiction: equations that depend on each other ask for different things. other_branch: there are solutions, but
/// none that continues the motion was found.
enum class Outcome { converged, diverged, singular, not_finite, contradiction, other_branch };

struct NewtonResult {
  Outcome outcome = Outcome::converged;
  int iterations = 0;
  double correction = 0;           // the last one, relative to the scales
  double first_correction = 0;     // how far the guess was off, as Newton's first iteration sees it
  double moved = 0;                // the sum of all corrections: how far from the guess the solution may lie
  double contraction = 0;          // the largest ratio of two successive corrections, where they are above rounding
  int equation = -1;               // the worst equation: largest residual, or the row of the vanishing pivot
  double residual = 0;             // of that equation
  bool singular_position = false;  // converged, but some unknowns are hardly determined there (multipliers, mostly)
};

struct NewtonStatistics {
  long iterations = 0, factorizations = 0, evaluations = 0;
  // Inclusions that were solved to more than rounding, and the largest part of the forces that was left.
  long inexact = 0;
  double largest_left = 0;
  std::vector<int> factorization_sizes;  // of the matrices that are factorised

  /// Without the sizes, which do not change.
  void save(ByteWriter& out) const {
    out.write(iterations);
    out.write(factorizations);
    out.write(evaluations);
    out.write(inexact);
    out.write(largest_left);
  }
  void load(ByteReader& in) {
    in.read(iterations);
    in.read(factorizations);
    in.read(evaluations);
    in.read(inexact);
    in.read(largest_left);
  }
};

}  // namespace alembert::internal
