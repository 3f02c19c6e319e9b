#include "alembert/newton/step_end_writer.h"

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

// As Predictor: steps between two looks for the best degree.
constexpr int look_every = 16;

}  // namespace

void StepEndWriter::allot_persistent() {
  if (watch_.inputs.empty()) return;
  step_.energy = builder_.allot("energy");
  step_.first_energy = builder_.allot("first energy");
  step_.energy_error = builder_.allot("largest error of the energy");
  step_.position = builder_.allot("largest |g|");
  step_.velocity = builder_.allot("largest |g'|");
  step_.nonholonomic = builder_.allot("largest |k|");
  step_.program.largest = {step_.energy_error, step_.position, step_.velocity, step_.nonholonomic};
  const int count = crossings();
  if (count == 0) return;
  step_.crossing = builder_.allot("event function", count);
  step_.crossing_rate = builder_.allot("its rate", count);
  if (locate_) step_.crossed = builder_.allot("time of event", count);
}

void StepEndWriter::allot_scratch() {
  if (watch_.inputs.empty()) return;
  sizes = builder_.allot("watched", 4);
  value = builder_.allot("new event function", crossings());
  rate = builder_.allot("its new rate", crossings());
  hit = builder_.allot("event now", crossings());
  any_hit = builder_.allot("any event now");
}

void StepEndWriter::write(std::vector<Program::Statement>& out) {
  if (!watch_.inputs.empty()) {
    out.push_back(watch());
    for (int i = 0; locate_ && i < crossings(); ++i) out.push_back(locate(i));
  }
}

Program::Statement StepEndWriter::first() {
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

Program::Statement StepEndWriter::before_commit(Graph& graph, int rows) {
  const Expr fine = graph.symbol("fine"), count = graph.symbol("count"), phase = graph.symbol("phase");
  const Expr due = either(below(count, 2 * rows), no(positive(phase)));
  return builder_.block({{fine, c_.fine}, {count, step_.count}, {phase, step_.phase}}, {},
                        {{both(fine, due), look_mask}}, -1);
}

Program::Statement StepEndWriter::commit(Graph& graph, const LedgerWriter* ledger) {
  const Exprs state = graph.symbols("state", step_.states), rest = graph.symbols("compensation", step_.states);
  const Expr made = graph.symbol("made"), left = graph.symbol("left"), count = graph.symbol("count");
  const Expr phase = graph.symbol("phase");
  Variables in, kept;
  if (next_state != step_.state) {
    in = joined<Variable>(listed(state, next_state), listed(rest, next_compensation));
    kept = joined<Variable>(listed(state, step_.state), listed(rest, step_.compensation));
  }
  append(in, Variables{{made, step_.made}, {left, step_.left}, {count, step_.count}, {phase, step_.phase}});
  const Exprs carried = graph.symbols("carried", step_.carries);
  append(in, listed(carried, next_carried));
  append(kept, listed(carried, step_.carried));
  Expr still = left - 1;
  if (!watch_.inputs.empty()) take_watched(graph, in, kept, still);
  if (ledger) ledger->take(graph, in, kept, still);
  const Expr next_phase = where(below(phase, look_every - 1.5), phase + 1);
  append(kept,
         Variables{{made + 1, step_.made}, {still, step_.left}, {count + 1, step_.count}, {next_phase, step_.phase}});
  return builder_.block(in, kept, {}, c_.fine);
}

Expr StepEndWriter::at(Expr t, Expr value) const {
  return substitute(Exprs{value}, Exprs{watch_.inputs[0]}, Exprs{t}, watch_.inputs[0].graph())[0];
}

Expr StepEndWriter::rate_of(int i, Expr t) const {
  const Expr rate = watch_.crossings[i].rate;
  return rate ? at(t, rate) : watch_.inputs[0].graph().constant(0);
}

Exprs StepEndWriter::seen(Expr t) const {
  Graph& graph = watch_.inputs[0].graph();
  const auto most = [&](const Exprs& values) {
    Expr size = graph.constant(0);
    for (const Expr v : values) size = max(size, abs(at(t, v)));
    return size;
  };
  return {watch_.energy ? at(t, watch_.energy) : graph.constant(0), most(watch_.g), most(watch_.g_dot), most(watch_.k)};
}

Program::Statement StepEndWriter::watch() {
  Graph& graph = watch_.inputs[0].graph();
  const Expr start = graph.symbol("start"), made = graph.symbol("made"), h = graph.symbol("h");
  const Expr fine = graph.symbol("fine"), status = graph.symbol("status");
  const Expr t = start + (made + 1) * h;
  const Exprs now = seen(t);
  Variables in = joined<Variable>(Variable{start, step_.start}, Variable{made, step_.made}, Variable{h, step_.h},
                                  Variable{fine, c_.fine}, Variable{status, step_.status}, state_at(next_state));
  Expr sum = now[0];
  for (std::size_t i = 1; i < watch_.inputs.size(); ++i) sum = sum + watch_.inputs[i];
  for (const Exprs* list : {&watch_.g, &watch_.g_dot, &watch_.k})
    for (const Expr residual : *list) sum = sum + at(t, residual);
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
    const Expr apart = no(positive(before * v)), turned = may_touch(i, before, v, rate_before, r, h);
    event = either(event, locate_ ? both(positive(before * v), turned) : either(apart, turned));
  }
  if (lean_ && crossings() == 0) return builder_.block(in, {}, free, -1);
  const Expr finite = lean_ ? graph.constant(1) : is_finite_number(sum);
  const Expr code = choose(finite, where(event, graph.constant(double(StepStatus::event))),
                           graph.constant(double(StepStatus::not_finite)));
  return builder_.block(in, {{choose(fine, code, status), step_.status}, {both(fine, no(positive(code))), c_.fine}},
                        free, -1);
}

Expr StepEndWriter::may_touch(int i, Expr before, Expr now, Expr rate_before, Expr rate_now, Expr h) const {
  const Expr nearest = min(abs(before), abs(now));
  if (!watch_.crossings[i].rate) return no(above(nearest, 2 * abs(now - before)));
  const Expr reach = abs(h) * max(abs(rate_before), abs(rate_now));
  return both(no(positive(rate_before * rate_now)), no(above(nearest, reach)));
}

Program::Statement StepEndWriter::locate(int i) {
  Graph& graph = watch_.inputs[0].graph();
  const Expr start = graph.symbol("start"), made = graph.symbol("made"), h = graph.symbol("h");
  const Expr a = graph.symbol("a"), b = graph.symbol("b"), ra = graph.symbol("ra"), rb = graph.symbol("rb");
  const Expr known = graph.symbol("known");
  const Variables in{{start, step_.start}, {made, step_.made},
                     {h, step_.h},         {a, step_.crossing + i},
                     {b, value + i},       {ra, step_.crossing_rate + i},
                     {rb, rate + i},       {known, step_.crossed + i}};
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

void StepEndWriter::take_watched(Graph& graph, Variables& in, Variables& kept, Expr& still) {
  const Exprs now = graph.symbols("watched", 4);
  const Expr first_energy = graph.symbol("first"), error = graph.symbol("error"), g = graph.symbol("g");
  const Expr g_dot = graph.symbol("g'"), k = graph.symbol("k");
  append(in, listed(now, sizes));
  append(in, Variables{{first_energy, step_.first_energy},
                       {error, step_.energy_error},
                       {g, step_.position},
                       {g_dot, step_.velocity},
                       {k, step_.nonholonomic}});
  if (watch_.energy)
    append(kept, Variables{{now[0], step_.energy}, {max(error, abs(now[0] - first_energy)), step_.energy_error}});
  if (!watch_.g.empty()) kept.push_back({max(g, now[1]), step_.position});
  if (!watch_.g_dot.empty()) kept.push_back({max(g_dot, now[2]), step_.velocity});
  if (!watch_.k.empty()) kept.push_back({max(k, now[3]), step_.nonholonomic});
  for (int i = 0; i < crossings(); ++i) {
    const Expr v = graph.symbol("value"), r = graph.symbol("rate"), now_hit = graph.symbol("hit");
    append(in, Variables{{v, value + i}, {r, rate + i}});
    append(kept, Variables{{v, step_.crossing + i}, {r, step_.crossing_rate + i}});
    if (!locate_ || !watch_.crossings[i].stops) continue;
    in.push_back({now_hit, hit + i});
    still = where(no(now_hit), still);
  }
}

}  // namespace alembert::internal
