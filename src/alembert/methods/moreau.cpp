// Moreau's midpoint rule with impacts (Moreau 1988; Jean 1999), on velocity level:
//     ym = y0 + h/2 v(y0,z0) ;  y1* = ym + h/2 v(y1*,z1)
//     M(ym) (z1 - z0) = h (f + r + N)(ym, (z0+z1)/2) + W^T P_N + S^T P_T ,  g' = 0 and k = 0 at (y1*, z1)
//     where the gap is closed at ym, or would be at the end: 0 <= P_N, 0 <= w(z1) + e w(z0), complementary; P_T in the
//     cone on s(z1); with e = 1 and on the mean slip where the step begins at rest
// then the shortest way, in the mass metric, to the nearest position that all constraints allow, which changes no
// velocity and so does no work:
//     y1 = y1* + v_z d ,  M d = G^T mu + W^T mu_N ,  g(y1) = 0 ,  0 <= mu_N, 0 <= gap(y1), complementary
// and the velocities on the constraints and the contacts that are at rest, at y1.

#include "alembert/base/lists.h"
#include "alembert/methods/method.h"
#include "alembert/methods/shared/contact_terms.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal::methods {

namespace {

// Velocities above so many times what the forces add in a step are those of an impact; below, something settles.
const Quad falls_slowly = 4;

class MoreauStep {
 public:
  explicit MoreauStep(const Equations& e)
      : e_(e),
        frame_(e),
        contacts_(e, frame_),
        h_(frame_.step.h),
        tm_(frame_.step.t0 + h_ / Quad(2)),
        t1_(frame_.step.t0 + h_),
        v0_(at(e, e.v, {frame_.step.t0, frame_.y0, frame_.z0})),
        ym_(added(frame_.y0, scaled(h_ / Quad(2), v0_))) {}

  StepPlan plan() {
    velocities();
    positions();
    velocities_at_end();
    tell();
    const Exprs y1 = y1_, z1 = z_end_;
    return frame_.plan(y1, z1);
  }

 private:
  /// p at the new z less p at the old one.
  Exprs change(const Point& from, const Exprs& dz) const {
    if (e_.constant_mass) return at(e_, e_.p, {from.t, from.y, dz});
    return difference(at(e_, e_.p, {from.t, from.y, added(from.z, dz)}), at(e_, e_.p, from));
  }
  void group(std::size_t count, Expr scale) {
    const int first =
        frame_.step.groups.empty() ? 0 : frame_.step.groups.back().first + frame_.step.groups.back().count;
    frame_.step.groups.push_back({first, static_cast<int>(count), scale});
  }
  void equations(const Exprs& values, const std::string& what, const std::vector<std::string>& names,
                 const std::string& where) {
    frame_.equation(values, what, names, where);
  }
  Exprs zeros(int count) const { return Exprs(static_cast<std::size_t>(count), frame_.graph.constant(0)); }

  /// Unknown changes of the velocities with the constraints at the end, and what follows from them.
  struct Motion {
    Exprs dz, dy, lambda, psi, P;
    Exprs z1, y1;
    Exprs increment;  // of y
  };
  Motion unknown_motion(const std::string& name, int impulses) {
    Motion m;
    contacts_.begin_block();
    m.dz = frame_.unknown("dz" + name, frame_.z_dot0, h_);
    group(m.dz.size(), frame_.size_z());
    m.z1 = added(frame_.z0, m.dz);
    // y1* is an equation for itself unless v is free of y.
    if (rates_depend_on_y(e_) || depends(e_.v, Exprs{e_.t})) {
      m.dy = frame_.unknown("dy" + name, v0_, h_);
      group(m.dy.size(), frame_.size_y());
      m.increment = m.dy;
    } else {
      m.increment = scaled(h_ / Quad(2), added(v0_, at(e_, e_.v, {t1_, frame_.y0, m.z1})));
    }
    m.y1 = added(frame_.y0, m.increment);
    m.lambda = frame_.unknown("lambda" + name, frame_.lambda0);
    m.psi = frame_.unknown("psi" + name, frame_.psi0);
    m.P = frame_.unknown("P" + name, zeros(impulses));
    group(m.lambda.size() + m.psi.size() + m.P.size(), Expr());
    return m;
  }

  void motion_equations(const Motion& m) {
    Exprs half;
    for (std::size_t i = 0; i < m.dz.size(); ++i) half.push_back(frame_.z0[i] + m.dz[i] / Quad(2));
    const Point middle{tm_, ym_, half}, end{t1_, m.y1, m.z1};
    Exprs balance = change({tm_, ym_, frame_.z0}, m.dz);
    for (const Exprs& force : {e_.f, e_.r, e_.N})
      balance = difference(balance, scaled(h_, at(e_, force, middle, m.lambda, m.psi)));
    balance = added(balance, scaled(h_, at(e_, inertia(e_), middle)));
    if (!m.P.empty()) balance = difference(balance, contacts_.forces({tm_, ym_, frame_.z0}, m.P));
    equations(balance, "momentum of ", e_.z_names, "");
    if (!m.dy.empty())
      equations(difference(m.dy, scaled(h_ / Quad(2), added(v0_, at(e_, e_.v, end)))), "position of ", e_.y_names, "");
    equations(at(e_, e_.g_dot, end), "velocity of constraint ", e_.g_names, "");
    equations(at(e_, e_.k, end), "constraint ", e_.k_names, "");
  }

  void velocities() {
    // Without contacts: where that would end decides what is closed, so that an impact is met in the step in which it
    // happens, with the velocity before it.
    Exprs closed;
    if (contacts_.any()) {
      const Motion free = unknown_motion("*", 0);
      motion_equations(free);
      const Exprs middle = contacts_.gaps(tm_, ym_), end = contacts_.gaps(t1_, free.y1);
      for (std::size_t i = 0; i < end.size(); ++i) closed.push_back(min(middle[i], end[i]) - contacts_.closed_gap());
      gaps_of_free_ = end;
      rates_of_free_ = contacts_.normals(contacts_.rates({tm_, ym_, free.z1}));
    }
    const Motion m = unknown_motion("", contacts_.rows());
    motion_equations(m);
    z1_ = m.z1;
    P_ = m.P;
    lambda_ = m.lambda;
    psi_ = m.psi;
    increment_ = m.increment;
    y_free_ = m.y1;
    rates0_ = contacts_.rates({tm_, ym_, frame_.z0});
    rates1_ = contacts_.rates({tm_, ym_, z1_});
    law_ = law();
    contacts_.laws(
        {.unknowns = P_, .rates = law_, .closed = closed, .known = {}, .grows = true, .passed = gaps_at_end()});
    frame_.keep(m.lambda, "lambda.", e_.g_names);
  }

  /// The gaps at the end as the velocities there tell.
  Exprs gaps_at_end() const {
    Exprs result = contacts_.gaps(tm_, ym_);
    const Exprs rates = contacts_.normals(rates1_);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = result[i] + h_ / Quad(2) * rates[i];
    return result;
  }

  /// What is closed and at rest follows the midpoint rule, and what sticks does, so that neither takes energy. What
  /// meets the surface by its velocity has an impact; what only falls onto it within the step, or is pushed, may come
  /// down to it, the less the more comes back.
  Exprs law() {
    if (!contacts_.any()) return {};
    const Exprs e = contacts_.restitution(tm_, ym_), gap0 = contacts_.gaps(frame_.step.t0, frame_.y0),
                gap_m = contacts_.gaps(tm_, ym_), before = contacts_.normals(rates0_),
                after = contacts_.normals(rates1_);
    const Exprs still = contacts_.persistent();
    Exprs normal;
    target_.clear();
    for (std::size_t i = 0; i < e.size(); ++i) {
      // What is fast meets the surface by its velocity also where the last bit of the way is what it falls in the step.
      const Expr fast = positive(-before[i] - falls_slowly * abs(rates_of_free_[i] - before[i])) *
                        positive(contacts_.closed_gap() - gaps_of_free_[i]);
      const Expr meets = max(positive(contacts_.closed_gap() - gap0[i] - h_ * before[i]), fast);
      const Expr fall = max(gap_m[i], frame_.graph.constant(0)) * (Quad(2) / h_);
      const Expr impact = e[i] * before[i] + choose(meets, frame_.graph.constant(0), (Quad(1) - e[i]) * fall);
      target_.push_back(choose(still[i], frame_.graph.constant(0), impact));
      normal.push_back(after[i] + choose(still[i], before[i], impact));
    }
    const Exprs stuck = contacts_.no_slip(contacts_.rates({frame_.step.t0, frame_.y0, frame_.z0})),
                rests = contacts_.over_rows(still);
    Exprs rows = rates1_;
    for (std::size_t j = 0; j < rows.size(); ++j) rows[j] = rates1_[j] + where(stuck[j] * rests[j], rates0_[j]);
    return contacts_.with_normals(rows, normal);
  }

  /// 1 where a contact pushes and its gap is at rest behind that, else 0.
  Exprs stays() const {
    Exprs result;
    const Exprs pushes = contacts_.normals(P_);
    for (std::size_t i = 0; i < pushes.size(); ++i)
      result.push_back(positive(pushes[i]) * positive(contacts_.closed_rate() - abs(target_[i])));
    return result;
  }
  static Exprs products(const Exprs& a, const Exprs& b) {
    Exprs result;
    for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] * b[i]);
    return result;
  }

  void positions() {
    y1_ = y_free_;
    if (e_.g.empty() && !contacts_.any()) return;
    contacts_.begin_block();
    const Point end{t1_, y_free_, z1_};
    const Exprs d = frame_.unknown("d", zeros(static_cast<int>(e_.z.size())));
    group(d.size(), frame_.size_y() + abs(h_) * frame_.size_z());
    const Exprs mu = frame_.unknown("mu", zeros(static_cast<int>(e_.g.size())));
    mu_ = frame_.unknown("mu_N", zeros(static_cast<int>(e_.contacts.size())));
    group(mu.size() + mu_.size(), Expr());
    const Exprs moved = difference(at(e_, e_.v, {t1_, y_free_, added(z1_, d)}), at(e_, e_.v, end));
    const Exprs sum_of = added(increment_, moved);
    y1_ = added(frame_.y0, sum_of);
    Exprs balance = difference(change(end, d), contacts_.forces_of_constraints(end, mu));
    if (contacts_.any()) balance = difference(balance, contacts_.forces_of_gaps(end, mu_));
    equations(balance, "correction of ", e_.z_names, "");
    frame_.at_end(e_, e_.g, {t1_, y1_, z1_}, "constraint ", e_.g_names);
    Exprs closed;
    // Those that are near take part: the others would have to be added one after the other. So does what an impact has
    // stopped above the surface, however fast it was: left there, it would fall for many steps until it is closed.
    const Expr near = contacts_.closed_gap() + abs(h_) * frame_.size_z() / Quad(20);
    const Exprs stay = stays(), gaps = contacts_.gaps(t1_, y_free_);
    for (std::size_t i = 0; i < gaps.size(); ++i) closed.push_back(choose(stay[i], -near, gaps[i] - near));
    // What stays closed is pulled back as far as it was pushed.
    contacts_.gap_laws(mu_, scaled(h_, products(stay, contacts_.normals(P_))), contacts_.gaps(t1_, y1_), closed);
  }

  /// On the constraints where they are now, and with contacts that stay closed at rest there.
  void velocities_at_end() {
    z_end_ = z1_;
    if (e_.g.empty() && !contacts_.any()) return;
    contacts_.begin_block();
    const Point end{t1_, y1_, z1_};
    const Exprs d = frame_.unknown("dw", zeros(static_cast<int>(e_.z.size())));
    group(d.size(), frame_.size_z());
    const Exprs nu = frame_.unknown("nu", zeros(static_cast<int>(e_.g.size()))),
                psi = frame_.unknown("psi1", zeros(static_cast<int>(e_.psi.size())));
    more_ = frame_.unknown("P1", zeros(contacts_.rows()));
    group(nu.size() + psi.size() + more_.size(), Expr());
    Exprs dz;
    for (std::size_t i = 0; i < d.size(); ++i) dz.push_back(z1_[i] - frame_.z0[i] + d[i]);
    z_end_ = added(frame_.z0, dz);
    Exprs balance = difference(change(end, d), contacts_.forces_of_constraints(end, nu));
    if (!psi.empty()) balance = difference(balance, at(e_, e_.N, end, frame_.lambda0, psi));
    if (contacts_.any()) balance = difference(balance, contacts_.forces(end, more_));
    equations(balance, "velocity of ", e_.z_names, " at the end");
    const Point last{t1_, y1_, z_end_};
    frame_.at_end(e_, e_.g_dot, last, "velocity of constraint ", e_.g_names);
    frame_.at_end(e_, e_.k, last, "constraint ", e_.k_names);
    if (!contacts_.any()) return;
    Exprs closed;
    for (const Expr one : stays()) closed.push_back(Quad(1) / Quad(2) - one);
    // What slides keeps the direction in which it did.
    const Exprs sticks = contacts_.no_slip(law_), in_middle = contacts_.rates({tm_, ym_, z_end_}),
                rates = contacts_.rates(last);
    const Exprs rows = ContactTerms::chosen(sticks, rates, in_middle);
    contacts_.laws({.unknowns = more_,
                    .rates = contacts_.with_normals(rows, contacts_.normals(rates)),
                    .closed = closed,
                    .known = P_});
  }

  /// What constraints do in the step: where they bend, velocities before and behind an impact are none of the middle.
  Expr work_of_constraints() const {
    Exprs half;
    for (std::size_t i = 0; i < z1_.size(); ++i) half.push_back((frame_.z0[i] + z1_[i]) / Quad(2));
    return h_ * contacts_.power_of_constraints({tm_, ym_, half}, lambda_, psi_);
  }

  /// Positions that were corrected have another potential energy, and constraints do work: the contacts that had
  /// impacts share it. What contacts at rest do to it is an error of the step.
  void tell() {
    if (!contacts_.any()) return;
    Exprs lost = contacts_.losses(P_, rates0_, rates1_);
    const Exprs still = contacts_.persistent(), pushes = contacts_.normals(P_);
    if (e_.energy) {
      const Expr raised = at(e_, {e_.energy}, {t1_, y1_, z1_})[0] - at(e_, {e_.energy}, {t1_, y_free_, z1_})[0];
      contacts_.share(lost, raised, still, mu_);
    }
    contacts_.share(lost, work_of_constraints(), still, pushes);
    const Point end{t1_, y1_, z_end_};
    lost = added(lost, contacts_.losses(more_, contacts_.rates({t1_, y1_, z1_}), contacts_.rates(end)));
    const Exprs supplied = added(contacts_.supplies(P_, contacts_.moving({tm_, ym_, frame_.z0})),
                                 contacts_.supplies(more_, contacts_.moving(end)));
    contacts_.tell(added(P_, more_), lost, supplied, rates0_);
  }

  const Equations& e_;
  Frame frame_;
  ContactTerms contacts_;
  Expr h_, tm_, t1_;
  Exprs v0_, ym_, z1_, z_end_, increment_, y_free_, y1_, P_, lambda_, psi_, mu_, rates0_, rates1_;
  Exprs gaps_of_free_, rates_of_free_;  // without contacts, at the end
  Exprs more_;                          // impulses for the velocities at the end
  Exprs law_;                           // the rates of the laws
  Exprs target_;                        // less the rates behind, of each contact that is not at rest
};

}  // namespace

MethodFamily moreau() {
  MethodFamily family{.name = "moreau",
                      .signature = "moreau",
                      .summary = "time stepping through impacts: Moreau and Jean, positions corrected without work",
                      .source = "Moreau 1988; Jean 1999",
                      .orders = "2, through impacts 1"};
  family.make = [](const std::vector<Term>& arguments) {
    no_arguments("moreau", arguments);
    Method method;
    method.name = "moreau";
    method.claims.set_orders(2);
    method.capabilities.inclusions = true;
    method.step = [](const Equations& e) { return MoreauStep(e).plan(); };
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
