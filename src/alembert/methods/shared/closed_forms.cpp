// The plan of a step, as a method gives it, with what all methods have in common.
//   - Auxiliary variables with a closed form: methods make steps without them, and their values at the start of the
//     step, which say on what branch they are, stand in the state beside the coordinates.
//   - Multipliers that reactions are nonlinear in decide when the equations of a step are solved.

#include "alembert/base/lists.h"
#include "alembert/derive/auxiliary.h"
#include "alembert/expr/derivative.h"
#include "alembert/methods/method.h"
#include "alembert/newton/inclusions.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

namespace {

/// Numbers of parameters that no model has: the values at the start of the step are given there.
int first_number(const Equations& e) { return static_cast<int>(e.parameters.size()); }

/// All expressions of a step, with `to` in the place of the parameters `from`.
class Replacement {
 public:
  Replacement(Exprs from, Exprs to, Graph& graph) : from_(std::move(from)), to_(std::move(to)), graph_(graph) {}

  void operator()(Exprs& list) const {
    if (!list.empty()) list = substitute(list, from_, to_, graph_);
  }
  void operator()(Expr& one) const {
    if (one) one = substitute(one, from_, to_, graph_);
  }

 private:
  Exprs from_, to_;
  Graph& graph_;
};

void replace_all(StepEquations& step, const Replacement& replace) {
  for (Exprs* list : {&step.equations, &step.next, &step.guess, &step.guess_equations, &step.internal,
                      &step.carried_start, &step.carried_next, &step.discrete, &step.work, &step.contacts})
    replace(*list);
  for (Expr* one : {&step.energy_change, &step.dissipated, &step.supplied}) replace(*one);
  for (UnknownGroup& group : step.groups)
    for (Expr* one : {&group.scale, &group.own}) replace(*one);
  if (step.inclusions) {
    auto laws = std::make_shared<Inclusions>(*step.inclusions);
    for (Inclusions::Contact& contact : laws->contacts) {
      for (Expr* one : {&contact.force, &contact.rate, &contact.closed}) replace(*one);
      for (Inclusions::Tangent& tangent : contact.tangents) {
        replace(tangent.force);
        replace(tangent.slip);
        replace(tangent.coefficient);
      }
    }
    step.inclusions = std::move(laws);
  }
  if (!step.stages) return;
  auto stages = std::make_shared<StageStructure>(*step.stages);
  for (SparseExprs* matrix : {&stages->p_z, &stages->r_lambda, &stages->N_psi, &stages->g_z, &stages->k_z})
    replace(matrix->value);
  step.stages = std::move(stages);
}

/// The variables become part of the state, behind the coordinates that the step knows.
void add_to_state(StepEquations& step, const Equations& e, const Equations& seen) {
  Graph& graph = *step.graph;
  const long known = static_cast<long>(seen.y.size());
  Exprs near, given;
  for (std::size_t i = seen.y.size(); i < e.y.size(); ++i) {
    near.push_back(graph.symbol("near " + e.y_names[i]));
    given.push_back(graph.parameter(first_number(e) + static_cast<int>(given.size()), e.y_names[i], 0));
  }
  replace_all(step, Replacement(given, near, graph));
  const Exprs y1(step.next.begin(), step.next.begin() + known);
  const Exprs values = closed_forms(e, step.t0 + step.h, y1, near);
  step.next.insert(step.next.begin() + known, values.begin(), values.end());
  step.state.insert(step.state.begin() + known, near.begin(), near.end());
  for (StageSeries& series : step.series)
    if (series.state >= known) series.state += static_cast<int>(near.size());
}

/// What a multiplier of 1 makes of the velocities in a step, about.
Expr effect_on_velocities(const StepEquations& part, const Equations& e) {
  Graph& graph = *part.graph;
  const auto middle = part.state.begin() + static_cast<long>(e.y.size());
  const Point start{part.t0, Exprs(part.state.begin(), middle), Exprs(middle, part.state.end())};
  const auto largest_of = [&](const Exprs& values) { return largest(graph, at(e, values, start)); };
  const Exprs holonomic = e.form == Form::hamiltonian ? jacobian(e.g, e.y).value : jacobian(e.g_dot, e.z).value;
  const Expr gradient = largest_of(joined<Expr>(holonomic, jacobian(e.k, e.z).value));
  return abs(part.h) * gradient / largest_of(jacobian(e.p, e.z).value);
}

/// Those of the stages and of the end: what reactions do to them is compared with all of them.
void measure_velocities_together(std::vector<UnknownGroup>& groups) {
  UnknownGroup& first = groups.front();
  while (groups.size() > 1 && groups[1].scale == first.scale && groups[1].own == first.own) {
    first.count += groups[1].count;
    groups.erase(groups.begin() + 1);
  }
}

/// Newton may have the velocities at once while the multipliers are still on their way, from 0 above all, and what they
/// do elsewhere is seen only in its next correction.
void count_nonlinear_reactions(StepPlan& plan, const Equations& e) {
  // Algebraic states have units of their own, in which they may be that much smaller than the others.
  constexpr double own_units = 1e-5;
  const Exprs multipliers = joined<Expr>(e.lambda, e.psi);
  if (!depends(jacobian(e.reduced, multipliers).value, multipliers)) return;
  for (StepEquations& part : plan.parts) {
    if (part.inclusions) continue;  // solved and judged block by block
    measure_velocities_together(part.groups);
    for (UnknownGroup& group : part.groups) {
      if (group.scale || group.count == 0) continue;
      group.reactions = true;
      if (e.port) group.scale = Quad(own_units) * part.groups.front().scale;
      else group.effect = effect_on_velocities(part, e);
    }
  }
}

StepPlan plan_of(const Method& method, const Equations& e) {
  StepPlan plan = method.step(e);
  count_nonlinear_reactions(plan, e);
  return plan;
}

}  // namespace

Equations seen_by_methods(const Equations& e) { return without_closed_forms(e, first_number(e)); }

Momenta momenta_of(const Method& method, const Equations& e, const InitialValues& initial) {
  if (!method.momenta) return {};
  const Equations seen = seen_by_methods(e);
  InitialValues start = initial;
  start.y.resize(seen.y.size());
  return method.momenta(seen, start);
}

StepPlan step_plan(const Method& method, const Equations& e) {
  if (!method.capabilities.inclusions && !e.contacts.empty()) {
    // Contacts are followed from outside.
    Equations open = e;
    open.contacts.clear();
    return step_plan(method, open);
  }
  if (closed_count(e) == 0) return plan_of(method, e);
  const Equations seen = seen_by_methods(e);
  StepPlan plan = plan_of(method, seen);
  for (StepEquations& part : plan.parts) add_to_state(part, e, seen);
  return plan;
}

}  // namespace alembert::internal
