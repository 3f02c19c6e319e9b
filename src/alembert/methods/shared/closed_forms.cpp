// Steps on systems with auxiliary variables that have a closed form: methods make steps without them, and their values
// at the start of the step, which say on what branch they are, stand in the state beside the coordinates.

#include "alembert/base/lists.h"
#include "alembert/derive/auxiliary.h"
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
  if (closed_count(e) == 0) return method.step(e);
  const Equations seen = seen_by_methods(e);
  StepPlan plan = method.step(seen);
  for (StepEquations& part : plan.parts) add_to_state(part, e, seen);
  return plan;
}

}  // namespace alembert::internal
