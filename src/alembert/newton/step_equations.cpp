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
