#include "alembert/methods/shared/euler.h"

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

Exprs plus(const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] + b[i]);
  return result;
}

// "1/2", "0.5", "-1": the argument a of a family.
Quad read_fraction(const std::string& family, const std::vector<Term>& arguments) {
  if (arguments.empty()) return Quad(1) / 2;
  const auto wrong = [&] {
    return InputError("'" + family + "' takes one number a, not '" + print(arguments.back()) + "'",
                      "write " + family + "(1/2)");
  };
  if (arguments.size() > 1) throw wrong();
  const std::function<Quad(const Term&)> value = [&](const Term& term) -> Quad {
    Quad number = 0;
    if (term.form == Term::Form::number && read_number(term.text, number)) return number;
    if (term.form == Term::Form::negate) return -value(term.parts[0]);
    if (term.form == Term::Form::chain && term.text == "/") return value(term.parts[0]) / value(term.parts[1]);
    throw wrong();
  };
  const Quad a = value(arguments[0]);
  if (!(a - a == 0)) throw wrong();
  return a;
}

}  // namespace

EulerStep::EulerStep(const Equations& e, bool conjugate) : e_(e), conjugate_(conjugate), frame_(e) {
  h = frame_.step.h;
  t1_ = frame_.step.t0 + h;
  dZ_ = frame_.unknown("dZ", frame_.z_dot0, h);
  dz_ = frame_.unknown("dz", frame_.z_dot0, h);
  Z_ = plus(frame_.z0, dZ_);
  z1_ = plus(frame_.z0, dz_);
  // Conjugate: y1 = y0 + h v(y1, Z) is an equation for y1 unless v is free of y.
  const Exprs v0 = at(e, e.v, {frame_.step.t0, frame_.y0, frame_.z0});
  if (conjugate && (rates_depend_on_y(e) || depends(e.v, Exprs{e.t}))) {
    dy_ = frame_.unknown("dy", v0, h);
    y1_ = plus(frame_.y0, dy_);
  } else {
    const Exprs v = at(e, e.v, {frame_.step.t0, frame_.y0, Z_});
    for (std::size_t i = 0; i < v.size(); ++i) y1_.push_back(frame_.y0[i] + h * v[i]);
  }
  S0 = frame_.unknown("S0", frame_.lambda0);
  S1 = frame_.unknown("S1", frame_.lambda0);
  frame_.settle_end(e, y1_);
  p0_ = at(e, e.p, {frame_.step.t0, frame_.y0, frame_.z0});
}

Exprs EulerStep::change(Expr t, const Exprs& y, const Exprs& z, const Exprs& dz) const {
  Exprs p = at(e_, e_.p, {t, y, e_.constant_mass ? dz : z});
  if (!e_.constant_mass)
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = p[i] - p0_[i];
  return p;
}

Exprs EulerStep::P() const {
  return conjugate_ ? change(t1_, y1_, Z_, dZ_) : change(frame_.step.t0, frame_.y0, Z_, dZ_);
}
Exprs EulerStep::p1() const { return change(t1_, y1_, z1_, dz_); }
Exprs EulerStep::f() const {
  return conjugate_ ? at(e_, e_.f, {t1_, y1_, Z_}) : at(e_, e_.f, {frame_.step.t0, frame_.y0, Z_});
}
Exprs EulerStep::r0(const Exprs& S) const {
  return at(e_, e_.r, {frame_.step.t0, frame_.y0, frame_.z0}, S, frame_.psi0);
}
Exprs EulerStep::r1(const Exprs& S) const { return at(e_, e_.r, {t1_, y1_, z1_}, S, frame_.psi0); }

void EulerStep::momentum(const Exprs& left, const std::vector<Scaled>& right, const std::string& where) {
  Exprs balance = left;
  for (const Scaled& term : right)
    for (std::size_t i = 0; i < balance.size(); ++i) balance[i] = balance[i] - term.factor * (h * term.values[i]);
  frame_.equation(balance, "momentum of ", e_.z_names, where);
}

void EulerStep::start_from(bool with_f, Quad r_of_S0, Quad r_of_psi) {
  if (e_.g.empty()) return;
  Graph& graph = frame_.graph;
  const Point start{frame_.step.t0, frame_.y0, frame_.z0};
  const Exprs Z_dot = graph.symbols("Z'", static_cast<int>(e_.z.size())),
              S = graph.symbols("S", static_cast<int>(e_.g.size()));
  frame_.step.guess_unknowns = joined<Expr>(Z_dot, S);
  // p_z Z' = (f) + factors of r ; conjugate: also p moves along with y.
  Exprs force(e_.z.size(), graph.constant(0));
  const auto add = [&](Quad factor, const Exprs& values) {
    for (std::size_t i = 0; i < force.size(); ++i) force[i] = force[i] + factor * values[i];
  };
  if (with_f) add(1, at(e_, e_.f, start));
  add(r_of_S0, at(e_, e_.r, start, S, frame_.psi0));
  add(r_of_psi, at(e_, e_.r, start, frame_.lambda0, frame_.psi0));
  // Along (1, v, Z') the functions change by their directional derivatives, taken in the model's own symbols.
  Graph& own = *e_.graph;
  const Exprs w = own.symbols("w", static_cast<int>(e_.y.size())), W = own.symbols("W", static_cast<int>(e_.z.size()));
  const Exprs ty = joined<Expr>(e_.t, e_.y), along = joined<Expr>(own.constant(1), w);
  const auto here = [&](const Exprs& function) {  // w = v at the start, W = Z'
    return substitute(function, joined<Expr>(e_.t, e_.y, e_.z, w, W),
                      joined<Expr>(start.t, start.y, start.z, at(e_, e_.v, start), Z_dot), graph);
  };
  Exprs p_dot = directional(e_.p, e_.z, W);
  if (conjugate_) p_dot = plus(p_dot, directional(e_.p, ty, along));
  Exprs v_dot = directional(e_.v, e_.z, W);
  if (conjugate_) v_dot = plus(v_dot, directional(e_.v, ty, along));
  const Exprs g_ww = directional(directional(e_.g, ty, along), ty, along), G_v = directional(e_.g, e_.y, v_dot);
  Exprs level;
  for (std::size_t i = 0; i < e_.g.size(); ++i) level.push_back(g_ww[i] / Quad(2) + G_v[i]);
  Exprs balance = here(p_dot);
  for (std::size_t i = 0; i < balance.size(); ++i) balance[i] = balance[i] - force[i];
  frame_.step.guess_equations = joined<Expr>(balance, here(level));
  // The guesses of dZ and S0 become the guess_unknowns.
  for (std::size_t i = 0; i < e_.z.size(); ++i) frame_.step.guess[i] = h * Z_dot[i];
  const std::size_t from = 2 * e_.z.size() + dy_.size();
  for (std::size_t i = 0; i < e_.g.size(); ++i) frame_.step.guess[from + i] = S[i];
}

StepPlan EulerStep::close() {
  if (!dy_.empty()) {
    Exprs balance = at(e_, e_.v, {t1_, y1_, Z_});
    for (std::size_t i = 0; i < balance.size(); ++i) balance[i] = dy_[i] - h * balance[i];
    frame_.equation(balance, "position of ", e_.y_names, "");
  }
  const Point end{t1_, y1_, z1_};
  frame_.at_end(e_, e_.g, end, "constraint ", e_.g_names);
  frame_.at_end(e_, e_.g_dot, end, "velocity of constraint ", e_.g_names);
  const int n_z = static_cast<int>(e_.z.size()), n_y = static_cast<int>(dy_.size()),
            n_g = static_cast<int>(e_.g.size());
  const Expr size_z = frame_.size_z(), size_y = frame_.size_y();
  const Expr size = n_g > 0 ? frame_.graph.make(Op::max, size_z, size_y / abs(h)) : size_z;
  frame_.step.groups = {{0, 2 * n_z, size}, {2 * n_z, n_y, size_y}, {2 * n_z + n_y, 2 * n_g, Expr()}};
  frame_.keep(S0, "S1.", e_.g_names);
  frame_.keep(S1, "S2.", e_.g_names);
  return frame_.plan(y1_, z1_);
}

ImplicitEquations natural_limit(const Equations& e, Quad a) {
  Graph& graph = *e.graph;
  const int n_y = static_cast<int>(e.y.size()), n_z = static_cast<int>(e.z.size()), n_g = static_cast<int>(e.g.size());
  const Exprs z_dot = graph.symbols("z'", n_z), Z_dot = graph.symbols("Z'", n_z);
  const Exprs S0 = graph.symbols("S0", n_g), S1 = graph.symbols("S1", n_g), w = graph.symbols("w", n_y);
  const Exprs ty = joined<Expr>(e.t, e.y), along = joined<Expr>(graph.constant(1), w);
  const auto with = [&](const Exprs& function, const Exprs& S) { return substitute(function, e.lambda, S, graph); };
  const Exprs r0 = with(e.r, S0), r1 = with(e.r, S1);
  Exprs first = directional(e.p, e.z, Z_dot), second = plus(directional(e.p, e.z, z_dot), directional(e.p, ty, along));
  for (int i = 0; i < n_z; ++i) {
    first[i] = first[i] - e.f[i] - a * r0[i];
    second[i] = second[i] - e.f[i] - a * r0[i] - (1 - a) * r1[i];
  }
  const Exprs g_ww = directional(directional(e.g, ty, along), ty, along);
  Exprs half = directional(e.g, e.y, directional(e.v, e.z, Z_dot)), whole = directional(e.g_dot, e.z, z_dot);
  const Exprs drift = directional(e.g_dot, ty, along);
  for (int i = 0; i < n_g; ++i) {
    half[i] = half[i] + g_ww[i] / Quad(2);
    whole[i] = whole[i] + drift[i];
  }
  ImplicitEquations system;
  system.inputs = joined<Expr>(e.t, e.y, e.z);
  system.unknowns = joined<Expr>(z_dot, Z_dot, S0, S1);
  system.equations = substitute(joined<Expr>(second, first, half, whole), w, e.v, graph);
  system.groups = {{0, 2 * n_z, graph.constant(0)}, {2 * n_z, 2 * n_g, Expr()}};
  return system;
}

bool nonlinear_reaction(const Equations& e) { return depends(jacobian(e.r, e.lambda).value, e.lambda); }

MethodFamily euler_family(MethodFamily family, bool natural, std::function<StepPlan(const Equations&, Quad)> step) {
  family.signature = family.name + "(a)";
  family.orders = "1";
  family.make = [name = family.name, natural, step = std::move(step)](const std::vector<Term>& arguments) {
    const Quad a = read_fraction(name, arguments);
    Method method;
    method.name = name + "(" + to_text(static_cast<double>(a)) + ")";
    method.claims.set_orders(1);
    method.claims.symplectic = true;
    method.claims.nonholonomic = false;  // refused
    method.claims.nonlinear_multiplier = !natural;
    method.capabilities.nonholonomic = false;
    method.capabilities.contact_points = true;
    method.step = [step, a](const Equations& e) { return step(e, a); };
    if (natural)
      method.remark = [name](const Equations& e) {
        return nonlinear_reaction(e)
                   ? name +
                         " is inconsistent here: the reaction is nonlinear in the multiplier, and the "
                         "numbers converge to the solution of another equation"
                   : std::string();
      };
    return method;
  };
  return family;
}

}  // namespace alembert::internal
