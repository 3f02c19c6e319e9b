#pragma once

// What a Newton iteration returns. Failure is a value, not an exception: those who asked decide what follows.

#include <vector>

namespace alembert::internal {

/// contradiction: equations that depend on each other ask for different things.
enum class Outcome { converged, diverged, singular, not_finite, contradiction };

struct NewtonResult {
  Outcome outcome = Outcome::converged;
  int iterations = 0;
  double correction = 0;           // the last one, relative to the scales
  double first_correction = 0;     // how far the guess was off, as Newton's first iteration sees it
  int equation = -1;               // the worst equation: largest residual, or the row of the vanishing pivot
  double residual = 0;             // of that equation
  bool singular_position = false;  // converged, but some unknowns are hardly determined there (multipliers, mostly)
};

struct NewtonStatistics {
  long iterations = 0, factorizations = 0, evaluations = 0;
  std::vector<int> factorization_sizes;  // of the matrices that are factorised
};

}  // namespace alembert::internal
