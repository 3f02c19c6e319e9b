#include "alembert/methods/shared/euler.h"

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/methods/shared/contact_terms.h"

namespace alembert::internal {

namespace {

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

EulerStep::EulerStep(const Equations& e, bool conjugate, Quad a)
    : e_(e), conjugate_(conjugate), a_(a), frame_(e), contacts_(e, frame_) {
  h = frame_.step.h;
  t1_ = frame_.step.t0 + h;
  const auto unknown_z1 = [&] { dz_ = frame_.unknown("dz", frame_.z_dot0, h); };
  contacts_.free_motion();
  contacts_.begin_block();
  dZ_ = frame_.unknown("dZ", frame_.z_dot0, h);
  if (!contacts_.any()) unknown_z1();
  Z_ = added(frame_.z0, dZ_);
  // Conjugate: y1 = y0 + h v(y1, Z) is an equation for y1 unless v is free of y.
  const Exprs v0 = at(e, e.v, {frame_.step.t0, frame_.y0, frame_.z0});
  if (conjugate && (rates_depend_on_y(e) || depends(e.v, Exprs{e.t}))) {
    dy_ = frame_.unknown("dy", v0, h);
    y1_ = added(frame_.y0, dy_);
  } else {
    const Exprs v = at(e, e.v, {frame_.step.t0, frame_.y0, Z_});
    for (std::size_t i = 0; i < v.size(); ++i) y1_.push_back(frame_.y0[i] + h * v[i]);
  }
  const Exprs none(static_cast<std::size_t>(contacts_.rows()), frame_.graph.constant(0));
  first_ = frame_.unknown("S0", joined<Expr>(frame_.lambda0, none));
  if (contacts_.any()) {
    contacts_.begin_block();
    unknown_z1();
  }
  second_ = frame_.unknown("S1", joined<Expr>(frame_.lambda0, none));
  z1_ = added(frame_.z0, dz_);
  S0 = first_;
  S1 = second_;
  // Linear in them the adjoint has the kicks S1 - a S0 in front and a S0 behind: these are the unknowns.
  for (std::size_t i = 0; conjugate && contacts_.any() && i < S0.size(); ++i) {
    S0[i] = second_[i] / a;
    S1[i] = first_[i] + second_[i];
  }
  if (!contacts_.any()) frame_.settle_end(e, y1_);
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
/// r(x, S), with the forces of contacts, which may be those in front of the drift.
Exprs EulerStep::reaction(const Point& x, const Exprs& S, bool front) const {
  const auto own = S.begin() + static_cast<std::ptrdiff_t>(e_.g.size());
  Exprs r = at(e_, e_.r, x, Exprs(S.begin(), own), frame_.psi0);
  if (!contacts_.any()) return r;
  const Exprs impulses(own, S.end());
  const Point behind{t1_, y1_, Z_};
  return added(r, front ? contacts_.forces_in_front(x, behind, impulses) : contacts_.forces(x, impulses));
}
Exprs EulerStep::r0(const Exprs& S) const { return reaction({frame_.step.t0, frame_.y0, frame_.z0}, S, true); }
Exprs EulerStep::r1(const Exprs& S) const { return reaction({t1_, y1_, z1_}, S, false); }

void EulerStep::momentum(const Exprs& left, const std::vector<Scaled>& right, const std::string& where) {
  Exprs balance = left;
  for (const Scaled& term : right)
    for (std::size_t i = 0; i < balance.size(); ++i) balance[i] = balance[i] - term.factor * (h * term.values[i]);
  if (contacts_.any()) balances_.push_back({std::move(balance), where});
  else frame_.equation(balance, "momentum of ", e_.z_names, where);
}

void EulerStep::start_from(bool with_f, Quad r_of_S0, Quad r_of_psi) {
  if (e_.g.empty() || contacts_.any()) return;
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
  if (conjugate_) p_dot = added(p_dot, directional(e_.p, ty, along));
  Exprs v_dot = directional(e_.v, e_.z, W);
  if (conjugate_) v_dot = added(v_dot, directional(e_.v, ty, along));
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

void EulerStep::position() {
  if (dy_.empty()) return;
  Exprs balance = at(e_, e_.v, {t1_, y1_, Z_});
  for (std::size_t i = 0; i < balance.size(); ++i) balance[i] = dy_[i] - h * balance[i];
  frame_.equation(balance, "position of ", e_.y_names, "");
}

/// By what the multipliers are more than those without contacts, where constraints bend.
Expr EulerStep::work_of_constraints() const {
  Exprs front, back;
  for (std::size_t i = 0; i < e_.g.size(); ++i) {
    const Expr first = conjugate_ ? first_[i] : a_ * first_[i], free = contacts_.free_lambda()[i];
    front.push_back(conjugate_ ? first : first - a_ * free);
    back.push_back((conjugate_ ? second_[i] : second_[i] - first) - (conjugate_ ? free : (1 - a_) * free));
  }
  const Expr before = contacts_.power_of_constraints({frame_.step.t0, frame_.y0, Z_}, front, {}),
             behind = contacts_.power_of_constraints({t1_, y1_, Z_}, back, {});
  return h / Quad(2) * (before + behind);
}

/// The rates with which contacts that were not closed leave the surface. Where forces act behind the drift, velocities
/// are half a step ahead of their time, else half a step late: what meets the surface is slower or faster by half of
/// what the forces add in a step, and so is what leaves it. What would not get away from it in the next step stays:
/// else what rests would hop for ever.
Exprs EulerStep::rebound(const Exprs& still) const {
  const Point end{t1_, y1_, z1_};
  const Quad late = Quad(conjugate_ ? 1 : -1) / 2;
  const Expr none = frame_.graph.constant(0);
  const Exprs e = contacts_.restitution(t1_, y1_), meeting = contacts_.meeting(end, late), pull = contacts_.pulls(end);
  Exprs result;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const Expr back = -(e[i] * meeting[i]), leaves = back + pull[i] / Quad(2);
    const Expr behind = choose(positive(leaves), max(back + late * pull[i], none), none);
    result.push_back((Quad(1) - still[i]) * choose(positive(-meeting[i]), behind, back));
  }
  return result;
}

/// What contacts do in the step. What an impact takes is taken with velocities of its own time, as it meets the surface
/// with these: else the books would drift by what forces add in half a step, from impact to impact.
void EulerStep::tell(const Exprs& P0, const Exprs& P1, const Exprs& still) {
  const Point start{frame_.step.t0, frame_.y0, frame_.z0}, kicked{start.t, start.y, Z_}, behind{t1_, y1_, Z_},
      end{t1_, y1_, z1_};
  // The two kicks, as impulses.
  Exprs front, back;
  for (std::size_t i = 0; i < P0.size(); ++i) {
    front.push_back(conjugate_ ? h * P0[i] : a_ * (h * P0[i]));
    back.push_back(conjugate_ ? h * P1[i] : h * P1[i] - front[i]);
  }
  const Exprs first = conjugate_ ? contacts_.pulled(start.z, -1) : start.z,
              last = conjugate_ ? Z_ : contacts_.pulled(Z_, 1);
  const Exprs before =
      contacts_.in_front(contacts_.rates({start.t, start.y, first}), contacts_.rates({t1_, y1_, first}));
  const Exprs after = contacts_.in_front(contacts_.rates(kicked), contacts_.rates(behind));
  Exprs lost = added(contacts_.losses(front, before, after),
                     contacts_.losses(back, contacts_.rates({t1_, y1_, last}), contacts_.rates(end)));
  const Exprs supplied =
      added(contacts_.supplies(front, contacts_.in_front(contacts_.moving(start), contacts_.moving(end))),
            contacts_.supplies(back, contacts_.moving(end)));
  contacts_.share(lost, work_of_constraints(), still, contacts_.normals(added(front, back)));
  contacts_.tell(added(front, back), lost, supplied, contacts_.rates(start));
}

/// psi >= 0, g >= 0, psi g = 0 in place of g = 0 on position level, and its velocity form at the end.
StepPlan EulerStep::close_with_contacts() {
  const int n_z = static_cast<int>(e_.z.size()), n_y = static_cast<int>(dy_.size()),
            n_s = static_cast<int>(first_.size()), begin = contacts_.free_unknowns();
  const auto of_contacts = [&](const Exprs& S) {
    return Exprs(S.begin() + static_cast<std::ptrdiff_t>(e_.g.size()), S.end());
  };
  const Point start{frame_.step.t0, frame_.y0, frame_.z0}, kicked{start.t, start.y, Z_}, behind{t1_, y1_, Z_},
      end{t1_, y1_, z1_};
  const Exprs rates1 = contacts_.rates(end), kicked_rates = contacts_.rates(kicked);
  const auto near = [&](const Exprs& gaps) {
    Exprs closed;
    for (const Expr gap : gaps) closed.push_back(gap - contacts_.closed_gap());
    return closed;
  };
  const Exprs gaps1 = contacts_.gaps(t1_, y1_);
  contacts_.blocks_anew();
  contacts_.block(0);
  contacts_.block(begin);
  frame_.equation(balances_[0].values, "momentum of ", e_.z_names, balances_[0].where);
  position();
  frame_.equation(at(e_, e_.g, end), "constraint ", e_.g_names, " at the end of the step");
  const Exprs P0 = of_contacts(first_), P1 = of_contacts(second_);
  const Exprs still = contacts_.persistent();
  // What rests on a surface that bends or moves away in front of it is led along by the kick in front, which may pull
  // as far as forces press: it is both kicks together that push. Else it would hop in every step. It rubs behind the
  // drift.
  Exprs led, rubs;
  for (std::size_t i = 0; conjugate_ && i < still.size(); ++i) {
    led.push_back(still[i] * contacts_.pressing());
    rubs.push_back(Quad(1) - still[i]);
  }
  const Exprs none(static_cast<std::size_t>(contacts_.rows()), frame_.graph.constant(0));
  contacts_.laws({.unknowns = P0,
                  .rates = contacts_.with_normals(contacts_.in_front(kicked_rates, contacts_.rates(behind)), gaps1),
                  .closed = near(contacts_.gaps(start.t, start.y)),
                  .known = conjugate_ ? contacts_.with_normals(none, led) : Exprs(),
                  .grows = true,
                  .rubs = rubs});
  contacts_.block(begin + n_z + n_y + n_s);
  frame_.equation(balances_[1].values, "momentum of ", e_.z_names, balances_[1].where);
  frame_.equation(at(e_, e_.g_dot, end), "velocity of constraint ", e_.g_names, " at the end of the step");
  const Exprs law = difference(contacts_.normals(rates1), rebound(still));
  contacts_.laws({.unknowns = P1,
                  .rates = contacts_.with_normals(rates1, law),
                  .closed = near(gaps1),
                  .known = conjugate_ ? P0 : Exprs(),
                  .grows = false});
  const Expr size = max(frame_.size_z(), frame_.size_y() / abs(h));
  for (const UnknownGroup& group : std::initializer_list<UnknownGroup>{{0, n_z, size},
                                                                       {n_z, n_y, frame_.size_y()},
                                                                       {n_z + n_y, n_s, Expr()},
                                                                       {n_z + n_y + n_s, n_z, size},
                                                                       {2 * n_z + n_y + n_s, n_s, Expr()}})
    frame_.step.groups.push_back({begin + group.first, group.count, group.scale});
  tell(P0, P1, still);
  return frame_.plan(y1_, z1_);
}

StepPlan EulerStep::close() {
  if (contacts_.any()) return close_with_contacts();
  position();
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
  Exprs first = directional(e.p, e.z, Z_dot), second = added(directional(e.p, e.z, z_dot), directional(e.p, ty, along));
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

MethodFamily euler_family(MethodFamily family, bool natural, std::function<StepPlan(const Equations&, Quad)> step,
                          bool inclusions) {
  family.signature = family.name + "(a)";
  family.orders = "1";
  family.make = [name = family.name, natural, inclusions, step = std::move(step)](const std::vector<Term>& arguments) {
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
    method.capabilities.inclusions = inclusions;
    if (inclusions)
      method.refuses = [a](const Equations& e) -> std::string {
        if (e.contacts.empty()) return "";
        if (!e.auxiliary.empty()) return "beside contacts it solves for no contact points";
        if (!(a > 0)) return "contacts push in the middle of the step only where a is positive";
        return nonlinear_reaction(e) ? "beside contacts it takes reactions that are linear in the multipliers" : "";
      };
    return method;
  };
  return family;
}

}  // namespace alembert::internal
