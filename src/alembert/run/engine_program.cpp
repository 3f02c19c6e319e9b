#include "alembert/run/engine_program.h"

#include <utility>

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

/// d/dt of a function of t and y, where v are the rates of y; nothing where it depends on more.
Expr rate_along(const Equations& e, Expr value) {
  if (depends(value, joined<Expr>(e.z, e.lambda, e.psi, e.z_dot)) || e.v.size() != e.y.size()) return {};
  const Exprs list{value};
  const SparseExprs by_y = jacobian(list, e.y), by_t = jacobian(list, Exprs{e.t});
  Expr rate = e.graph->constant(0);
  for (std::size_t k = 0; k < by_t.value.size(); ++k) rate = rate + by_t.value[k];
  for (std::size_t k = 0; k < by_y.value.size(); ++k) rate = rate + by_y.value[k] * e.v[by_y.column[k]];
  return rate;
}

/// Why this engine's motions are more than usual steps; "" where they are not.
std::string more_than_steps(const Engine& engine) {
  if (!engine.model.contacts.empty()) return "the model has contacts";
  if (engine.kinks) return "the model has kinks, which steps must meet";
  if (!engine.initial.redundant.empty()) return "constraints depend on each other";
  if (engine.initial.singular_position) return "the motion begins at a singular position";
  if (engine.options.newton.linear != LinearSolver::automatic || engine.options.newton.tolerance != 0)
    return "another way of Newton's method was asked for";
  return "";
}

WatchedExprs watched(const Engine& engine) {
  const Equations& e = engine.e;
  WatchedExprs watch;
  watch.inputs = joined<Expr>(e.t, e.y, e.z);
  watch.energy = e.energy;
  watch.g = e.g;
  watch.g_dot = e.g_dot;
  watch.k = e.k;
  for (std::size_t i = 0; i < e.events.size(); ++i) {
    const Event& event = engine.model.events[i];
    watch.crossings.push_back(
        {e.events[i], rate_along(e, e.events[i]), event.direction, event.stop || event.stop_after == 1});
  }
  return watch;
}

}  // namespace

EngineProgram program_of(Engine& engine, const EngineProgramOptions& options) {
  EngineProgram result;
  result.why = more_than_steps(engine);
  if (!result.why.empty()) return result;
  StepProgramOptions asked{.rows = options.rows,
                           .reduce = options.reduce,
                           .own_matrix = options.own_matrix,
                           .lean = options.lean,
                           .locate = options.locate};
  if (options.watch || options.ledger) asked.watch = watched(engine);
  if (!options.energy && !options.ledger) asked.watch.energy = {};
  asked.ledger = options.ledger;
  if (options.ledger) asked.watch.invariants = engine.e.invariants;
  if (options.ledger && engine.watch.watches_rank()) {
    const GradientExprs found = gradient_exprs(engine.e);
    asked.watch.rank = {found.gradients, found.lengths, found.volume};
  }
  for (const WatchedExprs::Crossing& crossing : asked.watch.crossings)
    if (depends(crossing.value, joined<Expr>(engine.e.lambda, engine.e.psi, engine.e.z_dot))) {
      result.why = "an event depends on multipliers";
      return result;
    }
  const GridPoint point = engine.point();
  const auto typical = engine.step.first_points(point.t, engine.options.step, point.state.data());
  result.step = make_step_program(step_plan(engine.method, engine.e), typical, asked);
  if (!result.step) result.why = "the step is too large to be one function";
  return result;
}

void begin_program(Engine& engine, const StepProgram& step, double steps, double* variables) {
  const GridPoint point = engine.point();
  const std::vector<double> rates = joined<double>(engine.initial.z_dot, engine.initial.lambda, engine.initial.psi);
  const double h = engine.options.step;
  step.begin(variables, point.t, h, steps, point.state.data(), rates, engine.step.carried());
  const std::size_t inputs = 2 + point.state.size();
  std::vector<double> guesses;
  for (const std::vector<double>& start : engine.step.first_points(point.t, h, point.state.data()))
    guesses.insert(guesses.end(), start.begin() + static_cast<std::ptrdiff_t>(inputs), start.end());
  step.guess(variables, guesses);
  if (step.first_look)
    ProgramInterpreter(*step.first_look).run(variables, engine.parameters.empty() ? nullptr : engine.parameters.data());
}

}  // namespace alembert::internal
