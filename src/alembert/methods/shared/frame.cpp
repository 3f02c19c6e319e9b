#include "alembert/methods/shared/frame.h"

#include <algorithm>
#include <utility>

#include "alembert/base/lists.h"

namespace alembert::internal {

namespace {

/// "1" for "constraint 1", the name of a constraint to which the user gave none: what stands before it says the rest.
std::string own_name(const std::string& name) {
  const std::string word = "constraint ";
  return name.starts_with(word) ? name.substr(word.size()) : name;
}

Expr at_least(double least, Expr size) {
  return least > 0 ? size.graph().make(Op::max, size, size.graph().constant(least)) : size;
}

}  // namespace

Frame::Frame(const Equations& e)
    : graph(*(step.graph = std::make_shared<Graph>())), least_y_(e.least_y), least_z_(e.least_z) {
  step.t0 = graph.symbol("t0");
  step.h = graph.symbol("h");
  y0 = graph.symbols("y0", static_cast<int>(e.y.size()));
  z0 = graph.symbols("z0", static_cast<int>(e.z.size()));
  step.state = joined<Expr>(y0, z0);
  step.rates = static_cast<int>(e.z.size());
  z_dot0 = graph.symbols("z'", static_cast<int>(e.z.size()));
  lambda0 = graph.symbols("lambda", static_cast<int>(e.g.size()));
  psi0 = graph.symbols("psi", static_cast<int>(e.psi.size()));
  step.guess_inputs = joined<Expr>(z_dot0, lambda0, psi0);
}

Exprs Frame::unknown(const std::string& name, const Exprs& guess, Expr factor) {
  Exprs symbols = graph.symbols(name, static_cast<int>(guess.size()));
  append(step.unknowns, symbols);
  for (const Expr g : guess) step.guess.push_back(factor ? factor * g : g);
  return symbols;
}

void Frame::equation(const Exprs& values, const std::string& what, const std::vector<std::string>& names,
                     const std::string& where) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    step.equations.push_back(values[i]);
    step.labels.push_back(what + (what.ends_with("constraint ") ? own_name(names[i]) : names[i]) + where);
  }
}

void Frame::at_end(const Equations& e, const Exprs& functions, const Point& end, const std::string& what,
                   const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < functions.size(); ++i)
    step.end_conditions.push_back({static_cast<int>(step.equations.size() + i), functions[i]});
  equation(at(e, functions, end), what, names, " at the end of the step");
}

Frame::Settled Frame::settled(const Equations& e, Expr t, Exprs& y, const std::string& where) {
  const long own = static_cast<long>(y.size() - e.auxiliary.size());
  const Exprs q(y.begin(), y.begin() + own);
  const auto known = [&](const Settled& one) { return one.y == q && one.t == t; };
  auto found = std::find_if(settled_.begin(), settled_.end(), known);
  if (found == settled_.end()) {
    const Exprs v0 = at(e, e.v, {step.t0, y0, z0});
    first_points_.push_back(static_cast<int>(step.unknowns.size()));
    const Exprs ds =
        unknown("dS" + std::to_string(first_points_.size()), Exprs(v0.begin() + own, v0.end()), t - step.t0);
    Settled fresh{q, {}, t, static_cast<int>(step.equations.size())};
    for (std::size_t i = 0; i < ds.size(); ++i) fresh.s.push_back(y0[static_cast<std::size_t>(own) + i] + ds[i]);
    std::copy(fresh.s.begin(), fresh.s.end(), y.begin() + own);
    const std::vector<std::string> names(e.y_names.begin() + own, e.y_names.end());
    equation(at(e, auxiliary_equations(e), {t, y, z0}), "equation of ", names, where);
    settled_.push_back(std::move(fresh));
    found = settled_.end() - 1;
  }
  std::copy(found->s.begin(), found->s.end(), y.begin() + own);
  return *found;
}

void Frame::settle(const Equations& e, Expr t, Exprs& y, const std::string& where) {
  if (e.auxiliary.empty()) return;
  if (settled_.empty()) {
    const auto own = y0.begin() + static_cast<long>(y0.size() - e.auxiliary.size());
    settled_.push_back({Exprs(y0.begin(), own), Exprs(own, y0.end()), step.t0, -1});
  }
  settled(e, t, y, where);
}

void Frame::settle_end(const Equations& e, Exprs& y) {
  if (e.auxiliary.empty()) return;
  settle(e, step.t0 + step.h, y, " at the end of the step");
  const int first = settled(e, step.t0 + step.h, y, "").equation;
  const Exprs c = auxiliary_equations(e);
  for (std::size_t i = 0; i < c.size() && first >= 0; ++i)
    step.end_conditions.push_back({first + static_cast<int>(i), c[i]});
}

void Frame::keep(const Exprs& values, const std::string& before, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    step.internal.push_back(values[i]);
    step.internal_names.push_back(before + names[i]);
  }
}

void Frame::carry(const Exprs& start, const QuadVector& weights, const std::vector<Exprs>& values,
                  const std::string& before, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Expr last = graph.symbol("last " + before + names[i]);
    Exprs terms = {weights[0] * last};
    for (std::size_t j = 0; j < values.size(); ++j) terms.push_back(weights[j + 1] * values[j][i]);
    step.carried.push_back(last);
    step.carried_start.push_back(start[i]);
    step.carried_next.push_back(sum(graph, terms));
    step.carried_names.push_back(before + names[i]);
  }
}

Expr Frame::size_y() { return at_least(least_y_, largest(graph, y0)); }
Expr Frame::size_z() { return at_least(least_z_, largest(graph, z0)); }

StepPlan Frame::plan(const Exprs& y1, const Exprs& z1) {
  const int points = settled_.empty() ? 0 : static_cast<int>(settled_.front().s.size());
  for (const int first : first_points_) step.groups.push_back({first, points, size_y()});
  step.next = joined<Expr>(y1, z1);
  StepPlan plan;
  plan.parts.push_back(std::move(step));
  plan.sequence.push_back({0, 1});
  return plan;
}

}  // namespace alembert::internal
