#pragma once

// One substep of a step's program: prediction, Newton, the tail, whether the solution counts. Private to newton/.

#include <vector>

#include "alembert/newton/program_builder.h"
#include "alembert/newton/step_program.h"
#include "alembert/newton/usual_equations.h"

namespace alembert::internal {

/// Scratch variables that all substeps share.
struct StepScratch {
  int t, good, fine;                                  // fine: this substep may count
  int before, moved, ratio, iterations, contraction;  // of Convergence
  int going, renew, open, unsure;                     // masks of the iteration; whether another solution is near
  int expected;                                       // the largest multiplier of the guess
  int again, repeat, tail_before;                     // of the tail
  int doubt, near;                                    // whether to compare with the guess, and what came out
  int factored;                                       // factorisations of this substep
  int first, later;                                   // masks: of the first iteration, and of the others
  int correction, sum;                                // of the last iteration: its size, the sum of its entries
  int first_correction;                               // how far the guess was off
};

/// One substep of the program.
class SubstepWriter {
 public:
  /// reduced: the same as e, in the unknowns that are kept.
  SubstepWriter(StepProgram& step, ProgramBuilder& builder, const StepEquations& e, const StepEquations& reduced,
                const UsualEquations& u, StepScratch common, const StepProgram::Substep& own, int rows)
      : step_(step),
        builder_(builder),
        e_(e),
        reduced_(reduced),
        u_(u),
        graph_(*e.graph),
        c_(common),
        own_(own),
        rows_(rows) {}

  // Places: where the state before and after stands.
  int state = 0, compensation = 0, next_state = 0, next_compensation = 0;
  int x = 0, factors = 0, increments = 0, sizes = 0;
  int carried = 0, next_carried = 0;
  Quad share = 1;

  void write(std::vector<Program::Statement>& out, bool first);

  /// What the predictor learns, where the step counts. degree: looked for anew at some steps.
  void learn(std::vector<Program::Statement>& out, int look_mask, int counted);

 private:
  Expr symbol(const char* name) const { return graph_.symbol(name); }
  Expr number(double value) const { return graph_.constant(value); }
  Variables inputs() const;
  /// The unknowns that are predicted, in a list of their own.
  Variables predicted_at(int first) const;
  /// All unknowns; the predicted ones at a guess, or all of the present iterate.
  Variables unknowns_at_guess() const;
  Variables unknowns_here() const { return listed(e_.unknowns, x); }

  /// With a ledger there are no lanes that wait for each other: what is long is written once, in loops, and what is in
  /// doubt is left to the engine.
  bool looped() const { return step_.ledger.pause >= 0; }
  void write_loops(std::vector<Program::Statement>& out);
  /// Before the first iteration.
  Program::Statement enter();
  /// What an iteration does to the unknowns.
  Program::Statement move();
  /// Whether another one follows, after the first and after later ones.
  Program::Statement after_first();
  Program::Statement after_later();
  /// One linear system for the tail, at first or again.
  Program::Statement settle_in_loop();

  Program::Statement begin(bool first);

  /// Unknowns that follow from the guess.
  Program::Statement start();

  Program::Statement without_core();

  Program::Statement factor(bool first);

  /// What Convergence::simplified says after a correction.
  struct Decision {
    Expr going, good, renew, largest_ratio, contraction;
  };

  /// What a new matrix is trusted to contract by, and the first correction that needs no second one.
  double first_contraction() const;
  double last_at_once() const;
  /// Whether a new matrix follows the first correction.
  Expr renewed(Expr going, Expr now) const;

  /// iterations: with this one.
  Decision decide(Expr now, Expr sum, Expr before, Expr largest, Expr iterations, Expr contraction, Expr here);

  Program::Statement iterate_first();
  /// Later iterations: most end with a correction that is rounding; the others ask for more.
  Program::Statement iterate();
  Program::Statement decide_more();

  /// One linear system for the tail, and the increments of the state; again where rounding may have left something.
  Program::Statement settle(bool first);

  /// Whether what was found surely continues the motion.
  Expr surely(Expr moved, Expr ratio) const;

  /// A further look is needed where that is not sure (branch.h).
  Program::Statement doubt();

  /// distance() of branch.h between what was found and what the guess leads to.
  Program::Statement compare();

  /// Whether the solution counts, and the new state.
  Program::Statement judge();
  /// The new state and what rounding took from it.
  struct Advance {
    Variables in, out;
  };
  Advance advanced() const;
  /// The same where it stands in the place of the old one.
  Program::Statement advance();
  bool in_place() const { return next_state == state; }
  /// What Newton did, where there is a ledger.
  void count_work(Variables& in, Variables& kept) const;

  /// What the method carries beside the state.
  Program::Statement carry();

  /// Multipliers that are predicted.
  std::vector<int> watched_multipliers() const;
  Exprs kept_unknowns() const;
  Expr row_symbol(const Exprs& rows, int k, int i) const { return rows[k * own_.unknowns + i]; }

  /// As Predictor: the degree whose prediction would have been best.
  Program::Statement look(int mask);

  /// The table takes the solution, and the next one is predicted.
  Program::Statement shift(int mask);

  StepProgram& step_;
  ProgramBuilder& builder_;
  const StepEquations &e_, &reduced_;
  const UsualEquations& u_;
  Graph& graph_;
  StepScratch c_;
  StepProgram::Substep own_;
  int rows_;
};

}  // namespace alembert::internal
