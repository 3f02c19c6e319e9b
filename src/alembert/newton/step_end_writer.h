#pragma once

// The end of a step's program: what is watched, and what goes on to the next step. Private to newton/.

#include <vector>

#include "alembert/newton/ledger_writer.h"
#include "alembert/newton/substep_writer.h"

namespace alembert::internal {

/// The end of a step: what is watched, whether it counts, and the new values of what goes on.
class StepEndWriter {
 public:
  StepEndWriter(StepProgram& step, ProgramBuilder& builder, const StepProgramOptions& options, StepScratch common)
      : step_(step),
        builder_(builder),
        watch_(options.watch),
        locate_(options.locate),
        lean_(options.lean),
        c_(common) {}

  int next_state = 0, next_compensation = 0, next_carried = 0, look_mask = 0;
  int value = 0, rate = 0, hit = 0, any_hit = 0;  // scratch: of the crossings at the end of the step
  int sizes = 0;                                  // scratch: energy, |g|, |g'|, |k|

  void allot_persistent();
  void allot_scratch();

  void write(std::vector<Program::Statement>& out);

  /// At the start of a motion.
  Program::Statement first();

  /// Whether the degree is looked for.
  Program::Statement before_commit(Graph& graph, int rows);

  /// ledger: null where there is none.
  Program::Statement commit(Graph& graph, const LedgerWriter* ledger);

 private:
  int crossings() const { return static_cast<int>(watch_.crossings.size()); }
  Variables state_at(int first) const { return listed(Exprs(watch_.inputs.begin() + 1, watch_.inputs.end()), first); }
  Expr at(Expr t, Expr value) const;
  Expr rate_of(int i, Expr t) const;
  /// Energy, largest |g|, |g'|, |k|.
  Exprs seen(Expr t) const;

  Program::Statement watch();

  /// Whether two zeros may lie in a step whose ends have the same sign: the rate changes its sign, and zero is within
  /// reach.
  Expr may_touch(int i, Expr before, Expr now, Expr rate_before, Expr rate_now, Expr h) const;

  /// The time of a zero between two steps, by the cubic that has the values and rates of both ends.
  Program::Statement locate(int i);

  void take_watched(Graph& graph, Variables& in, Variables& kept, Expr& still);

  StepProgram& step_;
  ProgramBuilder& builder_;
  const WatchedExprs& watch_;
  bool locate_, lean_;
  StepScratch c_;
};

}  // namespace alembert::internal
