#include "alembert/newton/step_equations.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

Expr increment(Expr next, Expr state) {
  if (next == state) return state.graph().constant(0);
  const Node node = next.graph().node(next.id());
  const Expr a(&next.graph(), node.a);
  const Expr b(&next.graph(), node.b);
  if (node.op == Op::add && a == state) return b;
  if (node.op == Op::add && b == state) return a;
  if (node.op == Op::subtract && a == state) return -b;
  return next - state;
}

Exprs increments_of(const StepEquations& e) {
  Exprs increments;
  for (std::size_t i = 0; i < e.state.size(); ++i) increments.push_back(increment(e.next[i], e.state[i]));
  return increments;
}

namespace {

bool is_straight_motion(const StepEquations& e, Expr x) {  // h times an entry of the state
  const Node node = e.graph->node(x.id());
  if (node.op != Op::multiply) return false;
  const Node a = e.graph->node(node.a), b = e.graph->node(node.b);
  return a.op == Op::symbol && b.op == Op::symbol && (node.a == e.h.id() || node.b == e.h.id());
}

}  // namespace

Exprs cut_off_of(const StepEquations& e) {
  Exprs rests;
  bool any = false;
  for (const Expr sum : increments_of(e)) {
    const Node node = e.graph->node(sum.id());
    rests.push_back(e.graph->constant(0));
    if (node.op != Op::add) continue;
    const Expr a(e.graph.get(), node.a), b(e.graph.get(), node.b);
    if (!is_straight_motion(e, a) && !is_straight_motion(e, b)) continue;
    const Expr back = sum - a;  // Knuth's two-sum
    rests.back() = (a - (sum - back)) + (b - back);
    any = true;
  }
  return any ? rests : Exprs();
}

Exprs balance_of(const StepEquations& e) {
  check(e.energy_change || e.discrete.empty(), "discrete constraints go with the change of energy");
  Exprs balance;
  if (e.energy_change) append(balance, e.energy_change);
  if (e.supplied) append(balance, Exprs{e.dissipated, e.supplied});
  append(balance, e.discrete);
  append(balance, e.work);
  return balance;
}

ImplicitEquations step_system(const StepEquations& e) {
  return {
      joined<Expr>(e.t0, e.h, e.state), e.unknowns, e.equations, e.groups, e.stages, e.graph, e.fewer, e.inclusions};
}

ImplicitEquations guess_system(const StepEquations& e) {
  const int count = static_cast<int>(e.guess_unknowns.size());
  const int rates = std::min(count, e.rates);
  return {joined<Expr>(e.t0, e.h, e.state, e.guess_inputs),
          e.guess_unknowns,
          e.guess_equations,
          {{0, rates, e.graph->constant(0)}, {rates, count - rates, Expr()}},
          nullptr,
          nullptr,
          nullptr,
          nullptr};
}

}  // namespace alembert::internal
