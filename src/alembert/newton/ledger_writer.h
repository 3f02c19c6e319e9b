#pragma once

// What a run adds up at the end of every step, and whether it has to look closer there. Private to newton/.

#include <vector>

#include "alembert/newton/substep_writer.h"

namespace alembert::internal {

class LedgerWriter {
 public:
  LedgerWriter(StepProgram& step, ProgramBuilder& builder, const WatchedExprs& watch, StepScratch common)
      : step_(&step), builder_(&builder), watch_(&watch), c_(common) {}

  void allot_persistent();
  void allot_scratch();

  /// Behind a step that was made and watched: next_state and sizes say where what came out stands.
  Program::Statement look(int next_state, int sizes);
  /// Adds to what is read and written where a step counts; no steps are left behind a pause. graph: of `still`.
  void take(Graph& graph, Variables& in, Variables& kept, Expr& still) const;
  /// The statements of a step become those of all that are left.
  void repeat(std::vector<Program::Statement>& statements);

 private:
  Graph& graph() const { return watch_->inputs[0].graph(); }
  Expr symbol(const char* name) const { return graph().symbol(name); }
  /// Expressions of a state with other symbols for it.
  Exprs at(const Exprs& list, const Exprs& inputs) const;
  Expr turned(const Exprs& now, const Exprs& lengths, const Exprs& before, const Exprs& lengths_before) const;

  StepProgram* step_;
  ProgramBuilder* builder_;
  const WatchedExprs* watch_;
  StepScratch c_;
  // Scratch:
  int pause_ = 0, independence_ = 0, longest_ = 0, t_ = 0, error_ = 0, more_ = 0, invariant_ = 0;
};

}  // namespace alembert::internal
