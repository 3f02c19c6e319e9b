#include "alembert/newton/step_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/expr/derivative.h"
#include "alembert/newton/branch.h"
#include "alembert/newton/convergence.h"
#include "alembert/newton/explicit_unknowns.h"
#include "alembert/newton/increments.h"
#include "alembert/newton/usual_equations.h"

namespace alembert::internal {

namespace {

constexpr double rounding_unit = 0x1p-52;
// Sums of finite numbers of a motion are far below it; infinities and NaN are not.
constexpr double largest_number = 1e300;
// As Predictor: steps between two looks for the best degree.
constexpr int look_every = 16;
// What is written out longer than this takes seconds to compile, and leaves the caches of instructions.
constexpr std::size_t most_program = 60'000;

// Conditions are 1 or 0. Comparisons with NaN are 0.
Expr above(Expr a, Expr b) { return positive(a - b); }
Expr above(Expr a, double b) { return positive(a - Quad(b)); }
Expr below(Expr a, double b) { return positive(Quad(b) - a); }
Expr no(Expr a) { return 1 - a; }
Expr both(Expr a, Expr b) { return a * b; }
Expr either(Expr a, Expr b) { return max(a, b); }
Expr is_finite_number(Expr sum) { return below(abs(sum), largest_number); }

/// A variable in the formulas of one block.
struct Variable {
  Expr symbol;
  int place;
};
using Variables = std::vector<Variable>;

Variables listed(const Exprs& symbols, int first) {
  Variables list;
  for (std::size_t i = 0; i < symbols.size(); ++i) list.push_back({symbols[i], first + static_cast<int>(i)});
  return list;
}

class Builder {
 public:
  explicit Builder(Program& program) : program_(program) {}

  int allot(const std::string& name, int count = 1) {
    const int first = program_.variables;
    for (int i = 0; i < count; ++i)
      program_.names.push_back(count == 1 ? name : name + " " + std::to_string(i + 1));
    program_.variables += count;
    return first;
  }

  /// Outputs that are kept where the mask is 0, then those that may become anything there.
  Program::Statement block(const Variables& inputs, const Variables& kept, const Variables& free, int mask) {
    Exprs in, out;
    Program::Block block;
    for (const Variable& input : inputs) {
      in.push_back(input.symbol);
      block.from.push_back(input.place);
    }
    for (const Variables* list : {&kept, &free})
      for (const Variable& output : *list) {
        out.push_back(output.symbol);
        block.to.push_back(output.place);
      }
    block.kept = static_cast<int>(kept.size());
    block.mask = mask;
    block.tape = static_cast<int>(program_.tapes.size());
    program_.tapes.push_back(make_tape(in, out));
    for (const std::uint32_t place : program_.tapes.back().parameters)
      program_.parameters = std::max(program_.parameters, static_cast<int>(place) + 1);
    Program::Statement statement;
    statement.block = std::move(block);
    return statement;
  }

 private:
  Program& program_;
};

Program::Statement loop(int mask, std::vector<Program::Statement> body) {
  Program::Statement statement;
  statement.repeat = mask;
  statement.body = std::move(body);
  return statement;
}

/// Scratch variables that all substeps share.
struct Common {
  int t, good, fine;                              // fine: this substep may count
  int before, moved, ratio, iterations, contraction;    // of Convergence
  int going, renew;                                     // masks of the iteration
  int expected;                                         // the largest multiplier of the guess
  int again, repeat, tail_before;                       // of the tail
  int doubt, near;                                      // whether to compare with the guess, and what came out
};

/// One substep of the program.
class SubstepWriter {
 public:
  /// reduced: the same as e, in the unknowns that are kept.
  SubstepWriter(StepProgram& step, Builder& builder, const StepEquations& e, const StepEquations& reduced,
                const UsualEquations& u, Common common, const StepProgram::Substep& own, int rows)
      : step_(step), builder_(builder), e_(e), reduced_(reduced), u_(u), graph_(*e.graph), c_(common), own_(own), rows_(rows) {}

  // Places: where the state before and after stands.
  int state = 0, compensation = 0, next_state = 0, next_compensation = 0;
  int x = 0, factors = 0, increments = 0;
  int carried = 0, next_carried = 0;
  Quad share = 1;

  void write(std::vector<Program::Statement>& out, bool first) {
    out.push_back(begin(first));
    if (!u_.core_explicit.empty()) out.push_back(start());
    if (u_.core.empty()) {
      out.push_back(without_core());
    } else {
      out.push_back(factor(true));
      out.push_back(iterate(true));
      out.push_back(loop(c_.going, {factor(false), iterate(false)}));
    }
    out.push_back(settle(true));
    out.push_back(loop(c_.again, {settle(false)}));
    out.push_back(doubt());
    out.push_back(compare());
    out.push_back(judge());
    if (!e_.carried.empty()) out.push_back(carry());
  }

  /// What the predictor learns, where the step counts. degree: looked for anew at some steps.
  void learn(std::vector<Program::Statement>& out, int look_mask, int counted) {
    out.push_back(look(look_mask));
    out.push_back(shift(counted));
  }

 private:
  Expr symbol(const char* name) const { return graph_.symbol(name); }
  Expr number(double value) const { return graph_.constant(value); }
  Variables inputs() const {
    return joined<Variable>(Variable{e_.t0, c_.t}, Variable{e_.h, step_.h_of_substep}, listed(e_.state, state));
  }
  /// The unknowns that are predicted, in a list of their own.
  Variables predicted_at(int first) const {
    Variables list;
    for (std::size_t i = 0; i < own_.kept.size(); ++i)
      list.push_back({e_.unknowns[own_.kept[i]], first + static_cast<int>(i)});
    return list;
  }
  /// All unknowns; the predicted ones at a guess, or all of the present iterate.
  Variables unknowns_at_guess() const {
    Variables list = predicted_at(own_.guess);
    for (const int i : u_.core_explicit) list.push_back({e_.unknowns[i], x + i});
    return list;
  }
  Variables unknowns_here() const { return listed(e_.unknowns, x); }

  Program::Statement begin(bool first) {
    Expr expected = number(0);
    for (const int i : u_.multipliers) expected = max(expected, abs(e_.unknowns[i]));
    const Expr h = symbol("h"), t = symbol("t"), h_before = symbol("h before");
    Variables in = predicted_at(own_.guess), free;
    in.push_back({h, step_.h});
    if (first) {
      const Expr start = symbol("start"), made = symbol("made"), left = symbol("left"), status = symbol("status");
      append(in, Variables{{start, step_.start}, {made, step_.made}, {left, step_.left}, {status, step_.status}});
      free.push_back({start + made * h, c_.t});
      free.push_back({both(positive(left), no(positive(status))), c_.fine});
    } else {
      append(in, Variables{{t, c_.t}, {h_before, step_.h_of_substep}});
      free.push_back({t + h_before, c_.t});
    }
    append(free, Variables{{graph_.constant(share) * h, step_.h_of_substep}, {expected, c_.expected}});
    return builder_.block(in, {}, free, -1);
  }

  /// Unknowns that follow from the guess.
  Program::Statement start() {
    Variables free;
    for (std::size_t k = 0; k < u_.core_explicit.size(); ++k) free.push_back({u_.start[k], x + u_.core_explicit[k]});
    return builder_.block(joined<Variable>(inputs(), predicted_at(own_.guess)), {}, free, -1);
  }

  Program::Statement without_core() {
    const Expr fine = symbol("fine");
    const Expr zero = number(0);
    return builder_.block({{fine, c_.fine}}, {}, {{fine, c_.good}, {zero, c_.moved}, {zero, c_.ratio}}, -1);
  }

  Program::Statement factor(bool first) {
    Variables kept;
    for (std::size_t i = 0; i < u_.factors.values.size(); ++i)
      kept.push_back({u_.factors.values[i], factors + static_cast<int>(i)});
    kept.push_back({number(Convergence::unknown_contraction), c_.contraction});
    return builder_.block(joined<Variable>(inputs(), first ? unknowns_at_guess() : unknowns_here()), kept, {},
                          first ? -1 : c_.renew);
  }

  /// What Convergence::simplified says after a correction.
  struct Decision {
    Expr going, good, renew, largest_ratio, contraction;
  };

  Decision decide(Expr now, Expr sum, Expr before, Expr largest, Expr iterations, Expr contraction, Expr here) {
    using C = Convergence;
    const Expr ratio = now / before;
    const Expr finite = is_finite_number(sum), arrived = no(above(now, rounding_unit));
    const Expr tells = both(above(now, C::telling), no(above(now, Quad(C::hidden) * ratio)));
    Decision d;
    d.largest_ratio = max(largest, where(tells, ratio));
    const Expr old_matrix = both(no(here), above(now, C::quiet_floor * rounding_unit));
    d.contraction = max(contraction, where(old_matrix, min(ratio, number(C::slowest_rate))));
    const Expr rate = max(ratio, d.contraction);
    const Expr left = choose(here, now * ratio * min(ratio, number(1)), now * rate / (1 - min(rate, number(C::slowest_rate))));
    const Expr last = both(below(ratio, 1), no(above(left, C::negligible * rounding_unit)));
    const Expr near = no(above(now, C::near));
    const Expr slowly = both(no(last), above(ratio, C::slow)), quiet = no(above(now, C::quiet_floor * rounding_unit));
    const Expr stalls = above(ratio, C::stalled);
    const Expr loud = both(slowly, no(quiet));
    const Expr hopeless = both(loud, both(stalls, above(iterations, C::first_ratios - 0.5)));
    const Expr at_floor = both(both(loud, here), both(no(above(now, C::fresh_floor * rounding_unit)), no(hopeless)));
    const Expr converged = either(either(arrived, both(last, near)), either(both(both(slowly, quiet), stalls), at_floor));
    const Expr doubt = both(no(arrived), either(both(last, no(near)), hopeless));
    d.good = both(both(finite, converged), no(doubt));
    d.going = both(both(finite, no(converged)), both(no(doubt), below(iterations, most_usual_iterations - 1.5)));
    d.renew = both(d.going, either(loud, above(now, u_.renewed_above)));
    return d;
  }

  /// iterations: those before this one.
  Program::Statement iterate(bool first) {
    const std::vector<int> places = joined<int>(u_.core, u_.core_explicit);
    const std::size_t count = places.size();
    const Expr now = u_.iterated[count], sum = u_.iterated[count + 1];
    Variables in = joined<Variable>(inputs(), first ? unknowns_at_guess() : unknowns_here(),
                                    listed(u_.factors.symbols, factors));
    Variables kept;
    for (std::size_t k = 0; k < count; ++k) kept.push_back({u_.iterated[k], x + places[k]});
    const Expr fine = symbol("fine");
    if (first) {
      in.push_back({fine, c_.fine});
      const Expr arrived = no(above(now, rounding_unit)), finite = both(fine, is_finite_number(sum));
      const Expr going = both(finite, no(arrived));
      append(kept, Variables{{now, c_.before},
                             {now, c_.moved},
                             {number(0), c_.ratio},
                             {number(1), c_.iterations},
                             {going, c_.going},
                             {both(going, above(now, u_.renewed_above)), c_.renew},
                             {both(finite, arrived), c_.good}});
      for (const int i : u_.tail) kept.push_back({e_.unknowns[i], x + i});
      return builder_.block(in, kept, {}, -1);
    }
    const Expr before = symbol("before"), moved = symbol("moved"), largest = symbol("ratio");
    const Expr iterations = symbol("iterations"), contraction = symbol("contraction"), here = symbol("here");
    append(in, Variables{{before, c_.before},
                         {moved, c_.moved},
                         {largest, c_.ratio},
                         {iterations, c_.iterations},
                         {contraction, c_.contraction},
                         {here, c_.renew}});
    const Decision d = decide(now, sum, before, largest, iterations, contraction, here);
    append(kept, Variables{{now, c_.before},
                           {moved + now, c_.moved},
                           {d.largest_ratio, c_.ratio},
                           {iterations + 1, c_.iterations},
                           {d.contraction, c_.contraction},
                           {d.going, c_.going},
                           {d.renew, c_.renew},
                           {d.good, c_.good}});
    return builder_.block(in, kept, {}, c_.going);
  }

  /// One linear system for the tail, and the increments of the state; again where rounding may have left something.
  Program::Statement settle(bool first) {
    const std::size_t count = u_.tail.size();
    const Expr correction = u_.settled[count], sum = u_.settled[count + 1];
    const Expr good = symbol("good"), error = symbol("error"), repeat = symbol("repeat"), before = symbol("before");
    Variables in = joined<Variable>(inputs(), u_.core.empty() && first ? unknowns_at_guess() : unknowns_here());
    Variables kept;
    append(in, Variables{{good, first ? c_.good : c_.again}, {error, own_.tail_error}});
    for (std::size_t k = 0; k < count; ++k) kept.push_back({u_.settled[k], x + u_.tail[k]});
    append(kept, listed(u_.increments, increments));
    const Expr finite = count == 0 ? number(1) : is_finite_number(sum);
    Expr error_now = error, done;
    if (first) {
      done = count == 0 ? number(1) : both(no(above(correction * error, left_over)), no(above(correction, far_correction)));
    } else {
      append(in, Variables{{repeat, c_.repeat}, {before, c_.tail_before}});
      error_now = max(error, where(above(before, far_correction), correction / before));
      done = no(above(correction * error_now, left_over));
    }
    const Expr again = both(both(good, finite), no(done));
    const Expr may = first ? number(1) : below(repeat, most_repeats - 0.5);
    append(kept, Variables{{error_now, own_.tail_error},
                           {correction, c_.tail_before},
                           {first ? number(2) : repeat + 1, c_.repeat},
                           {both(again, may), c_.again},
                           {both(both(good, finite), done), c_.good}});
    return builder_.block(in, kept, {}, first ? -1 : c_.again);
  }

  /// Whether what was found surely continues the motion.
  Expr surely(Expr moved, Expr ratio) const {
    const Expr certain = both(no(above(ratio, sure_contraction)), no(above(moved, surely_near)));
    return either(certain, no(above(ratio, linear_contraction)));
  }

  /// A further look is needed where that is not sure (branch.h).
  Program::Statement doubt() {
    const Expr good = symbol("good"), moved = symbol("moved"), ratio = symbol("ratio"), fine = symbol("fine");
    const Expr open = both(both(fine, good), both(no(surely(moved, ratio)), no(above(ratio, sure_contraction))));
    return builder_.block({{good, c_.good}, {moved, c_.moved}, {ratio, c_.ratio}, {fine, c_.fine}}, {},
                          {{open, c_.doubt}, {number(0), c_.near}}, -1);
  }

  /// distance() of branch.h between what was found and what the guess leads to.
  Program::Statement compare() {
    const Exprs found = graph_.symbols("found", step_.states), guessed = increments_of(reduced_);
    const int positions = step_.states - e_.rates;
    constexpr double rounding = 1e-9;
    const auto raise = [](Expr& size, Expr value) { size = max(size, abs(value)); };
    const Expr zero = number(0);
    Expr size_y = zero, change_y = zero, apart_y = zero, size_z = zero, apart_z = zero, sum = zero;
    for (int i = 0; i < step_.states; ++i) {
      const Expr apart = found[i] - guessed[i];
      sum = sum + apart;
      raise(i < positions ? size_y : size_z, e_.state[i]);
      raise(i < positions ? change_y : size_z, found[i]);
      raise(i < positions ? change_y : size_z, guessed[i]);
      raise(i < positions ? apart_y : apart_z, apart);
    }
    const Expr reach_y = max(change_y, Quad(rounding) * size_y);
    const Expr reach_z = max(size_z, Quad(rounding) * size_y / abs(e_.h));
    const Expr near_y = no(above(apart_y, Quad(near_start) * reach_y)), near_z = no(above(apart_z, Quad(near_start) * reach_z));
    const Variables in = joined<Variable>(inputs(), predicted_at(own_.guess), listed(found, increments));
    return builder_.block(in, {{both(is_finite_number(sum), both(near_y, near_z)), c_.near}}, {}, c_.doubt);
  }

  /// Whether the solution counts, and the new state.
  Program::Statement judge() {
    const Expr good = symbol("good"), moved = symbol("moved"), ratio = symbol("ratio"), fine = symbol("fine");
    const Expr count = symbol("count"), expected = symbol("expected"), status = symbol("status"), near = symbol("near");
    const Exprs from = graph_.symbols("state", step_.states), rest = graph_.symbols("compensation", step_.states);
    const Exprs added = graph_.symbols("increment", step_.states);
    Variables in{{good, c_.good},      {moved, c_.moved},       {ratio, c_.ratio},        {fine, c_.fine},
                 {count, step_.count}, {expected, c_.expected}, {status, step_.status}, {near, c_.near}};
    Expr most = graph_.constant(0);
    for (const int i : u_.multipliers) {
      in.push_back({e_.unknowns[i], x + i});
      most = max(most, abs(e_.unknowns[i]));
    }
    append(in, joined<Variable>(listed(from, state), listed(rest, compensation), listed(added, increments)));
    const Expr clear = either(surely(moved, ratio), near);
    const Expr wild = both(positive(count), above(most, Quad(wild_multipliers) * expected));
    const Expr code = choose(good, choose(clear, where(wild, number(double(StepStatus::wild))),
                                          number(double(StepStatus::in_doubt))),
                             number(double(StepStatus::not_converged)));
    Variables kept{{choose(fine, code, status), step_.status}, {both(fine, no(positive(code))), c_.fine}}, free;
    for (int i = 0; i < step_.states; ++i) {
      const Expr plus = added[i] + rest[i], next = from[i] + plus, back = next - from[i];
      free.push_back({next, next_state + i});
      free.push_back({(from[i] - (next - back)) + (plus - back), next_compensation + i});
    }
    return builder_.block(in, kept, free, -1);
  }

  /// What the method carries beside the state.
  Program::Statement carry() {
    Variables free;
    for (std::size_t i = 0; i < reduced_.carried_next.size(); ++i)
      free.push_back({reduced_.carried_next[i], next_carried + static_cast<int>(i)});
    return builder_.block(joined<Variable>(inputs(), unknowns_here(), listed(e_.carried, carried)), {}, free, -1);
  }

  Exprs kept_unknowns() const {
    Exprs list;
    for (const int i : own_.kept) list.push_back(e_.unknowns[i]);
    return list;
  }
  Expr row_symbol(const Exprs& rows, int k, int i) const { return rows[k * own_.unknowns + i]; }

  /// As Predictor: the degree whose prediction would have been best.
  Program::Statement look(int mask) {
    const int n = own_.unknowns;
    const Exprs rows = graph_.symbols("row", rows_ * n);
    const Expr count = symbol("count");
    std::vector<Expr> error(rows_);
    Exprs left = kept_unknowns();
    for (int k = 0; k < rows_; ++k)
      for (int i = 0; i < n; ++i) {
        left[i] = left[i] - row_symbol(rows, k, i);
        const Expr square = left[i] * left[i];
        error[k] = i == 0 ? square : error[k] + square;
      }
    Expr degree = number(0), best = error[0];
    for (int k = 1; k < rows_; ++k) {
      const Expr better = both(above(best, error[k]), above(count, k + 0.5));
      degree = choose(better, number(k), degree);
      best = choose(better, error[k], best);
    }
    const Variables in = joined<Variable>(unknowns_here(), listed(rows, own_.rows), Variable{count, step_.count});
    return builder_.block(in, {{degree, own_.degree}}, {}, mask);
  }

  /// The table takes the solution, and the next one is predicted.
  Program::Statement shift(int mask) {
    const int n = own_.unknowns;
    const Exprs rows = graph_.symbols("row", rows_ * n);
    const Expr degree = symbol("degree");
    Variables free;
    Exprs left = kept_unknowns(), guess = left;
    for (int k = 0; k < rows_; ++k)
      for (int i = 0; i < n; ++i) {
        const Expr now = left[i];
        left[i] = now - row_symbol(rows, k, i);
        free.push_back({now, own_.rows + k * n + i});
        if (k > 0) guess[i] = guess[i] + where(above(degree, k - 0.5), now);
      }
    append(free, listed(guess, own_.guess));
    const Variables in = joined<Variable>(unknowns_here(), listed(rows, own_.rows), Variable{degree, own_.degree});
    return builder_.block(in, {}, free, mask);
  }

  StepProgram& step_;
  Builder& builder_;
  const StepEquations &e_, &reduced_;
  const UsualEquations& u_;
  Graph& graph_;
  Common c_;
  StepProgram::Substep own_;
  int rows_;
};

/// The end of a step: what is watched, whether it counts, and the new values of what goes on.
class EndWriter {
 public:
  EndWriter(StepProgram& step, Builder& builder, const StepProgramOptions& options, Common common)
      : step_(step), builder_(builder), watch_(options.watch), locate_(options.locate), c_(common) {}

  int next_state = 0, next_compensation = 0, next_carried = 0, look_mask = 0;
  int value = 0, rate = 0, hit = 0, any_hit = 0;  // scratch: of the crossings at the end of the step
  int sizes = 0;                                  // scratch: energy, |g|, |g'|, |k|

  void allot_persistent() {
    if (watch_.inputs.empty()) return;
    step_.energy = builder_.allot("energy");
    step_.first_energy = builder_.allot("first energy");
    step_.energy_error = builder_.allot("largest error of the energy");
    step_.position = builder_.allot("largest |g|");
    step_.velocity = builder_.allot("largest |g'|");
    step_.nonholonomic = builder_.allot("largest |k|");
    const int count = crossings();
    if (count == 0) return;
    step_.crossing = builder_.allot("event function", count);
    step_.crossing_rate = builder_.allot("its rate", count);
    if (locate_) step_.crossed = builder_.allot("time of event", count);
  }
  void allot_scratch() {
    if (watch_.inputs.empty()) return;
    sizes = builder_.allot("watched", 4);
    value = builder_.allot("new event function", crossings());
    rate = builder_.allot("its new rate", crossings());
    hit = builder_.allot("event now", crossings());
    any_hit = builder_.allot("any event now");
  }

  void write(std::vector<Program::Statement>& out) {
    if (!watch_.inputs.empty()) {
      out.push_back(watch());
      for (int i = 0; locate_ && i < crossings(); ++i) out.push_back(locate(i));
    }
  }

  /// At the start of a motion.
  Program::Statement first() {
    Graph& graph = watch_.inputs[0].graph();
    const Expr start = graph.symbol("start"), zero = graph.constant(0);
    const Exprs now = seen(start);
    Variables in = joined<Variable>(Variable{start, step_.start}, state_at(step_.state));
    Variables kept{{now[0], step_.energy},   {now[0], step_.first_energy}, {zero, step_.energy_error},
                   {now[1], step_.position}, {now[2], step_.velocity},     {now[3], step_.nonholonomic}};
    for (int i = 0; i < crossings(); ++i) {
      kept.push_back({at(start, watch_.crossings[i].value), step_.crossing + i});
      kept.push_back({rate_of(i, start), step_.crossing_rate + i});
      if (locate_) kept.push_back({graph.constant(StepProgram::never), step_.crossed + i});
    }
    return builder_.block(in, kept, {}, -1);
  }

  /// Whether the degree is looked for.
  Program::Statement before_commit(Graph& graph, int rows) {
    const Expr fine = graph.symbol("fine"), count = graph.symbol("count"), phase = graph.symbol("phase");
    const Expr due = either(below(count, 2 * rows), no(positive(phase)));
    return builder_.block({{fine, c_.fine}, {count, step_.count}, {phase, step_.phase}}, {},
                          {{both(fine, due), look_mask}}, -1);
  }

  Program::Statement commit(Graph& graph) {
    const Exprs state = graph.symbols("state", step_.states), rest = graph.symbols("compensation", step_.states);
    const Expr made = graph.symbol("made"), left = graph.symbol("left"), count = graph.symbol("count");
    const Expr phase = graph.symbol("phase");
    Variables in = joined<Variable>(listed(state, next_state), listed(rest, next_compensation));
    append(in, Variables{{made, step_.made}, {left, step_.left}, {count, step_.count}, {phase, step_.phase}});
    Variables kept = joined<Variable>(listed(state, step_.state), listed(rest, step_.compensation));
    const Exprs carried = graph.symbols("carried", step_.carries);
    append(in, listed(carried, next_carried));
    append(kept, listed(carried, step_.carried));
    Expr still = left - 1;
    if (!watch_.inputs.empty()) take_watched(graph, in, kept, still);
    const Expr next_phase = where(below(phase, look_every - 1.5), phase + 1);
    append(kept, Variables{{made + 1, step_.made}, {still, step_.left}, {count + 1, step_.count},
                           {next_phase, step_.phase}});
    return builder_.block(in, kept, {}, c_.fine);
  }

 private:
  int crossings() const { return static_cast<int>(watch_.crossings.size()); }
  Variables state_at(int first) const {
    return listed(Exprs(watch_.inputs.begin() + 1, watch_.inputs.end()), first);
  }
  Expr at(Expr t, Expr value) const {
    return substitute(Exprs{value}, Exprs{watch_.inputs[0]}, Exprs{t}, watch_.inputs[0].graph())[0];
  }
  Expr rate_of(int i, Expr t) const {
    const Expr rate = watch_.crossings[i].rate;
    return rate ? at(t, rate) : watch_.inputs[0].graph().constant(0);
  }
  /// Energy, largest |g|, |g'|, |k|.
  Exprs seen(Expr t) const {
    Graph& graph = watch_.inputs[0].graph();
    const auto most = [&](const Exprs& values) {
      Expr size = graph.constant(0);
      for (const Expr v : values) size = max(size, abs(at(t, v)));
      return size;
    };
    return {watch_.energy ? at(t, watch_.energy) : graph.constant(0), most(watch_.g), most(watch_.g_dot),
            most(watch_.k)};
  }

  Program::Statement watch() {
    Graph& graph = watch_.inputs[0].graph();
    const Expr start = graph.symbol("start"), made = graph.symbol("made"), h = graph.symbol("h");
    const Expr fine = graph.symbol("fine"), status = graph.symbol("status");
    const Expr t = start + (made + 1) * h;
    const Exprs now = seen(t);
    Variables in = joined<Variable>(Variable{start, step_.start}, Variable{made, step_.made}, Variable{h, step_.h},
                                    Variable{fine, c_.fine}, Variable{status, step_.status}, state_at(next_state));
    Expr sum = now[0];
    for (std::size_t i = 1; i < watch_.inputs.size(); ++i) sum = sum + watch_.inputs[i];
    for (int i = 1; i < 4; ++i) sum = sum + now[i];
    Variables free = listed(now, sizes);
    Expr event = graph.constant(0);
    for (int i = 0; i < crossings(); ++i) {
      const Expr before = graph.symbol("before"), rate_before = graph.symbol("rate before");
      append(in, Variables{{before, step_.crossing + i}, {rate_before, step_.crossing_rate + i}});
      const Expr v = at(t, watch_.crossings[i].value), r = rate_of(i, t);
      append(free, Variables{{v, value + i}, {r, rate + i}});
      const Expr up = both(positive(-before), no(positive(-v))), down = both(positive(before), no(positive(v)));
      const int direction = watch_.crossings[i].direction;
      const Expr hit_now = both(fine, direction > 0 ? up : direction < 0 ? down : either(up, down));
      if (locate_) free.push_back({hit_now, hit + i});
      else event = either(event, unclear(i, before, v, rate_before, r, h));
    }
    const Expr finite = is_finite_number(sum);
    const Expr code = choose(finite, where(event, graph.constant(double(StepStatus::event))),
                             graph.constant(double(StepStatus::not_finite)));
    return builder_.block(
        in, {{choose(fine, code, status), step_.status}, {both(fine, no(positive(code))), c_.fine}}, free, -1);
  }

  /// Whether a zero lies in the step, or two may: the rate changes its sign, and zero is within reach.
  Expr unclear(int i, Expr before, Expr now, Expr rate_before, Expr rate_now, Expr h) const {
    const Expr apart = no(positive(before * now));
    const Expr nearest = min(abs(before), abs(now));
    if (!watch_.crossings[i].rate) return either(apart, no(above(nearest, 2 * abs(now - before))));
    const Expr reach = abs(h) * max(abs(rate_before), abs(rate_now));
    return either(apart, both(no(positive(rate_before * rate_now)), no(above(nearest, reach))));
  }

  /// The time of a zero between two steps, by the cubic that has the values and rates of both ends.
  Program::Statement locate(int i) {
    Graph& graph = watch_.inputs[0].graph();
    const Expr start = graph.symbol("start"), made = graph.symbol("made"), h = graph.symbol("h");
    const Expr a = graph.symbol("a"), b = graph.symbol("b"), ra = graph.symbol("ra"), rb = graph.symbol("rb");
    const Expr known = graph.symbol("known");
    const Variables in{{start, step_.start}, {made, step_.made}, {h, step_.h}, {a, step_.crossing + i}, {b, value + i},
                       {ra, step_.crossing_rate + i}, {rb, rate + i}, {known, step_.crossed + i}};
    const Expr da = watch_.crossings[i].rate ? h * ra : b - a, db = watch_.crossings[i].rate ? h * rb : b - a;
    const Expr c2 = 3 * (b - a) - 2 * da - db, c3 = da + db - 2 * (b - a);
    constexpr int newton_steps = 5;  // from the secant: quadratic, and a step is short
    Expr s = a / (a - b);
    for (int k = 0; k < newton_steps; ++k) {
      const Expr f = a + s * (da + s * (c2 + s * c3)), slope = da + s * (2 * c2 + s * 3 * c3);
      s = max(graph.constant(0), min(graph.constant(1), s - f / slope));
    }
    const Expr t = start + (made + s) * h;
    return builder_.block(in, {{min(known, t), step_.crossed + i}}, {}, hit + i);
  }

  void take_watched(Graph& graph, Variables& in, Variables& kept, Expr& still) {
    const Exprs now = graph.symbols("watched", 4);
    const Expr first_energy = graph.symbol("first"), error = graph.symbol("error"), g = graph.symbol("g");
    const Expr g_dot = graph.symbol("g'"), k = graph.symbol("k");
    append(in, listed(now, sizes));
    append(in, Variables{{first_energy, step_.first_energy}, {error, step_.energy_error}, {g, step_.position},
                         {g_dot, step_.velocity}, {k, step_.nonholonomic}});
    append(kept, Variables{{now[0], step_.energy},
                           {max(error, abs(now[0] - first_energy)), step_.energy_error},
                           {max(g, now[1]), step_.position},
                           {max(g_dot, now[2]), step_.velocity},
                           {max(k, now[3]), step_.nonholonomic}});
    for (int i = 0; i < crossings(); ++i) {
      const Expr v = graph.symbol("value"), r = graph.symbol("rate"), now_hit = graph.symbol("hit");
      append(in, Variables{{v, value + i}, {r, rate + i}});
      append(kept, Variables{{v, step_.crossing + i}, {r, step_.crossing_rate + i}});
      if (!locate_ || !watch_.crossings[i].stops) continue;
      in.push_back({now_hit, hit + i});
      still = where(no(now_hit), still);
    }
  }

  StepProgram& step_;
  Builder& builder_;
  const WatchedExprs& watch_;
  bool locate_;
  Common c_;
};

Common allot_common(Builder& builder, StepProgram& step) {
  Common c{};
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
                                    {&c.expected, "expected multiplier"},
                                    {&c.again, "again"},
                                    {&c.repeat, "repeat"},
                                    {&c.doubt, "doubt"},
                                    {&c.near, "near the guess"},
                                    {&c.tail_before, "last correction of the tail"}})
    *place = builder.allot(name);
  return c;
}

void take_places(const Program& from, Program& to) {
  to.variables = from.variables;
  to.names = from.names;
  to.scratch = from.scratch;
}

std::optional<Program> guess_program(const StepPlan& plan, const StepProgram& step) {
  Program program;
  Builder builder(program);
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
    program.statements.push_back(builder.block(in, listed(guess, step.parts[s].guess), {}, -1));
    before += share;
  }
  take_places(step.program, program);
  prune(program);
  return program;
}

/// What a step costs that takes two iterations.
std::size_t cost(const UsualEquations& u) {
  const std::size_t once = make_tape(u.all, u.factors.values).code.size();
  const std::size_t each = make_tape(joined<Expr>(u.all, u.factors.symbols), u.iterated).code.size();
  return once + 2 * each + make_tape(u.all, joined<Expr>(u.settled, u.increments)).code.size();
}

/// With fewer unknowns where that is asked for and cheaper. reduced: the equations that are solved; kept: their unknowns
/// among all.
std::optional<UsualEquations> equations_of(const StepEquations& e, const std::vector<double>& typical,
                                           const StepProgramOptions& options, StepEquations& reduced,
                                           std::vector<int>& kept) {
  std::optional<UsualEquations> all = usual_equations(e, typical, options.most_operations);
  for (std::size_t i = 0; i < e.unknowns.size(); ++i) kept.push_back(static_cast<int>(i));
  if (!options.reduce) return all;
  ReducedStep fewer = without_explicit_unknowns(e, typical);
  if (fewer.eliminated.empty()) return all;
  std::optional<UsualEquations> less = usual_equations(e, typical, options.most_operations, &fewer);
  if (!less || (all && cost(*all) < cost(*less))) return all;
  kept = fewer.kept;
  reduced = std::move(fewer.equations);
  return less;
}

}  // namespace

// long: the places of all variables are allotted here, in their order
std::optional<StepProgram> make_step_program(const StepPlan& given, const std::vector<std::vector<double>>& typical,
                                             const StepProgramOptions& options) {
  check(typical.size() == given.sequence.size(), "a typical point for each substep");
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
  StepProgram step;
  Program& program = step.program;
  Builder builder(program);
  Graph& graph = *plan.parts.front().graph;
  step.states = static_cast<int>(plan.parts.front().state.size());
  step.substeps = static_cast<int>(plan.sequence.size());
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
    own.unknowns = static_cast<int>(plan.parts[sub.part].unknowns.size());
    own.all_unknowns = static_cast<int>(given.parts[sub.part].unknowns.size());
    own.kept = kept[sub.part];
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
  Common common{};
  EndWriter end_places(step, builder, options, common);
  end_places.allot_persistent();
  program.scratch = program.variables;
  common = allot_common(builder, step);
  EndWriter end(step, builder, options, common);
  end.allot_scratch();
  end.look_mask = builder.allot("look");
  std::size_t factors = 0;
  for (const auto& u : usual) factors = std::max(factors, u ? u->factors.values.size() : 0);
  const int first_factor = builder.allot("factor", static_cast<int>(factors));
  const int increments = builder.allot("increment", step.states);
  std::vector<SubstepWriter> writers;
  int state = step.state, compensation = step.compensation, carried = step.carried;
  for (std::size_t s = 0; s < plan.sequence.size(); ++s) {
    const StepPlan::Substep& sub = plan.sequence[s];
    SubstepWriter& w = writers.emplace_back(step, builder, given.parts[sub.part], plan.parts[sub.part], *usual[sub.part], common, step.parts[s],
                                            options.rows);
    w.share = sub.share;
    w.state = state;
    w.compensation = compensation;
    w.next_state = state = builder.allot("new state", step.states);
    w.next_compensation = compensation = builder.allot("new compensation", step.states);
    w.x = builder.allot("unknown", step.parts[s].all_unknowns);
    w.carried = carried;
    w.next_carried = carried = builder.allot("newly carried", step.carries);
    w.factors = first_factor;
    w.increments = increments;
    w.write(program.statements, s == 0);
  }
  end.next_state = state;
  end.next_compensation = compensation;
  end.next_carried = carried;
  end.write(program.statements);
  program.statements.push_back(end.before_commit(graph, options.rows));
  for (SubstepWriter& w : writers) w.learn(program.statements, end.look_mask, common.fine);
  program.statements.push_back(end.commit(graph));
  prune(program);
  if (program.operations() > most_program) return {};
  if (!options.watch.inputs.empty()) {
    Program look;
    Builder looker(look);
    look.statements.push_back(EndWriter(step, looker, options, common).first());
    take_places(program, look);
    prune(look);
    step.first_look = std::move(look);
  }
  step.first_guess = guess_program(plan, step);
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
