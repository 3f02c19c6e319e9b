#include "alembert/newton/step_program.h"

#include <algorithm>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/expr/derivative.h"
#include "alembert/newton/explicit_unknowns.h"
#include "alembert/newton/ledger_writer.h"
#include "alembert/newton/step_end_writer.h"
#include "alembert/newton/substep_writer.h"
#include "alembert/newton/usual_equations.h"

namespace alembert::internal {

namespace {

// What is written out longer than this takes seconds to compile, and leaves the caches of instructions.
constexpr std::size_t most_program = 60'000;

StepScratch allot_common(ProgramBuilder& builder, StepProgram& step) {
  StepScratch c{};
  step.h_of_substep = builder.allot("h of the substep");
  for (const auto& [place, name] : {std::pair{&c.t, "t"},
                                    {&c.good, "good"},
                                    {&c.fine, "fine"},
                                    {&c.before, "last correction"},
                                    {&c.moved, "sum of corrections"},
                                    {&c.ratio, "largest ratio"},
                                    {&c.iterations, "iterations"},
                                    {&c.contraction, "contraction"},
                                    {&c.going, "going"},
                                    {&c.renew, "renew"},
                                    {&c.open, "open"},
                                    {&c.unsure, "unsure"},
                                    {&c.expected, "expected multiplier"},
                                    {&c.again, "again"},
                                    {&c.repeat, "repeat"},
                                    {&c.doubt, "doubt"},
                                    {&c.near, "near the guess"},
                                    {&c.factored, "factorisations"},
                                    {&c.first_correction, "first correction"},
                                    {&c.first, "first iteration"},
                                    {&c.later, "later iteration"},
                                    {&c.correction, "correction"},
                                    {&c.sum, "sum of the correction"},
                                    {&c.tail_before, "last correction of the tail"}})
    *place = builder.allot(name);
  return c;
}

/// The tables of differences and the factors of matrices.
void leave_in_memory(Program& program, const StepProgram& step, int rows, int first_factor, int factors) {
  program.in_memory.assign(program.variables, false);
  const auto leave = [&](int first, int count) { std::fill_n(program.in_memory.begin() + first, count, true); };
  for (const StepProgram::Substep& part : step.parts) leave(part.rows, rows * part.unknowns);
  leave(first_factor, factors);
}

void take_places(const Program& from, Program& to) {
  to.variables = from.variables;
  to.names = from.names;
  to.scratch = from.scratch;
  to.steering = from.steering;
  to.largest = from.largest;
}

/// kept: of each part, the numbers among all of the unknowns that are solved for.
std::optional<Program> guess_program(const StepPlan& plan, const StepProgram& step,
                                     const std::vector<std::vector<int>>& kept) {
  Program program;
  ProgramBuilder builder(program);
  Quad before = 0;
  for (std::size_t s = 0; s < plan.sequence.size(); ++s) {
    const StepEquations& e = plan.parts[plan.sequence[s].part];
    const Quad share = plan.sequence[s].share;
    if (!e.guess_unknowns.empty()) return {};
    const Expr start = e.graph->symbol("start"), h = e.graph->symbol("h");
    const Exprs guess =
        substitute(e.guess, Exprs{e.t0, e.h}, Exprs{start + before * h, e.graph->constant(share) * h}, *e.graph);
    Variables in = joined<Variable>(Variable{start, step.start}, Variable{h, step.h}, listed(e.state, step.state),
                                    listed(e.guess_inputs, step.rates));
    Variables out;
    for (std::size_t i = 0; i < guess.size(); ++i) {
      const std::vector<int>& predicted = step.parts[s].kept;
      const auto at = std::find(predicted.begin(), predicted.end(), kept[plan.sequence[s].part][i]);
      if (at != predicted.end())
        out.push_back({guess[i], step.parts[s].guess + static_cast<int>(at - predicted.begin())});
    }
    program.statements.push_back(builder.block(in, out, {}, -1));
    before += share;
  }
  take_places(step.program, program);
  prune(program);
  return program;
}

/// Operations of a step with as many iterations as usual.
double cost(const UsualEquations& u) {
  const auto operations = [](const Exprs& in, const Exprs& out) {
    return static_cast<double>(make_tape(in, out).code.size());
  };
  return operations(u.all, u.factors.values) +
         u.iterations * operations(joined<Expr>(u.all, u.factors.symbols, u.inverse_symbols), u.iterated) +
         operations(joined<Expr>(u.all, u.inverse_symbols), joined<Expr>(u.settled, u.increments));
}

/// With fewer unknowns where that is asked for and cheaper. reduced: the equations that are solved; kept: their
/// unknowns among all.
std::optional<UsualEquations> equations_of(const StepEquations& e, const std::vector<double>& typical,
                                           const StepProgramOptions& options, StepEquations& reduced,
                                           std::vector<int>& kept) {
  const bool approximate = options.reduce && !options.own_matrix;
  std::optional<UsualEquations> all = usual_equations(e, typical, options.most_operations, approximate);
  for (std::size_t i = 0; i < e.unknowns.size(); ++i) kept.push_back(static_cast<int>(i));
  if (!options.reduce) return all;
  ReducedStep fewer = without_explicit_unknowns(e, typical);
  if (fewer.eliminated.empty()) return all;
  std::optional<UsualEquations> less = usual_equations(e, typical, options.most_operations, approximate, &fewer);
  if (!less || (all && cost(*all) < cost(*less))) return all;
  kept = fewer.kept;
  reduced = std::move(fewer.equations);
  return less;
}

/// Whether what tells a singular position is predicted without the tail.
bool has_own_multipliers(const UsualEquations& u) {
  return std::any_of(u.multipliers.begin(), u.multipliers.end(),
                     [&](int i) { return std::find(u.core.begin(), u.core.end(), i) != u.core.end(); });
}

/// Better predictions save iterations, and cost five operations for a row and an unknown: of two rods the step with 8
/// unknowns takes 141 ns with 6 rows and 117 with 8, that with 22 unknowns 308 and 341.
int rows_for(const StepPlan& plan) {
  constexpr std::size_t few_unknowns = 8;  // measured: 8 and 22
  const bool few = std::all_of(plan.parts.begin(), plan.parts.end(),
                               [](const StepEquations& part) { return part.unknowns.size() <= few_unknowns; });
  return few ? 8 : 6;
}

}  // namespace

// long: the places of all variables are allotted here, in their order
std::optional<StepProgram> make_step_program(const StepPlan& given, const std::vector<std::vector<double>>& typical,
                                             const StepProgramOptions& asked) {
  StepProgramOptions options = asked;
  check(typical.size() == given.sequence.size(), "a typical point for each substep");
  check(!options.ledger || !options.watch.inputs.empty(), "a ledger is about what is watched");
  std::vector<std::optional<UsualEquations>> usual(given.parts.size());
  StepPlan plan = given;
  std::vector<std::vector<int>> kept(given.parts.size());
  for (std::size_t s = 0; s < given.sequence.size(); ++s) {
    const int part = given.sequence[s].part;
    if (given.parts[part].carried_names != given.parts.front().carried_names) return {};
    if (usual[part]) continue;
    usual[part] = equations_of(given.parts[part], typical[s], options, plan.parts[part], kept[part]);
    if (!usual[part]) return {};
  }
  if (options.rows == 0) options.rows = rows_for(plan);
  StepProgram step;
  Program& program = step.program;
  ProgramBuilder builder(program);
  Graph& graph = *plan.parts.front().graph;
  step.states = static_cast<int>(plan.parts.front().state.size());
  step.substeps = static_cast<int>(plan.sequence.size());
  step.own_matrix = std::all_of(usual.begin(), usual.end(), [](const auto& u) { return !u || u->contraction == 0; });
  step.start = builder.allot("start");
  step.h = builder.allot("h");
  step.made = builder.allot("steps made");
  step.left = builder.allot("steps left");
  step.status = builder.allot("status");
  step.count = builder.allot("steps learnt from");
  step.phase = builder.allot("the same modulo 16");
  step.state = builder.allot("state", step.states);
  step.compensation = builder.allot("compensation", step.states);
  step.carries = static_cast<int>(plan.parts.front().carried.size());
  step.carried = builder.allot("carried", step.carries);
  for (const StepPlan::Substep& sub : plan.sequence) {
    StepProgram::Substep own;
    const UsualEquations& u = *usual[sub.part];
    own.all_unknowns = static_cast<int>(given.parts[sub.part].unknowns.size());
    own.fresh_tail = options.lean && !u.tail.empty() && has_own_multipliers(u);
    for (const int i : kept[sub.part])
      if (!own.fresh_tail || std::find(u.tail.begin(), u.tail.end(), i) == u.tail.end()) own.kept.push_back(i);
    own.unknowns = static_cast<int>(own.kept.size());
    own.guess = builder.allot("guess", own.unknowns);
    own.rows = builder.allot("difference", options.rows * own.unknowns);
    own.degree = builder.allot("degree");
    own.tail_error = builder.allot("error of the tail");
    for (const StepPlan::Substep& other : plan.sequence) {  // one for all substeps of a part, as UsualStep has it
      if (&other == &sub) break;
      if (other.part == sub.part) own.tail_error = step.parts[&other - plan.sequence.data()].tail_error;
    }
    step.parts.push_back(own);
  }
  step.rate_count = static_cast<int>(plan.parts.front().guess_inputs.size());
  step.rates = builder.allot("rate", step.rate_count);
  StepScratch common{};
  StepEndWriter end_places(step, builder, options, common);
  end_places.allot_persistent();
  LedgerWriter ledger(step, builder, options.watch, common);
  if (options.ledger) ledger.allot_persistent();
  program.scratch = program.variables;
  program.steering = {step.left, step.status, step.count, step.phase};
  for (const StepProgram::Substep& own : step.parts) append(program.steering, std::vector{own.degree, own.tail_error});
  common = allot_common(builder, step);
  program.guard = common.fine;
  StepEndWriter end(step, builder, options, common);
  end.allot_scratch();
  ledger = LedgerWriter(step, builder, options.watch, common);
  if (options.ledger) ledger.allot_scratch();
  end.look_mask = builder.allot("look");
  std::size_t factors = 0;
  for (const auto& u : usual) factors = std::max(factors, u ? u->factors.values.size() : 0);
  const int first_factor = builder.allot("factor", static_cast<int>(factors));
  const int increments = builder.allot("increment", step.states);
  std::vector<SubstepWriter> writers;
  int state = step.state, compensation = step.compensation, carried = step.carried;
  for (std::size_t s = 0; s < plan.sequence.size(); ++s) {
    const StepPlan::Substep& sub = plan.sequence[s];
    SubstepWriter& w = writers.emplace_back(step, builder, given.parts[sub.part], plan.parts[sub.part],
                                            *usual[sub.part], common, step.parts[s], options.rows);
    w.share = sub.share;
    w.state = state;
    w.compensation = compensation;
    if (!options.lean) {
      state = builder.allot("new state", step.states);
      compensation = builder.allot("new compensation", step.states);
    }
    w.next_state = state;
    w.next_compensation = compensation;
    w.x = builder.allot("unknown", step.parts[s].all_unknowns);
    w.carried = carried;
    w.next_carried = carried = builder.allot("newly carried", step.carries);
    w.factors = first_factor;
    w.sizes = builder.allot("1/size", static_cast<int>(usual[sub.part]->inverse_sizes.size()));
    w.increments = increments;
    w.write(program.statements, s == 0);
  }
  end.next_state = state;
  end.next_compensation = compensation;
  end.next_carried = carried;
  end.write(program.statements);
  if (options.ledger) program.statements.push_back(ledger.look(state, end.sizes));
  program.statements.push_back(end.before_commit(graph, options.rows));
  for (SubstepWriter& w : writers) w.learn(program.statements, end.look_mask, common.fine);
  program.statements.push_back(end.commit(graph, options.ledger ? &ledger : nullptr));
  if (options.ledger) {
    ledger.repeat(program.statements);
    leave_in_memory(program, step, options.rows, first_factor, static_cast<int>(factors));
  }
  prune(program);
  if (program.operations() > most_program) return {};
  if (!options.watch.inputs.empty()) {
    Program look;
    ProgramBuilder looker(look);
    look.statements.push_back(StepEndWriter(step, looker, options, common).first());
    take_places(program, look);
    prune(look);
    step.first_look = std::move(look);
  }
  step.first_guess = guess_program(plan, step, kept);
  return step;
}

void StepProgram::begin(double* v, double t0, double size, double steps, const double* from,
                        std::span<const double> rates_there, std::span<const double> taken_along) const {
  std::fill_n(v, program.variables, 0.0);
  v[start] = t0;
  v[h] = size;
  v[left] = steps;
  std::copy_n(from, states, v + state);
  std::copy(taken_along.begin(), taken_along.end(), v + carried);
  std::copy(rates_there.begin(), rates_there.end(), v + rates);
}

void StepProgram::guess(double* v, std::span<const double> guesses) const {
  auto from = guesses.begin();
  for (const Substep& part : parts) {
    for (int i = 0; i < part.unknowns; ++i) v[part.guess + i] = from[part.kept[i]];
    from += part.all_unknowns;
  }
}

}  // namespace alembert::internal
