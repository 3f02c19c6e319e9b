#pragma once

// The equations of a step of a small system, made ready for straight-line code: what one iteration of Newton's method
// with a kept matrix computes, and what follows from the solution. Expressions only; usual_step.h and step_program.h
// make functions of them. Private to newton/.

#include <optional>
#include <vector>

#include "alembert/linear/elimination.h"
#include "alembert/newton/explicit_unknowns.h"
#include "alembert/newton/step_equations.h"

namespace alembert::internal {

struct UsualEquations {
  Exprs all;                                 // t0, h, state, unknowns: what everything depends on
  std::vector<int> core, tail, multipliers;  // numbers of unknowns; the tail follows from the core by one linear system
  std::vector<int> core_explicit;            // of unknowns that follow from the core by a formula
  Exprs start;                               // those at a guess, in `all`
  /// Of a reduced step: one over the sizes of the groups at a guess, and their symbols in `iterated`; a division less
  /// in every iteration.
  Exprs inverse_sizes, inverse_symbols;
  NamedEntries factors;      // of the matrix of the core
  double renewed_above = 0;  // corrections after which a new matrix costs less than more iterations
  /// Of a matrix from which something is left out (leading_matrix.h): what a correction leaves, at a typical point. 0:
  /// it is Newton's own.
  double contraction = 0;
  double iterations = 2;  // as they usually are
  /// In `all` and the symbols of the factors: the core after a correction, then core_explicit; its size as
  /// CorrectionNorm measures it; the sum of the corrections, which is finite where they all are.
  Exprs iterated;
  /// In `all`: the tail, likewise; then the increments of the state and the balance (see step_equations.h) for the new
  /// tail.
  Exprs settled, increments, balance;
  Expr whole_tail;  // the size of all of it, measured like its correction
};

// What the usual way knows of sizes, each with its reason.

/// A correction above this would be followed by two more with the same matrix, by one with a new one; one that is much
/// larger by three and two.
inline constexpr double far_correction = 1e-8, very_far_correction = 1e-5;
/// The tail is solved again where more than this may be left of it.
inline constexpr double left_over = 0x1p-50;
inline constexpr int most_repeats = 4;
/// Where it needs more, the general Newton knows better.
inline constexpr int most_usual_iterations = 6;
/// The same where there is no general Newton beside, in lanes and on GPUs: a member that leaves is made all over again.
/// 3 % of heavy tops by lobatto(3) need a seventh in their fourth step, for corrections of two units of rounding.
inline constexpr int most_program_iterations = 12;

/// Beyond this many operations straight-line code stops paying off: its compilation grows faster than the system.
inline constexpr std::size_t most_usual_operations = 6000;

/// typical: inputs (t0, h, state) and unknowns near which steps will be made; pivots are chosen for it. Nothing where
/// the equations are not small, or where the matrix is singular there.
/// approximate: what a step multiplies by its size may be left out of the matrix, where that is cheaper. reduced: the
/// same equations without explicit unknowns, where these are to be put in.
std::optional<UsualEquations> usual_equations(const StepEquations& equations, const std::vector<double>& typical,
                                              std::size_t most_operations = most_usual_operations,
                                              bool approximate = false, const ReducedStep* reduced = nullptr);

}  // namespace alembert::internal
