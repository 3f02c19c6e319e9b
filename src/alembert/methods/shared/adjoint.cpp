// The adjoint of a step, from its equations.

#include "alembert/base/lists.h"
#include "alembert/methods/shared/composition.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal {

namespace {

/// Expressions of a step with other things in the place of its symbols.
struct Substitution {
  Exprs from, to;
  Graph& graph;
  Exprs operator()(const Exprs& functions) const { return substitute(functions, from, to, graph); }
};

class AdjointStep {
 public:
  AdjointStep(const StepEquations& step, const Equations& equations);
  StepEquations equations();

 private:
  Substitution at_start(Expr h) const;
  void make_unknowns();
  void add_old_equations(const Substitution& back);
  void add_way_back(const Substitution& back);
  void add_scales();

  const StepEquations& old_;
  const Equations& e_;
  Frame frame_;
  Graph& graph_;
  const Expr t0_, h_;
  Exprs guesses_, U_, dx_, x1_;
};

AdjointStep::AdjointStep(const StepEquations& step, const Equations& e)
    : old_(step), e_(e), frame_(e), graph_(frame_.graph), t0_(frame_.step.t0), h_(frame_.step.h) {
  guesses_ = graph_.symbols("guess", static_cast<int>(step.guess_unknowns.size()));
}

/// Initial guesses and guess_inputs keep their meaning: they belong to the start of the new step, whose leading terms
/// are the same.
Substitution AdjointStep::at_start(Expr h) const {
  return {joined<Expr>(old_.t0, old_.h, old_.state, old_.guess_inputs, old_.guess_unknowns),
          joined<Expr>(t0_, h, frame_.step.state, frame_.step.guess_inputs, guesses_), graph_};
}

/// U as before, guessed with -h at the start, and x1 = x0 + dx.
void AdjointStep::make_unknowns() {
  frame_.step.guess_unknowns = guesses_;
  frame_.step.guess_equations = at_start(h_)(old_.guess_equations);
  U_ = frame_.unknown("U", at_start(-h_)(old_.guess));
  const Exprs rates = joined<Expr>(at(e_, e_.v, {t0_, frame_.y0, frame_.z0}), frame_.z_dot0);
  dx_ = frame_.unknown("dx", rates, h_);
  for (std::size_t i = 0; i < dx_.size(); ++i) x1_.push_back(frame_.step.state[i] + dx_[i]);
}

void AdjointStep::add_old_equations(const Substitution& back) {
  StepEquations& step = frame_.step;
  step.equations = back(old_.equations);
  step.labels = old_.labels;
  // What the old step asks for at its end holds at the start of the new one already; it is asked for at the new end.
  const auto middle = x1_.begin() + static_cast<long>(e_.y.size());
  const Point end{t0_ + h_, Exprs(x1_.begin(), middle), Exprs(middle, x1_.end())};
  step.end_conditions = old_.end_conditions;
  for (const auto& condition : old_.end_conditions)
    step.equations[condition.equation] = at(e_, Exprs{condition.function}, end)[0];
}

/// 0 = dx + the increment of the old step, from the new end back to the start.
void AdjointStep::add_way_back(const Substitution& back) {
  Exprs increments;
  for (std::size_t i = 0; i < dx_.size(); ++i) increments.push_back(increment(old_.next[i], old_.state[i]));
  increments = back(increments);
  for (std::size_t i = 0; i < dx_.size(); ++i) increments[i] = dx_[i] + increments[i];
  frame_.equation(increments, "the way back of ", joined<std::string>(e_.y_names, e_.z_names), "");
}

void AdjointStep::add_scales() {
  const int n_u = static_cast<int>(U_.size());
  const int n_y = static_cast<int>(e_.y.size());
  const int n_z = static_cast<int>(e_.z.size());
  const Substitution here{joined<Expr>(old_.t0, old_.h, old_.state), joined<Expr>(t0_, h_, frame_.step.state), graph_};
  auto& groups = frame_.step.groups;
  for (UnknownGroup group : old_.groups) {
    for (Expr* one : {&group.scale, &group.own})
      if (*one) *one = here({*one})[0];
    groups.push_back(group);
  }
  groups.push_back({n_u, n_y, frame_.size_y()});
  groups.push_back({n_u + n_y, n_z, graph_.make(Op::max, frame_.size_z(), graph_.constant(0))});
}

StepEquations AdjointStep::equations() {
  make_unknowns();
  const Substitution back{joined<Expr>(old_.t0, old_.h, old_.state, old_.unknowns),
                          joined<Expr>(t0_ + h_, -h_, x1_, U_), graph_};
  add_old_equations(back);
  add_way_back(back);
  add_scales();
  frame_.step.internal = back(old_.internal);
  frame_.step.internal_names = old_.internal_names;
  frame_.step.next = x1_;
  return std::move(frame_.step);
}

}  // namespace

StepEquations adjoint(const StepEquations& step, const Equations& e) { return AdjointStep(step, e).equations(); }

StepPlan adjoint(const StepPlan& plan, const Equations& e) {
  StepPlan result;
  for (const StepEquations& part : plan.parts) result.parts.push_back(adjoint(part, e));
  result.sequence.assign(plan.sequence.rbegin(), plan.sequence.rend());
  return result;
}

}  // namespace alembert::internal
