// RATTLE with unilateral constraints (Breuling, Capobianco, Eugster, Leine 2024). Two half kicks and a drift,
//     p(y0,Z) = p0 + h/2 (f + r(lambda0))(y0,Z) + W^T P0 ,  y1 = y0 + h/2 (v(y0,Z) + v(y1,Z')) ,  p(y1,Z') = p(y0,Z)
//         g(y1) = 0 ,  0 <= P0_N, 0 <= gap(y1), complementary ,  P0_T in the cone on s(y0,Z)
//     p(y1,z1) = p(y1,Z') + h/2 (f + r(lambda1))(y1,Z') + W1^T P1 ,  g'(y1,z1) = 0
//         where the gap at y1 is closed: 0 <= P_N, 0 <= w(z1) + e w-, complementary ; P_T in the cone on s(z1)
// with P = P1, W at y0 and w- = 0 where the contact was closed and at rest when the step began; else P = P0 + P1, the
// whole impulse of an impact, W at y1 for all of it, and w- the rate with which the gap was met. Without contacts it is
// RATTLE, which is lobatto(2).

#include "alembert/base/lists.h"
#include "alembert/methods/shared/contact_terms.h"
#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

namespace {

class NonsmoothRattleStep {
 public:
  explicit NonsmoothRattleStep(const Equations& e)
      : e_(e), frame_(e), contacts_(e, frame_), h_(frame_.step.h), t1_(frame_.step.t0 + h_) {}

  StepPlan plan() {
    contacts_.free_motion();
    drift();
    kick();
    return frame_.plan(y1_, z1_);
  }

 private:
  Exprs zeros(std::size_t count) const { return Exprs(count, frame_.graph.constant(0)); }
  Exprs change(const Point& at_from, const Exprs& dz) const {
    if (e_.constant_mass) return at(e_, e_.p, {at_from.t, at_from.y, dz});
    return difference(at(e_, e_.p, {at_from.t, at_from.y, added(at_from.z, dz)}), at(e_, e_.p, at_from));
  }
  void group(std::size_t count, Expr scale, Expr own = {}) {
    const auto& groups = frame_.step.groups;
    const int first = groups.empty() ? 0 : groups.back().first + groups.back().count;
    frame_.step.groups.push_back({first, static_cast<int>(count), scale, own});
  }
  /// Velocities that follow from positions at the end of the step, which have the rounding of these.
  void group_of_velocities(std::size_t count) {
    const Expr own = frame_.size_z();
    if (e_.g.empty()) return group(count, own);
    group(count, max(own, frame_.size_y() / abs(h_)), own);
  }

  /// The change of velocities by the impulses of contacts alone: they act before and behind the smooth step, and that
  /// is where their work is taken.
  struct Kick {
    Exprs dz, reaction;
  };
  Kick unknown_kick(const std::string& name) {
    Kick kick{frame_.unknown(name, zeros(e_.z.size())), {}};
    group(kick.dz.size(), frame_.size_z());
    kick.reaction = frame_.unknown("reaction to " + name, zeros(e_.g.size()));
    group(kick.reaction.size(), Expr());
    return kick;
  }
  void kick_equations(const Kick& kick, const Point& x, const Exprs& forces) {
    const Exprs by = added(forces, contacts_.forces_of_constraints(x, kick.reaction));
    frame_.equation(difference(change(x, kick.dz), by), "impulse on ", e_.z_names, "");
    const Point kicked{x.t, x.y, added(x.z, kick.dz)};
    frame_.equation(difference(at(e_, e_.g_dot, kicked), at(e_, e_.g_dot, x)), "impulse on constraint ", e_.g_names,
                    "");
  }

  void drift() {
    contacts_.begin_block();
    const Expr half = h_ / Quad(2);
    const Point start{frame_.step.t0, frame_.y0, frame_.z0};
    const Exprs v0 = at(e_, e_.v, start);
    dZ_ = frame_.unknown("dZ", frame_.z_dot0, half);
    group_of_velocities(dZ_.size());
    Z_ = added(frame_.z0, dZ_);
    // The velocities of the same momenta at the end, where they are others.
    Z_end_ = Z_;
    Exprs dZ_end, dy;
    if (!e_.constant_mass) {
      dZ_end = frame_.unknown("dZ'", frame_.z_dot0, half);
      group_of_velocities(dZ_end.size());
      Z_end_ = added(frame_.z0, dZ_end);
    }
    const Point kicked{frame_.step.t0, frame_.y0, Z_};
    const Exprs v_kicked = at(e_, e_.v, kicked);
    if (rates_depend_on_y(e_) || depends(e_.v, Exprs{e_.t}) || !e_.constant_mass) {
      dy = frame_.unknown("dy", v0, h_);
      group(dy.size(), frame_.size_y());
      y1_ = added(frame_.y0, dy);
    } else {
      y1_ = added(frame_.y0, scaled(h_, v_kicked));
    }
    const Kick kicked_by = unknown_kick("c0");
    const Exprs lambda = frame_.unknown("lambda0", frame_.lambda0);
    P0_ = frame_.unknown("P0", zeros(static_cast<std::size_t>(contacts_.rows())));
    group(lambda.size() + P0_.size(), Expr());
    Exprs balance = change(start, dZ_);
    balance = difference(balance, scaled(half, at(e_, e_.f, kicked, lambda, frame_.psi0)));
    balance = difference(balance, scaled(half, at(e_, e_.r, kicked, lambda, frame_.psi0)));
    const Point reached{t1_, y1_, Z_end_};
    const Exprs pushed = contacts_.forces_in_front(start, reached, P0_);
    balance = difference(balance, pushed);
    frame_.equation(balance, "momentum of ", e_.z_names, " in the middle");
    if (!dZ_end.empty())
      frame_.equation(difference(at(e_, e_.p, {t1_, y1_, Z_end_}), at(e_, e_.p, kicked)), "momentum of ", e_.z_names,
                      " behind the middle");
    if (!dy.empty()) {
      const Exprs v1 = at(e_, e_.v, {t1_, y1_, Z_end_});
      frame_.equation(difference(dy, scaled(half, added(v_kicked, v1))), "position of ", e_.y_names, "");
    }
    kick_equations(kicked_by, start, pushed);
    frame_.at_end(e_, e_.g, {t1_, y1_, Z_end_}, "constraint ", e_.g_names);
    frame_.keep(lambda, "S1.", e_.g_names);
    rates0_ = contacts_.rates(start);
    const Exprs z_pushed = added(start.z, kicked_by.dz);
    lost_in_front_ = contacts_.losses(
        P0_, contacts_.in_front(rates0_, contacts_.rates({t1_, y1_, start.z})),
        contacts_.in_front(contacts_.rates({start.t, start.y, z_pushed}), contacts_.rates({t1_, y1_, z_pushed})));
    supplied_in_front_ =
        contacts_.supplies(P0_, contacts_.in_front(contacts_.moving(start), contacts_.moving(reached)));
    const Exprs slips = contacts_.in_front(contacts_.rates(kicked), contacts_.rates(reached));
    Exprs closed;
    for (const Expr gap : contacts_.gaps(start.t, start.y)) closed.push_back(gap - contacts_.closed_gap());
    contacts_.laws({.unknowns = P0_,
                    .rates = contacts_.with_normals(slips, contacts_.gaps(t1_, y1_)),
                    .closed = closed,
                    .grows = true});
  }

  void kick() {
    contacts_.begin_block();
    const Expr half = h_ / Quad(2);
    const Exprs d = frame_.unknown("dz", frame_.z_dot0, half);
    group(d.size(), frame_.size_z());
    const Kick kicked_by = unknown_kick("c1");
    const Exprs lambda = frame_.unknown("lambda1", frame_.lambda0);
    const Exprs P1 = frame_.unknown("P1", zeros(static_cast<std::size_t>(contacts_.rows())));
    group(lambda.size() + P1.size(), Expr());
    const Exprs before = difference(Z_end_, frame_.z0);
    z1_ = added(frame_.z0, added(e_.constant_mass ? dZ_ : before, d));
    const Point middle{t1_, y1_, Z_end_}, end{t1_, y1_, z1_};
    Exprs balance = change(middle, d);
    balance = difference(balance, scaled(half, at(e_, e_.f, middle, lambda, frame_.psi0)));
    balance = difference(balance, scaled(half, at(e_, e_.r, middle, lambda, frame_.psi0)));
    balance = difference(balance, contacts_.forces(middle, P1));
    frame_.equation(balance, "momentum of ", e_.z_names, " at the end");
    kick_equations(kicked_by, middle, contacts_.forces(middle, P1));
    frame_.at_end(e_, e_.g_dot, end, "velocity of constraint ", e_.g_names);
    frame_.keep(lambda, "S2.", e_.g_names);
    const Exprs rates1 = contacts_.rates(end), still = contacts_.persistent(), rows = contacts_.over_rows(still),
                e = contacts_.restitution(t1_, y1_), meeting = contacts_.meeting(end);
    Exprs law = contacts_.normals(rates1), closed, known;
    for (std::size_t i = 0; i < law.size(); ++i) law[i] = law[i] + (Quad(1) - still[i]) * e[i] * meeting[i];
    for (const Expr gap : contacts_.gaps(t1_, y1_)) closed.push_back(gap - contacts_.closed_gap());
    for (std::size_t i = 0; i < P0_.size(); ++i) known.push_back((Quad(1) - rows[i]) * P0_[i]);
    contacts_.laws({.unknowns = P1, .rates = contacts_.with_normals(rates1, law), .closed = closed, .known = known});
    const Exprs before_last = contacts_.rates({t1_, y1_, difference(z1_, kicked_by.dz)});
    const Exprs lost = added(lost_in_front_, contacts_.losses(P1, before_last, rates1)),
                supplied = added(supplied_in_front_, contacts_.supplies(P1, contacts_.moving(end)));
    contacts_.tell(added(P0_, P1), lost, supplied, rates0_);
  }

  const Equations& e_;
  Frame frame_;
  ContactTerms contacts_;
  Expr h_, t1_;
  Exprs dZ_, Z_, Z_end_, y1_, z1_, P0_, rates0_, lost_in_front_, supplied_in_front_;
};

}  // namespace

MethodFamily nonsmooth_rattle() {
  MethodFamily family{.name = "nonsmooth_rattle",
                      .signature = "nonsmooth_rattle",
                      .summary = "RATTLE through impacts: gaps and their rates at rounding while closed",
                      .source = "Breuling, Capobianco, Eugster, Leine 2024",
                      .orders = "2, through impacts 1"};
  family.make = [](const std::vector<Term>& arguments) {
    no_arguments("nonsmooth_rattle", arguments);
    const SparkCoefficients rattle = lobatto_pair(2, lobatto_iiib(2).A);
    Method method;
    method.name = "nonsmooth_rattle";
    method.claims = symplectic_claims(2);
    method.capabilities = spark_capabilities(rattle);
    method.capabilities.inclusions = true;
    method.refuses = [](const Equations& e) -> std::string {
      if (e.contacts.empty()) return "";
      if (!e.auxiliary.empty()) return "beside contacts it solves for no contact points";
      return e.k.empty() ? "" : "beside contacts it takes holonomic constraints only";
    };
    method.step = [rattle](const Equations& e) {
      return e.contacts.empty() ? spark_step(e, rattle) : NonsmoothRattleStep(e).plan();
    };
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
