#pragma once

// The usual way of a step of a small system, as straight-line code: one matrix a step, factorised where the guess is,
// and iterations that evaluate the equations, substitute, correct and measure in one compiled function; then all that
// follows from the solution in another. What is unusual is left to the general Newton (newton.h).

#include <memory>

#include "alembert/newton/convergence.h"
#include "alembert/newton/newton.h"
#include "alembert/newton/predictor.h"
#include "alembert/newton/step_equations.h"

namespace alembert::internal {

/// Neither allocates nor throws once it is made.
class UsualStep {
 public:
  /// typical: inputs (t0, h, state) and unknowns near which steps will be made. Null where the equations are not small,
  /// where the options ask for something else, or where the matrix is singular there.
  static std::unique_ptr<UsualStep> make(const StepEquations& equations, const std::vector<double>& typical,
                                         const NewtonOptions& options);

  /// With a memory of its own; the code is shared.
  std::unique_ptr<UsualStep> clone() const;

  /// Numbers that solve() needs behind the inputs and unknowns of x.
  std::size_t extra() const { return factors_; }

  /// x holds inputs, unknowns (a guess before, the solution after), and extra() more. False where it did not get there:
  /// x then holds anything.
  bool solve(double* x, NewtonResult& result) noexcept;

  /// A whole step from a prediction, where nothing is in doubt: the state and its compensation go on, the predictor
  /// learns. x holds inputs, unknowns and extra() more. False where something is, and nothing but x has changed.
  bool advance(double t, double h, double* x, Predictor<double>& predictor, double* state, double* compensation,
               NewtonResult& result) noexcept;

  // Of the last solution:
  /// What is added to the state.
  const double* increments() const { return end_.data() + tail_.size() + 2; }
  /// As StepPart::balance.
  const double* balance() const { return increments() + states_; }

  void bind(const double* parameters) noexcept;
  /// As Newton: what corrections leave may be so large, relative to the unknowns. 0: rounding.
  void be_rough(double enough) noexcept { enough_ = enough; }
  const NewtonStatistics& statistics() const { return statistics_; }
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  UsualStep() = default;
  bool iterate(double* x, NewtonResult& result) noexcept;
  bool finish(double* x, NewtonResult& result) noexcept;
  double largest_multiplier(const double* unknowns) const noexcept;

  bool iterates_ = false;  // there is more than the tail
  std::vector<int> multipliers_;
  std::vector<int> tail_;  // unknowns that follow from the others
  std::size_t own_ = 0;    // inputs and unknowns
  int inputs_ = 0, states_ = 0;
  std::size_t factors_ = 0;
  Kernel<double> factor_;   // (inputs, unknowns) -> entries of the factors
  Kernel<double> iterate_;  // (inputs, unknowns, factors) -> unknowns, size of the correction, sum of its entries
  Kernel<double> finish_;  // (inputs, unknowns) -> tail unknowns, size and sum of their correction, increments, balance
  double enough_ = 0;      // may be left
  double renewed_above_ = 0;  // a new matrix where the correction is larger
  double tail_error_ = 0;     // what rounding leaves of a correction of the tail, at most so far
  Convergence convergence_{0x1p-52};
  NewtonStatistics statistics_;
  std::vector<double> next_, end_, work_;
};

}  // namespace alembert::internal
