#include "alembert/newton/substep_writer.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/newton/branch.h"
#include "alembert/newton/convergence.h"
#include "alembert/newton/increments.h"

namespace alembert::internal {

namespace {

// As numbers, because they stand in the code that is written.
constexpr double root_of_rounding = 0x1p-26;
static_assert(root_of_rounding * root_of_rounding == rounding_unit);
constexpr double at_once = Convergence::last_at_once * root_of_rounding;
// A matrix that leaves something out is trusted to contract so many times slower than at a typical point.
constexpr double leading_reserve = 4;
// That the error of a tail is known: far below what rounding leaves.
constexpr double least_error = 1e-30;

}  // namespace

void SubstepWriter::write(std::vector<Program::Statement>& out, bool first) {
  out.push_back(begin(first));
  if (!u_.inverse_sizes.empty()) out.push_back(start());
  if (looped()) return write_loops(out);
  if (u_.core.empty()) {
    out.push_back(without_core());
  } else {
    out.push_back(factor(true));
    out.push_back(iterate_first());
    out.push_back(loop(c_.going, {factor(false), iterate(), decide_more()}));
  }
  out.push_back(settle(true));
  out.push_back(loop(c_.again, {settle(false)}));
  out.push_back(doubt());
  out.push_back(compare());
  out.push_back(judge());
  if (!e_.carried.empty()) out.push_back(carry());
  if (in_place()) out.push_back(advance());
}

void SubstepWriter::write_loops(std::vector<Program::Statement>& out) {
  if (u_.core.empty()) {
    out.push_back(without_core());
  } else {
    out.push_back(enter());
    out.push_back(loop(c_.going, {factor(false), move(), after_later(), after_first()}));
  }
  const Expr good = symbol("good");
  Variables in{{good, c_.good}}, free{{good, c_.again}, {number(1), c_.repeat}, {number(0), c_.near}};
  for (const int i : u_.core.empty() ? u_.tail : std::vector<int>()) {
    const auto at = std::find(own_.kept.begin(), own_.kept.end(), i) - own_.kept.begin();
    in.push_back({e_.unknowns[i], own_.guess + static_cast<int>(at)});
    free.push_back({e_.unknowns[i], x + i});
  }
  out.push_back(builder_.block(in, {}, free, -1));
  out.push_back(loop(c_.again, {settle_in_loop()}));
  out.push_back(judge());
  if (!e_.carried.empty()) out.push_back(carry());
}

Program::Statement SubstepWriter::enter() {
  Variables in = predicted_at(own_.guess), free;
  for (const int i : own_.kept) free.push_back({e_.unknowns[i], x + i});
  const Expr zero = number(0), one = number(1), fine = symbol("fine");
  in.push_back({fine, c_.fine});
  append(free, Variables{{fine, c_.going},
                         {one, c_.renew},
                         {one, c_.first},
                         {zero, c_.later},
                         {zero, c_.moved},
                         {zero, c_.ratio},
                         {zero, c_.iterations},
                         {zero, c_.factored},
                         {zero, c_.good}});
  return builder_.block(in, {}, free, -1);
}

Expr SubstepWriter::renewed(Expr going, Expr now) const {
  return u_.contraction > 0 ? number(0) : both(going, above(now, u_.renewed_above));
}

Program::Statement SubstepWriter::move() {
  const std::vector<int> places = joined<int>(u_.core, u_.core_explicit);
  Variables kept;
  for (std::size_t k = 0; k < places.size(); ++k) kept.push_back({u_.iterated[k], x + places[k]});
  const Expr moved = symbol("moved"), iterations = symbol("iterations");
  const Expr now = u_.iterated[places.size()];
  append(kept, Variables{{now, c_.correction},
                         {u_.iterated[places.size() + 1], c_.sum},
                         {moved + now, c_.moved},
                         {iterations + 1, c_.iterations}});
  Variables in = joined<Variable>(inputs(), unknowns_here(), listed(u_.factors.symbols, factors),
                                  listed(u_.inverse_symbols, sizes));
  append(in, Variables{{moved, c_.moved}, {iterations, c_.iterations}});
  return builder_.block(in, kept, {}, -1);
}

Program::Statement SubstepWriter::after_first() {
  const Expr now = symbol("now"), sum = symbol("sum"), zero = number(0), one = number(1);
  const Expr arrived = no(above(now, last_at_once())), finite = is_finite_number(sum);
  const Expr going = both(finite, no(arrived));
  return builder_.block({{now, c_.correction}, {sum, c_.sum}},
                        {{now, c_.before},
                         {now, c_.first_correction},
                         {going, c_.going},
                         {renewed(going, now), c_.renew},
                         {both(finite, arrived), c_.good},
                         {zero, c_.first},
                         {one, c_.later}},
                        {}, c_.first);
}

Program::Statement SubstepWriter::after_later() {
  const Expr now = symbol("now"), sum = symbol("sum"), before = symbol("before"), largest = symbol("ratio");
  const Expr iterations = symbol("iterations"), contraction = symbol("contraction"), here = symbol("here");
  const Variables in{{now, c_.correction},         {sum, c_.sum},    {before, c_.before},
                     {largest, c_.ratio},          {here, c_.renew}, {iterations, c_.iterations},
                     {contraction, c_.contraction}};
  const Decision d = decide(now, sum, before, largest, iterations, contraction, here);
  return builder_.block(in,
                        {{now, c_.before},
                         {d.largest_ratio, c_.ratio},
                         {d.contraction, c_.contraction},
                         {d.going, c_.going},
                         {d.renew, c_.renew},
                         {d.good, c_.good}},
                        {}, c_.later);
}

Program::Statement SubstepWriter::settle_in_loop() {
  const std::size_t count = u_.tail.size();
  const Expr correction = u_.settled[count], sum = u_.settled[count + 1];
  const Expr error = symbol("error"), repeat = symbol("repeat"), before = symbol("before");
  Variables in = joined<Variable>(inputs(), unknowns_here(), listed(u_.inverse_symbols, sizes)), kept;
  for (std::size_t k = 0; k < count; ++k) kept.push_back({u_.settled[k], x + u_.tail[k]});
  append(kept, listed(u_.increments, increments));
  Expr done = number(1), finite = number(1), error_now = error;
  append(in, Variables{{error, own_.tail_error}, {repeat, c_.repeat}, {before, c_.tail_before}});
  if (count > 0) {
    const Expr again = above(repeat, 1.5);
    finite = is_finite_number(sum);
    error_now = max(error, where(both(again, above(before, far_correction)), correction / before));
    done = both(no(above(correction * error_now, left_over)), either(again, no(above(correction, far_correction))));
  }
  append(kept, Variables{{error_now, own_.tail_error},
                         {correction, c_.tail_before},
                         {repeat + 1, c_.repeat},
                         {both(both(finite, no(done)), below(repeat, most_repeats - 0.5)), c_.again},
                         {both(finite, done), c_.good}});
  if (u_.core.empty()) {
    const Expr first_correction = symbol("first correction");
    in.push_back({first_correction, c_.first_correction});
    kept.push_back({choose(above(repeat, 1.5), first_correction, correction), c_.first_correction});
  }
  return builder_.block(in, kept, {}, -1);
}

void SubstepWriter::learn(std::vector<Program::Statement>& out, int look_mask, int counted) {
  if (own_.unknowns == 0) return;  // an explicit step
  out.push_back(look(look_mask));
  out.push_back(shift(counted));
}

Variables SubstepWriter::inputs() const {
  return joined<Variable>(Variable{e_.t0, c_.t}, Variable{e_.h, step_.h_of_substep}, listed(e_.state, state));
}

Variables SubstepWriter::predicted_at(int first) const {
  Variables list;
  for (std::size_t i = 0; i < own_.kept.size(); ++i)
    list.push_back({e_.unknowns[own_.kept[i]], first + static_cast<int>(i)});
  return list;
}

Variables SubstepWriter::unknowns_at_guess() const {
  Variables list = predicted_at(own_.guess);
  for (const int i : u_.core_explicit) list.push_back({e_.unknowns[i], x + i});
  return list;
}

Program::Statement SubstepWriter::begin(bool first) {
  Expr expected = number(0);
  for (const int i : watched_multipliers()) expected = max(expected, abs(e_.unknowns[i]));
  const Expr h = symbol("h"), t = symbol("t"), h_before = symbol("h before");
  Variables in = predicted_at(own_.guess), free;
  in.push_back({h, step_.h});
  if (first) {
    const Expr start = symbol("start"), made = symbol("made"), left = symbol("left"), status = symbol("status");
    append(in, Variables{{start, step_.start}, {made, step_.made}, {left, step_.left}, {status, step_.status}});
    free.push_back({start + made * h, c_.t});
    free.push_back({looped() ? number(1) : both(positive(left), no(positive(status))), c_.fine});
  } else {
    append(in, Variables{{t, c_.t}, {h_before, step_.h_of_substep}});
    free.push_back({t + h_before, c_.t});
  }
  append(free, Variables{{graph_.constant(share) * h, step_.h_of_substep}, {expected, c_.expected}});
  return builder_.block(in, {}, free, -1);
}

Program::Statement SubstepWriter::start() {
  Variables free;
  for (std::size_t k = 0; k < u_.core_explicit.size(); ++k) free.push_back({u_.start[k], x + u_.core_explicit[k]});
  append(free, listed(u_.inverse_sizes, sizes));
  return builder_.block(joined<Variable>(inputs(), predicted_at(own_.guess)), {}, free, -1);
}

Program::Statement SubstepWriter::without_core() {
  const Expr fine = symbol("fine");
  const Expr zero = number(0);
  return builder_.block({{fine, c_.fine}}, {}, {{fine, c_.good}, {zero, c_.moved}, {zero, c_.ratio}, {zero, c_.unsure}},
                        -1);
}

Program::Statement SubstepWriter::factor(bool first) {
  Variables kept;
  for (std::size_t i = 0; i < u_.factors.values.size(); ++i)
    kept.push_back({u_.factors.values[i], factors + static_cast<int>(i)});
  kept.push_back({number(first_contraction()), c_.contraction});
  Variables in = joined<Variable>(inputs(), first ? unknowns_at_guess() : unknowns_here());
  const Expr factored = symbol("factored");
  if (!first) in.push_back({factored, c_.factored});
  kept.push_back({first ? number(1) : factored + 1, c_.factored});
  return builder_.block(in, kept, {}, first ? -1 : c_.renew);
}

double SubstepWriter::first_contraction() const {
  return u_.contraction > 0 ? leading_reserve * u_.contraction : Convergence::unknown_contraction;
}

double SubstepWriter::last_at_once() const {
  if (u_.contraction == 0) return at_once;
  return Convergence::negligible * rounding_unit * (1 - first_contraction()) / first_contraction();
}

SubstepWriter::Decision SubstepWriter::decide(Expr now, Expr sum, Expr before, Expr largest, Expr iterations,
                                              Expr contraction, Expr fresh) {
  using C = Convergence;
  const bool own = u_.contraction == 0;  // else no matrix is the one of this iterate, and a new one is no better
  const Expr here = own ? fresh : number(0);
  const Expr ratio = now / before;
  const Expr finite = is_finite_number(sum), arrived = no(above(now, rounding_unit));
  const Expr tells = both(above(now, C::telling), no(above(now, Quad(C::hidden) * ratio)));
  Decision d;
  d.largest_ratio = max(largest, where(tells, ratio));
  const Expr old_matrix = both(no(here), above(now, C::quiet_floor * rounding_unit));
  d.contraction = max(contraction, where(old_matrix, min(ratio, number(C::slowest_rate))));
  const Expr rate = max(ratio, d.contraction);
  // What is left of a geometric series, now*rate/(1 - rate), is compared without the division.
  const Expr rest = 1 - min(rate, number(C::slowest_rate));
  const Expr small_here = no(above(now * ratio * min(ratio, number(1)), C::negligible * rounding_unit));
  const Expr small_later = no(above(now * rate, Quad(C::negligible * rounding_unit) * rest));
  const Expr small = either(both(here, small_here), both(no(here), small_later));
  const Expr last = both(below(ratio, 1), small);
  const Expr near = no(above(now, C::near));
  const Expr slowly = both(no(last), above(ratio, C::slow)), quiet = no(above(now, C::quiet_floor * rounding_unit));
  const Expr stalls = above(ratio, C::stalled);
  const Expr loud = both(slowly, no(quiet));
  const Expr hopeless = both(loud, both(stalls, above(iterations, C::first_ratios + 0.5)));
  const Expr at_floor = both(both(loud, here), both(no(above(now, C::fresh_floor * rounding_unit)), no(hopeless)));
  // What contracts fast and no longer does is at rounding.
  const Expr rounds = own ? both(both(slowly, quiet), stalls) : both(slowly, quiet);
  const Expr converged = either(either(arrived, both(last, near)), either(rounds, at_floor));
  const Expr doubt = both(no(arrived), either(both(last, no(near)), hopeless));
  const int most = looped() ? most_usual_iterations : most_program_iterations;
  d.good = both(both(finite, converged), no(doubt));
  d.going = both(both(finite, no(converged)), both(no(doubt), below(iterations, most - 0.5)));
  d.renew = own ? both(d.going, either(loud, above(now, u_.renewed_above))) : number(0);
  return d;
}

Program::Statement SubstepWriter::iterate_first() {
  const std::vector<int> places = joined<int>(u_.core, u_.core_explicit);
  const Expr now = u_.iterated[places.size()], sum = u_.iterated[places.size() + 1], fine = symbol("fine");
  Variables in = joined<Variable>(inputs(), unknowns_at_guess(), listed(u_.factors.symbols, factors),
                                  listed(u_.inverse_symbols, sizes));
  in.push_back({fine, c_.fine});
  Variables kept;
  for (std::size_t k = 0; k < places.size(); ++k) kept.push_back({u_.iterated[k], x + places[k]});
  const Expr arrived = no(above(now, last_at_once())), finite = both(fine, is_finite_number(sum));
  const Expr going = both(finite, no(arrived));
  append(kept, Variables{{now, c_.before},
                         {now, c_.moved},
                         {number(0), c_.ratio},
                         {number(1), c_.iterations},
                         {number(0), c_.open},
                         {number(0), c_.unsure},
                         {going, c_.going},
                         {renewed(going, now), c_.renew},
                         {both(finite, arrived), c_.good}});
  for (const int i : u_.tail)
    if (!own_.fresh_tail) kept.push_back({e_.unknowns[i], x + i});
  return builder_.block(in, kept, {}, -1);
}

Program::Statement SubstepWriter::iterate() {
  const std::vector<int> places = joined<int>(u_.core, u_.core_explicit);
  const Expr now = u_.iterated[places.size()], sum = u_.iterated[places.size() + 1];
  const Expr moved = symbol("moved"), iterations = symbol("iterations"), here = symbol("here");
  Variables in = joined<Variable>(inputs(), unknowns_here(), listed(u_.factors.symbols, factors),
                                  listed(u_.inverse_symbols, sizes));
  append(in, Variables{{moved, c_.moved}, {iterations, c_.iterations}, {here, c_.renew}});
  Variables kept;
  for (std::size_t k = 0; k < places.size(); ++k) kept.push_back({u_.iterated[k], x + places[k]});
  const Expr arrived = no(above(now, rounding_unit)), finite = is_finite_number(sum);
  const Expr open = both(finite, no(arrived));
  append(kept, Variables{{now, c_.correction},
                         {moved + now, c_.moved},
                         {iterations + 1, c_.iterations},
                         {both(finite, arrived), c_.good},
                         {open, c_.open},
                         {both(here, open), c_.renew},
                         {number(0), c_.going}});
  return builder_.block(in, kept, {}, c_.going);
}

Program::Statement SubstepWriter::decide_more() {
  const Expr now = symbol("now"), before = symbol("before"), largest = symbol("ratio"), moved = symbol("moved");
  const Expr iterations = symbol("iterations"), contraction = symbol("contraction"), here = symbol("here");
  const Decision d = decide(now, number(0), before, largest, iterations, contraction, here);
  return builder_.block({{now, c_.correction},
                         {before, c_.before},
                         {largest, c_.ratio},
                         {moved, c_.moved},
                         {iterations, c_.iterations},
                         {contraction, c_.contraction},
                         {here, c_.renew}},
                        {{now, c_.before},
                         {no(surely(moved, d.largest_ratio)), c_.unsure},
                         {d.largest_ratio, c_.ratio},
                         {d.contraction, c_.contraction},
                         {d.going, c_.going},
                         {d.renew, c_.renew},
                         {d.good, c_.good},
                         {number(0), c_.open}},
                        {}, c_.open);
}

Program::Statement SubstepWriter::settle(bool first) {
  const std::size_t count = u_.tail.size();
  Exprs settled = u_.settled, added = u_.increments;
  if (first && own_.fresh_tail) {
    settled[count] = u_.whole_tail;
    Exprs tail;
    for (const int i : u_.tail) tail.push_back(e_.unknowns[i]);
    const Exprs nothing(count, number(0));
    settled = substitute(settled, tail, nothing, graph_);
    added = substitute(added, tail, nothing, graph_);
  }
  const Expr correction = settled[count], sum = settled[count + 1];
  const Expr good = symbol("good"), error = symbol("error"), repeat = symbol("repeat"), before = symbol("before");
  const Expr phase = symbol("phase");
  Variables in = joined<Variable>(inputs(), u_.core.empty() && first ? unknowns_at_guess() : unknowns_here(),
                                  listed(u_.inverse_symbols, sizes));
  Variables kept;
  append(in, Variables{{good, first ? c_.good : c_.again}, {error, own_.tail_error}});
  for (std::size_t k = 0; k < count; ++k) kept.push_back({settled[k], x + u_.tail[k]});
  append(kept, listed(added, increments));
  const Expr finite = count == 0 ? number(1) : is_finite_number(sum);
  Expr error_now = error, done = number(1);
  if (first && count > 0) {
    done = both(no(above(correction * error, left_over)), no(above(correction, far_correction)));
    if (own_.fresh_tail) {
      // Far from nothing in any case; what rounding leaves is seen in the first step, and in every 16th.
      in.push_back({phase, step_.phase});
      done = both(no(above(correction * error, left_over)), both(positive(error), positive(phase)));
    }
  } else if (!first) {
    append(in, Variables{{repeat, c_.repeat}, {before, c_.tail_before}});
    error_now = max(error, where(above(before, far_correction), correction / before));
    if (own_.fresh_tail) error_now = max(error_now, number(least_error));
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

Expr SubstepWriter::surely(Expr moved, Expr ratio) const {
  const Expr certain = both(no(above(ratio, sure_contraction)), no(above(moved, surely_near)));
  return either(certain, no(above(ratio, linear_contraction)));
}

Program::Statement SubstepWriter::doubt() {
  const Expr good = symbol("good"), unsure = symbol("unsure"), ratio = symbol("ratio"), fine = symbol("fine");
  const Expr open = both(both(fine, good), both(unsure, no(above(ratio, sure_contraction))));
  return builder_.block({{good, c_.good}, {unsure, c_.unsure}, {ratio, c_.ratio}, {fine, c_.fine}}, {},
                        {{open, c_.doubt}, {number(0), c_.near}}, -1);
}

Program::Statement SubstepWriter::compare() {
  const Exprs guessed = increments_of(reduced_);
  Exprs found = graph_.symbols("found", step_.states);
  Variables in = joined<Variable>(inputs(), predicted_at(own_.guess));
  if (own_.fresh_tail) {  // found again here, so that they need not wait
    Exprs from, to;
    for (const int i : own_.kept) {
      from.push_back(e_.unknowns[i]);
      to.push_back(symbol("found"));
      in.push_back({to.back(), x + i});
    }
    for (const int i : u_.tail) in.push_back({e_.unknowns[i], x + i});
    found = substitute(guessed, from, to, graph_);
  } else {
    append(in, listed(found, increments));
  }
  const int positions = step_.states - e_.rates;
  constexpr double rounding = 1e-9;  // as Substep: below it the guess is as good as the solution
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
  const Expr near_y = no(above(apart_y, Quad(near_start) * reach_y)),
             near_z = no(above(apart_z, Quad(near_start) * reach_z));
  return builder_.block(in, {{both(is_finite_number(sum), both(near_y, near_z)), c_.near}}, {}, c_.doubt);
}

Program::Statement SubstepWriter::judge() {
  const Expr good = symbol("good"), moved = symbol("moved"), ratio = symbol("ratio"), fine = symbol("fine");
  const Expr count = symbol("count"), expected = symbol("expected"), status = symbol("status"), near = symbol("near");
  const Expr unsure = symbol("unsure");
  Variables in{{good, c_.good},         {fine, c_.fine},        {count, step_.count},
               {expected, c_.expected}, {status, step_.status}, {near, c_.near}};
  if (looped()) append(in, Variables{{moved, c_.moved}, {ratio, c_.ratio}});
  else in.push_back({unsure, c_.unsure});
  Expr most = graph_.constant(0);
  for (const int i : watched_multipliers()) {
    in.push_back({e_.unknowns[i], x + i});
    most = max(most, abs(e_.unknowns[i]));
  }
  const Expr clear = either(looped() ? surely(moved, ratio) : no(unsure), near);
  const Expr wild = both(positive(count), above(most, Quad(wild_multipliers) * expected));
  const Expr code =
      choose(good, choose(clear, where(wild, number(double(StepStatus::wild))), number(double(StepStatus::in_doubt))),
             number(double(StepStatus::not_converged)));
  Variables kept{{choose(fine, code, status), step_.status}, {both(both(fine, good), both(clear, no(wild))), c_.fine}};
  if (looped()) count_work(in, kept);
  if (in_place()) return builder_.block(in, kept, {}, -1);
  const Advance all = advanced();
  return builder_.block(joined<Variable>(in, all.in), kept, all.out, -1);
}

SubstepWriter::Advance SubstepWriter::advanced() const {
  const Exprs from = graph_.symbols("state", step_.states), rest = graph_.symbols("compensation", step_.states);
  const Exprs added = graph_.symbols("increment", step_.states);
  Advance all{joined<Variable>(listed(from, state), listed(rest, compensation), listed(added, increments)), {}};
  for (int i = 0; i < step_.states; ++i) {
    const Expr plus = added[i] + rest[i], next = from[i] + plus, back = next - from[i];
    all.out.push_back({next, next_state + i});
    all.out.push_back({(from[i] - (next - back)) + (plus - back), next_compensation + i});
  }
  return all;
}

Program::Statement SubstepWriter::advance() {
  const Advance all = advanced();
  return builder_.block(all.in, all.out, {}, c_.fine);
}

void SubstepWriter::count_work(Variables& in, Variables& kept) const {
  const Expr before = symbol("iterations before"), now = symbol("iterations");
  append(in, Variables{{before, step_.ledger.iterations}, {now, u_.core.empty() ? c_.repeat : c_.iterations}});
  kept.push_back({u_.core.empty() ? before + now - 1 : before + now, step_.ledger.iterations});
  if (u_.core.empty()) return;
  const Expr factored_before = symbol("factored before"), factored = symbol("factored");
  append(in, Variables{{factored_before, step_.ledger.factorizations}, {factored, c_.factored}});
  kept.push_back({factored_before + factored, step_.ledger.factorizations});
}

Program::Statement SubstepWriter::carry() {
  Variables free;
  for (std::size_t i = 0; i < reduced_.carried_next.size(); ++i)
    free.push_back({reduced_.carried_next[i], next_carried + static_cast<int>(i)});
  return builder_.block(joined<Variable>(inputs(), unknowns_here(), listed(e_.carried, carried)), {}, free, -1);
}

std::vector<int> SubstepWriter::watched_multipliers() const {
  std::vector<int> list;
  for (const int i : u_.multipliers)
    if (!own_.fresh_tail || std::find(u_.tail.begin(), u_.tail.end(), i) == u_.tail.end()) list.push_back(i);
  return list;
}

Exprs SubstepWriter::kept_unknowns() const {
  Exprs list;
  for (const int i : own_.kept) list.push_back(e_.unknowns[i]);
  return list;
}

Program::Statement SubstepWriter::look(int mask) {
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

Program::Statement SubstepWriter::shift(int mask) {
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

}  // namespace alembert::internal
