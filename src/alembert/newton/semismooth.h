#pragma once

// Equations with inclusions, to rounding: semismooth Newton on the contacts that take part, and where it does not get
// there sweeps of Gauss and Seidel over the contacts, and Newton on equations that hold the forces less and less to
// those of the last solution. Where even that leaves more than rounding the statistics say so. Contacts that follow
// from others are welcome: their forces share.

#include <memory>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/newton/implicit_equations.h"
#include "alembert/newton/newton_result.h"

namespace alembert::internal {

/// Double precision. Nothing is kept from one solve() to the next but memory. Copies share the code.
class Semismooth {
 public:
  /// equations.inclusions is not null.
  Semismooth(const ImplicitEquations& equations, const NewtonOptions& options);
  ~Semismooth();
  Semismooth(const Semismooth& other);
  Semismooth& operator=(const Semismooth&) = delete;

  void bind(const double* parameters) noexcept;
  /// As Newton::solve.
  NewtonResult solve(double* x) noexcept;
  const NewtonStatistics& statistics() const { return statistics_; }
  NewtonStatistics& statistics() { return statistics_; }

 private:
  struct Block;
  NewtonResult solve_block(Block& block);

  int inputs_ = 0, unknowns_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<double> x_;  // inputs, unknowns, weights
  NewtonStatistics statistics_;
};

}  // namespace alembert::internal
