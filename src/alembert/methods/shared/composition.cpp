#include "alembert/methods/shared/composition.h"

#include <algorithm>
#include <cmath>

#include "alembert/error.h"
#include "alembert/methods/shared/coefficients.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal {

namespace {

Quad root(Quad x, int n) {  // x^(1/n) by Newton from the double value
  Quad y = std::pow(static_cast<double>(x), 1.0 / n);
  for (int round = 0; round < 4; ++round) {
    Quad power = 1;
    for (int k = 1; k < n; ++k) power *= y;
    y -= (power * y - x) / (n * power);
  }
  return y;
}

}  // namespace

StepEquations adjoint(const StepEquations& step, const Equations& e) {
  Frame frame(e);
  Graph& graph = frame.graph;
  const Expr t0 = frame.step.t0, h = frame.step.h;
  // Inputs and unknowns of the guess keep their meaning: they belong to the start of the new step, whose leading terms
  // are the same.
  const Exprs guess_unknowns = graph.symbols("guess", static_cast<int>(step.guess_unknowns.size()));
  Exprs from{step.t0, step.h}, to{t0, h};
  const auto extend = [](Exprs& list, const Exprs& more) { list.insert(list.end(), more.begin(), more.end()); };
  const auto with = [&](const Exprs& keys, const Exprs& values) {
    extend(from, keys);
    extend(to, values);
  };
  with(step.state, frame.step.state);
  with(step.guess_inputs, frame.step.guess_inputs);
  with(step.guess_unknowns, guess_unknowns);
  frame.step.guess_unknowns = guess_unknowns;
  frame.step.guess_equations = substitute(step.guess_equations, from, to, graph);
  // Guesses of U: the old ones with -h, at the start.
  to[1] = -h;
  const Exprs guess = substitute(step.guess, from, to, graph);
  const Exprs U = frame.unknown("U", guess);
  // x1 = x0 + dx.
  Exprs dx_guess = at(e, e.v, {t0, frame.y0, frame.z0});
  extend(dx_guess, frame.z_dot0);
  const Exprs dx = frame.unknown("dx", dx_guess, h);
  Exprs x1;
  for (std::size_t i = 0; i < dx.size(); ++i) x1.push_back(frame.step.state[i] + dx[i]);

  from = {step.t0, step.h}, to = {t0 + h, -h};
  with(step.state, x1);
  with(step.unknowns, U);
  frame.step.equations = substitute(step.equations, from, to, graph);
  frame.step.labels = step.labels;
  // What the old step asks for at its end holds at the start of the new one already; it is asked for at the new end.
  const Exprs y1(x1.begin(), x1.begin() + static_cast<long>(e.y.size())),
      z1(x1.begin() + static_cast<long>(e.y.size()), x1.end());
  frame.step.end_conditions = step.end_conditions;
  for (const auto& condition : step.end_conditions)
    frame.step.equations[condition.equation] = at(e, Exprs{condition.function}, {t0 + h, y1, z1})[0];
  Exprs increments;
  for (std::size_t i = 0; i < dx.size(); ++i) increments.push_back(increment(step.next[i], step.state[i]));
  increments = substitute(increments, from, to, graph);
  for (std::size_t i = 0; i < dx.size(); ++i) increments[i] = dx[i] + increments[i];
  std::vector<std::string> names = e.y_names;
  names.insert(names.end(), e.z_names.begin(), e.z_names.end());
  frame.equation(increments, "the way back of ", names, "");

  const int n_u = static_cast<int>(U.size()), n_y = static_cast<int>(e.y.size()), n_z = static_cast<int>(e.z.size());
  from = {step.t0, step.h}, to = {t0, h};
  with(step.state, frame.step.state);
  for (UnknownGroup group : step.groups) {
    if (group.scale) group.scale = substitute(group.scale, from, to, graph);
    frame.step.groups.push_back(group);
  }
  frame.step.groups.push_back({n_u, n_y, frame.size_y()});
  frame.step.groups.push_back({n_u + n_y, n_z, graph.make(Op::max, frame.size_z(), graph.constant(0))});
  from = {step.t0, step.h}, to = {t0 + h, -h};
  with(step.state, x1);
  with(step.unknowns, U);
  frame.step.internal = substitute(step.internal, from, to, graph);
  frame.step.internal_names = step.internal_names;
  frame.step.next = x1;
  return std::move(frame.step);
}

StepPlan adjoint(const StepPlan& plan, const Equations& e) {
  StepPlan result;
  for (const StepEquations& part : plan.parts) result.parts.push_back(adjoint(part, e));
  result.sequence.assign(plan.sequence.rbegin(), plan.sequence.rend());
  return result;
}

Method adjoint(const Method& method) {
  Method result = method;
  result.name = "adjoint(" + method.name + ")";
  result.step = [step = method.step](const Equations& e) { return adjoint(step(e), e); };
  result.tableau = nullptr;
  return result;
}

StepPlan compose(const StepPlan& plan, const std::vector<Quad>& shares) {
  StepPlan result;
  result.parts = plan.parts;
  for (const Quad share : shares)
    for (const StepPlan::Substep& sub : plan.sequence) result.sequence.push_back({sub.part, share * sub.share});
  return result;
}

std::vector<Quad> triple_jump_shares(int p) {
  const Quad r = root(2, p + 1), gamma = 1 / (2 - r);
  return {gamma, -r * gamma, gamma};
}

std::vector<Quad> suzuki_shares(int p) {
  const Quad gamma = 1 / (4 - root(4, p + 1));
  return {gamma, gamma, 1 - 4 * gamma, gamma, gamma};
}

namespace {

/// What is left of the conditions of order 6 for a palindrome of nine shares g1 g2 g3 g4 g5 g4 ...: with each step
/// exp(g Y1 + g^3 Y3 + g^5 Y5), the coefficients of Y3, Y5 and [Y1,[Y1,Y3]].
QuadVector order_6_conditions(const std::vector<Quad>& shares) {
  QuadVector left(3, 0);
  Quad before = 0;
  for (const Quad g : shares) {
    const Quad cube = g * g * g;
    left[0] += cube;
    left[1] += cube * g * g;
    left[2] += cube * (before * before / 2 + before * g / 2 + g * g / 6);
    before += g;
  }
  return left;
}

std::vector<Quad> palindrome(const QuadVector& g, Quad g4) {
  const Quad g5 = 1 - 2 * (g[0] + g[1] + g[2] + g4);
  return {g[0], g[1], g[2], g4, g5, g4, g[2], g[1], g[0]};
}

}  // namespace

std::vector<Quad> nine_shares() {
  // Kahan and Li's solution has one free parameter, g4; the others follow by Newton's method from its first digits.
  const Quad g4 = 0.08221359629355080, small = 1e-17;
  QuadVector g{0.392161444, 0.332599137, -0.706246173};
  for (int round = 0; round < 6; ++round) {
    const QuadVector left = order_6_conditions(palindrome(g, g4));
    QuadMatrix J(3, QuadVector(3)), right(3, QuadVector(1));
    for (int j = 0; j < 3; ++j) {
      QuadVector moved = g;
      moved[j] += small;
      const QuadVector there = order_6_conditions(palindrome(moved, g4));
      for (int i = 0; i < 3; ++i) J[i][j] = (there[i] - left[i]) / small;
    }
    for (int i = 0; i < 3; ++i) right[i][0] = -left[i];
    const QuadMatrix step = solve(J, right);
    for (int i = 0; i < 3; ++i) g[i] += step[i][0];
  }
  return palindrome(g, g4);
}

std::function<std::string(const Equations&)> refuses_to_compose(const Method& M) {
  if (M.claims.near_identity) return M.refuses;
  return [refuses = M.refuses, name = M.name](const Equations& e) -> std::string {
    const std::string why = refuses(e);
    if (!why.empty() || (e.g.empty() && e.k.empty())) return why;
    if (e.port)
      return "a step of " + name + " holds the constraints in its middle only, and compositions keep its order";
    return "a step of " + name + " turns velocities across the constraints round, and compositions of such steps " +
           "keep their order; compose the projected variant, or ask for the order: energy_momentum(4)";
  };
}

Claims raised(Claims claims) {
  const int more = claims.symmetric ? 2 : 1;
  for (int* order : {&claims.order_q, &claims.order_v, &claims.order_multiplier}) *order += more;
  return claims;
}

Term method_term(const std::string& name) {
  Term term;
  term.form = Term::Form::name;
  term.text = name;
  return term;
}

MethodFamily composed_family(std::string name, std::string summary, std::string source, std::string orders,
                             std::function<Method(const Method&)> make) {
  MethodFamily family;
  family.name = name;
  family.signature = name + "(M)";
  family.summary = std::move(summary);
  family.source = std::move(source);
  family.orders = std::move(orders);
  family.example = {method_term("true_euler")};
  family.make = [=](const std::vector<Term>& arguments) {
    if (arguments.size() != 1) throw InputError("'" + name + "' takes one method", "write " + name + "(lobatto(2))");
    const Method inner = find_method(arguments[0]);
    Method method = make(inner);
    method.name = name + "(" + inner.name + ")";
    method.tableau = nullptr;
    return method;
  };
  return family;
}

MethodFamily raising_family(std::string name, std::string summary, std::string source,
                            std::vector<Quad> (*shares)(int order)) {
  return composed_family(std::move(name), std::move(summary), std::move(source), "p+2 (M symmetric), p+1",
                         [shares](const Method& M) {
                           Method method = M;
                           method.claims = raised(M.claims);
                           method.refuses = refuses_to_compose(M);
                           method.step = [shares, step = M.step, p = M.claims.order_q](const Equations& e) {
                             return compose(step(e), shares(p));
                           };
                           return method;
                         });
}

}  // namespace alembert::internal
