#pragma once

// The whole usual step of a small system as one program (code/program.h): prediction, Newton with its elimination, the
// test of convergence at rounding, the compensated update, and what is watched. It does what UsualStep, Predictor and
// Convergence do, operation by operation, so that its steps have the bits of theirs; what is unusual it leaves to the
// general engine.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alembert/code/program.h"
#include "alembert/expr/derivative.h"
#include "alembert/newton/step_equations.h"

namespace alembert::internal {

/// Why the program did not make a step. The state is as it was before it.
enum class StepStatus {
  made = 0,
  not_converged,  // in as many iterations as usual steps take, or something is not finite
  in_doubt,       // a solution, but it may not be the one that continues the motion
  wild,           // multipliers a thousand times larger than expected: a singular position
  not_finite,     // what is watched
  event,          // a function that is watched for events changed its sign, or may have done so twice
  near_singular,  // constraints that nearly depend on each other
};

/// What is computed at the end of every step, in symbols t, y, z of the model. Each may be empty.
struct WatchedExprs {
  Exprs inputs;  // t, y, z
  Expr energy;
  Exprs g, g_dot, k;
  /// Functions whose zeros are events, and their rates of change where positions alone determine them.
  struct Crossing {
    Expr value, rate;
    int direction = 0;  // 1: upwards only, -1: downwards only
    bool stops = false;
  };
  std::vector<Crossing> crossings;
  /// Gradients of the constraints whose rank is watched, the squares of their lengths, and the square of the volume
  /// that they span; none where it is not.
  struct Rank {
    SparseExprs gradients;
    Exprs lengths;
    Expr volume;
  } rank;
  Exprs invariants;  // with a ledger only
};

struct StepProgramOptions {
  /// Of the table of differences: predictions have degrees below. 6 as Predictor; 0: 6, and 8 where they are cheap.
  int rows = 6;
  std::size_t most_operations = 20'000;  // of a factorisation and an iteration: compiled for many motions
  /// Unknowns that follow from others are put in, and what hardly matters is left out of Newton's matrix: faster, with
  /// the same results but for rounding.
  bool reduce = false;
  bool own_matrix = false;  // reduced or not, Newton's matrix is whole
  /// Little is kept, for machines where memory is dear: what follows by one linear system is not predicted, a step that
  /// fails behind Newton's method leaves any state, and only a residual or the end shows numbers that are not finite.
  /// The same results within rounding.
  bool lean = false;
  bool locate = false;  // events are located by the program, and the motion goes on; else they are unusual
  WatchedExprs watch = {};
  /// One run of the program makes all the steps that are left, adds up what a run reports, and pauses where a run has
  /// to look closer. Needs a watch.
  bool ledger = false;
};

/// Where things stand among the variables.
struct StepProgram {
  static constexpr double never = 1e300;  // a limit that no number of a motion reaches
  Program program;
  int states = 0, substeps = 0;
  bool own_matrix = true;           // false: a part of Newton's matrix is left out, which may converge too slowly
  int start = 0, h = 0, made = 0;   // t = start + made*h; made: steps so far
  int left = 0;                     // steps that are still to be made; none is made at 0
  int status = 0;                   // a StepStatus; steps are made at 0 only
  int count = 0, phase = 0;         // steps that the predictor has learnt from, and that number modulo 16
  int state = 0, compensation = 0;  // first places
  int carries = 0, carried = 0;     // values that the method carries beside the state
  struct Substep {
    int unknowns = 0;
    int all_unknowns = 0;                 // of the method; the others follow from those that are kept
    std::vector<int> kept;                // numbers of those that are predicted, among them
    bool fresh_tail = false;              // those of the tail are not
    int guess = 0, rows = 0, degree = 0;  // first places; row k begins at rows + k*unknowns
    int tail_error = 0;
  };
  std::vector<Substep> parts;
  // Of the watch; -1 where it is not there. energy_error and residuals are the largest so far.
  int energy = -1, first_energy = -1, energy_error = -1;
  int position = -1, velocity = -1, nonholonomic = -1;
  int crossing = -1;  // values of the functions at the last step
  int crossed = -1;   // located: first times, `never` before
  int crossing_rate = -1;

  /// Of a program with a ledger; -1 else. Steps end at a pause, with none left.
  struct Ledger {
    int iterations = -1, factorizations = -1;  // of Newton, so far
    int sum_t = -1, sum_error = -1;            // of the ends of steps, of the error of the energy there
    int residual_bound = -1, energy_bound = -1, prediction_bound = -1;  // beyond which the program pauses
    int pause = -1;                                                     // why it did so behind the last step: a Pause
    int correction = -1;  // of the prediction of the last step, as GridPoint::prediction_error
    int longest = -1;     // squares of the largest lengths of the gradients so far
    int first_invariant = -1, invariant = -1, invariant_error = -1;  // at the start, now, and their largest errors
    int independence = -1;                                           // the square of their volume, relative to them
  } ledger;
  enum class Pause { none = 0, energy, other };

  int rate_count = 0, rates = 0;  // z', lambda, psi at the start, from which the first step is guessed

  /// Scratch: the size of the present substep.
  int h_of_substep = -1;
  /// Fills what the watch compares with: energy and functions of events at the start.
  std::optional<Program> first_look;
  /// Guesses of the unknowns of the first step, from the state and the rates; nothing where equations have to be solved
  /// for them.
  std::optional<Program> first_guess;

  /// Prepares variables for a motion from a state. rates: z', lambda, psi there; taken_along: what the method carries.
  /// first_guess and first_look are to be run then.
  void begin(double* variables, double t0, double h, double steps, const double* state, std::span<const double> rates,
             std::span<const double> taken_along) const;
  /// Guesses of the unknowns of the first step, those of all substeps one after the other.
  void guess(double* variables, std::span<const double> guesses) const;
};

/// typical: for each substep t0, its h, state and unknowns near which steps will be made. Nothing where a part is not
/// small, or where all together would be too long.
std::optional<StepProgram> make_step_program(const StepPlan& plan, const std::vector<std::vector<double>>& typical,
                                             const StepProgramOptions& options);

}  // namespace alembert::internal
