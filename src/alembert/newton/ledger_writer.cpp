#include "alembert/newton/ledger_writer.h"

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

// Bounds around those of the run (run/rank_watch.cpp, run/engine.cpp), of squares: within them nothing is to be seen.
constexpr double low_volume = 0.26;       // above it no minimum counts
constexpr double steep_change = 0.82;     // volumes that change less in a step pass no zero
constexpr double singular_volume = 2e-6;  // of a step that ends at a singular position
constexpr double wide_turn = 0.25;        // as run/watch.cpp

}  // namespace

void LedgerWriter::allot_persistent() {
  StepProgram::Ledger& own = step_->ledger;
  own.iterations = builder_->allot("iterations so far");
  own.factorizations = builder_->allot("factorisations so far");
  own.sum_t = builder_->allot("sum of times");
  own.sum_error = builder_->allot("sum of errors of the energy");
  own.residual_bound = builder_->allot("bound of residuals");
  own.energy_bound = builder_->allot("bound of the error of the energy");
  own.prediction_bound = builder_->allot("bound of the first correction");
  own.pause = builder_->allot("pause");
  own.correction = builder_->allot("first correction of the last step");
  own.longest = builder_->allot("longest gradient, squared", static_cast<int>(watch_->rank.lengths.size()));
  own.independence = builder_->allot("independence, squared");
  const int invariants = static_cast<int>(watch_->invariants.size());
  own.first_invariant = builder_->allot("first invariant", invariants);
  own.invariant = builder_->allot("invariant", invariants);
  own.invariant_error = builder_->allot("largest error of invariant", invariants);
}

void LedgerWriter::allot_scratch() {
  pause_ = builder_->allot("new pause");
  independence_ = builder_->allot("new independence");
  longest_ = builder_->allot("new longest gradient", static_cast<int>(watch_->rank.lengths.size()));
  t_ = builder_->allot("end of the step");
  error_ = builder_->allot("error of the energy");
  more_ = builder_->allot("more steps");
  invariant_ = builder_->allot("new invariant", static_cast<int>(watch_->invariants.size()));
}

Exprs LedgerWriter::at(const Exprs& list, const Exprs& inputs) const {
  return list.empty() ? list : substitute(list, watch_->inputs, inputs, graph());
}

// A gradient that points elsewhere than before, by more than 60 degrees.
Expr LedgerWriter::turned(const Exprs& now, const Exprs& lengths, const Exprs& before,
                          const Exprs& lengths_before) const {
  const std::vector<int>& rows = watch_->rank.gradients.row_start;
  Expr any = graph().constant(0);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Expr product = graph().constant(0);
    for (int k = rows[i]; k < rows[i + 1]; ++k) product = product + now[k] * before[k];
    any = either(any, above(Quad(wide_turn) * lengths[i] * lengths_before[i], product * abs(product)));
  }
  return any;
}

Program::Statement LedgerWriter::look(int next_state, int sizes) {
  const StepProgram::Ledger& own = step_->ledger;
  const Expr start = symbol("start"), made = symbol("made"), h = symbol("h"), zero = graph().constant(0);
  const Expr fine = symbol("fine"), status = symbol("status"), correction = symbol("first correction");
  const Expr first_energy = symbol("first energy"), residual_bound = symbol("residual bound");
  const Expr energy_bound = symbol("energy bound"), prediction_bound = symbol("prediction bound");
  const Expr independence = symbol("independence");
  const Exprs seen = graph().symbols("watched", 4);
  const int states = step_->states;
  const Exprs new_state = graph().symbols("new", states), old_state = graph().symbols("old", states);
  const Expr t = start + (made + 1) * h;
  const Exprs now_at = joined<Expr>(t, new_state), before_at = joined<Expr>(start + made * h, old_state);
  const Expr error = seen[0] - first_energy;
  const Expr residual = max(seen[1], max(seen[2], seen[3]));
  Expr other = either(above(residual, residual_bound), above(correction, prediction_bound));
  Variables in = joined<Variable>(listed(new_state, next_state), listed(old_state, step_->state), listed(seen, sizes),
                                  Variables{{start, step_->start},
                                            {made, step_->made},
                                            {h, step_->h},
                                            {fine, c_.fine},
                                            {status, step_->status},
                                            {correction, c_.first_correction},
                                            {first_energy, step_->first_energy},
                                            {residual_bound, own.residual_bound},
                                            {energy_bound, own.energy_bound},
                                            {prediction_bound, own.prediction_bound},
                                            {independence, own.independence}});
  Variables free =
      joined<Variable>(Variable{t, t_}, Variable{error, error_}, listed(at(watch_->invariants, now_at), invariant_));
  Expr lost = zero;
  const WatchedExprs::Rank& rank = watch_->rank;
  if (!rank.lengths.empty()) {
    const Exprs lengths = at(rank.lengths, now_at), lengths_before = at(rank.lengths, before_at);
    const Exprs longest_before = graph().symbols("longest", static_cast<int>(lengths.size()));
    append(in, listed(longest_before, own.longest));
    Expr product = graph().constant(1);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Expr longest = max(longest_before[i], lengths[i]);
      free.push_back({longest, longest_ + static_cast<int>(i)});
      product = product * longest;
    }
    const Expr now = at({rank.volume}, now_at)[0] / product;
    const Expr changes =
        either(above(Quad(steep_change) * independence, now), above(Quad(steep_change) * now, independence));
    other = either(other, both(below(now, low_volume), changes));
    other = either(
        other, turned(at(rank.gradients.value, now_at), lengths, at(rank.gradients.value, before_at), lengths_before));
    lost = no(above(now, singular_volume));
    free.push_back({now, independence_});
  }
  const Expr pause =
      choose(other, graph().constant(double(StepProgram::Pause::other)),
             where(above(abs(error), energy_bound), graph().constant(double(StepProgram::Pause::energy))));
  free.push_back({pause, pause_});
  const Expr code = where(lost, graph().constant(double(StepStatus::near_singular)));
  return builder_->block(in, {{choose(fine, code, status), step_->status}, {both(fine, no(lost)), c_.fine}}, free, -1);
}

void LedgerWriter::take(Graph& graph, Variables& in, Variables& kept, Expr& still) const {
  const StepProgram::Ledger& own = step_->ledger;
  const Expr pause = graph.symbol("pause"), t = graph.symbol("t"), error = graph.symbol("error"),
             independence = graph.symbol("independence");
  const Expr sum_t = graph.symbol("sum of t"), sum_error = graph.symbol("sum of errors");
  const Expr correction = graph.symbol("first correction");
  append(in, Variables{{pause, pause_},
                       {t, t_},
                       {error, error_},
                       {sum_t, own.sum_t},
                       {sum_error, own.sum_error},
                       {correction, c_.first_correction}});
  append(kept, Variables{{pause, own.pause},
                         {sum_t + t, own.sum_t},
                         {sum_error + error, own.sum_error},
                         {correction, own.correction}});
  still = where(no(positive(pause)), still);
  for (int i = 0; i < static_cast<int>(watch_->invariants.size()); ++i) {
    const Expr now = graph.symbol("invariant"), first = graph.symbol("first"), most = graph.symbol("error");
    append(in, Variables{{now, invariant_ + i}, {first, own.first_invariant + i}, {most, own.invariant_error + i}});
    append(kept, Variables{{now, own.invariant + i}, {max(most, abs(now - first)), own.invariant_error + i}});
  }
  const int count = static_cast<int>(watch_->rank.lengths.size());
  if (count == 0) return;
  const Exprs longest = graph.symbols("longest", count);
  append(in, listed(longest, longest_));
  append(kept, listed(longest, own.longest));
  in.push_back({independence, independence_});
  kept.push_back({independence, own.independence});
}

void LedgerWriter::repeat(std::vector<Program::Statement>& statements) {
  const Expr left = symbol("left"), status = symbol("status");
  const Variables in{{left, step_->left}, {status, step_->status}};
  const Variables more{{both(positive(left), no(positive(status))), more_}};
  std::vector<Program::Statement> body = std::move(statements);
  body.push_back(builder_->block(in, {}, more, -1));
  statements.clear();
  statements.push_back(builder_->block(in, {}, more, -1));
  statements.push_back(loop(more_, std::move(body)));
}

}  // namespace alembert::internal
