#pragma once

// Steps of large systems whose stages follow from the multipliers by formulas, as those of RATTLE do where masses are
// constant and forces depend on positions alone: Newton is for the multipliers of the positions, with its own matrix at
// the predicted end of the step, and those of the velocities follow by one linear system. Both matrices are Schur
// complements, as sparse as the constraints. What is unusual is left to the general Newton. Private to newton/.

#include <cstdint>
#include <memory>
#include <vector>

#include "alembert/code/wide.h"
#include "alembert/linear/sparse_ldl.h"
#include "alembert/newton/convergence.h"
#include "alembert/newton/correction_norm.h"
#include "alembert/newton/implicit_equations.h"
#include "alembert/newton/newton_result.h"

namespace alembert::internal {

struct ExplicitFormulas;

/// Copies share the code. Neither allocates nor throws once it is made.
class ExplicitStages {
 public:
  /// Null where the equations are others.
  static std::unique_ptr<ExplicitStages> make(const ImplicitEquations& equations, KernelOptions options);

  /// Where the multipliers begin among the unknowns, and how many they are: all that solve() starts from.
  int first_multiplier() const { return positions_.multipliers; }
  int multipliers() const { return 2 * constraints_; }

  /// x holds inputs and unknowns; of these the multipliers are a guess before, all the solution after. norm: of these
  /// equations, its scales taken. enough: as Newton::be_rough. False where it did not get there: x then holds anything.
  bool solve(double* x, const CorrectionNorm<double>& norm, double enough, NewtonResult& result,
             NewtonStatistics& statistics) noexcept;

  /// All other unknowns of x as the multipliers say.
  void complete(double* x) noexcept;

  /// Whether the last solve() got there, and forget() was not called since.
  bool arrived() const { return arrived_; }
  void forget() noexcept { arrived_ = false; }
  /// As if it had never solved.
  void start_afresh() noexcept {
    forget();
    convergence_ = Convergence(0x1p-52);
    tail_error_ = 0;
  }

  std::vector<int> sizes() const { return {constraints_}; }  // of its matrices
  void bind(const double* parameters) noexcept;
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  /// Unknowns that follow from some multipliers, and the constraints that decide these.
  struct Level {
    int group = 0;                       // of the unknowns, for the norm
    std::vector<int> blocks;             // where the unknowns begin: of those that are alike, the first
    std::vector<int> copies, copied_to;  // blocks alike: which of `blocks` each is, and where it begins
    int first = 0;                       // the first of them
    int size = 0;                        // of a block
    int multipliers = 0;                 // where these begin
    WideKernel<double> values, residuals, entries;
    SparseLdl matrix;
  };
  static std::vector<std::uint32_t> find_alike(Level& level, const ExplicitFormulas& formulas);
  static bool fill(Level& level, const ExplicitFormulas& formulas, KernelOptions options);

  void take_memory();
  void copy_alike(double* x) const noexcept;
  void evaluate(const Level& level, const double* x) noexcept;
  double replace(const Level& level, double* x, const CorrectionNorm<double>& norm) const noexcept;
  bool factor(Level& level, const double* x) noexcept;
  void correct(Level& level, double* x) noexcept;
  bool find_positions(double* x, const CorrectionNorm<double>& norm, double enough, NewtonResult& result) noexcept;
  bool find_velocities(double* x, const CorrectionNorm<double>& norm, double enough) noexcept;

  int inputs_ = 0, constraints_ = 0;
  Level positions_, velocities_;
  Convergence convergence_{0x1p-52};
  double tail_error_ = 0;   // what rounding leaves of a correction of the velocities, at most so far
  int factorizations_ = 0;  // of the last solve()
  bool arrived_ = false;
  std::vector<double> next_, right_, entries_, work_;
};

}  // namespace alembert::internal
