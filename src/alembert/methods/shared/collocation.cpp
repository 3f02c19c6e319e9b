#include "alembert/methods/shared/collocation.h"

#include <algorithm>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/derive/work.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

std::string stage(int i) { return " at stage " + std::to_string(i + 1); }

/// l_0(1), l_1(1), ... of the polynomial through 0 and the stages; a stage at 0 already takes the place of the start.
QuadVector end_weights(const QuadVector& c) {
  if (c.front() == 0) return joined<Quad>(Quad(0), lagrange(c, 1));
  return lagrange(joined<Quad>(Quad(0), c), 1);
}

}  // namespace

Exprs combined(Graph& graph, const Exprs& start, const QuadVector& row, const std::vector<Exprs>& values) {
  Exprs result;
  for (std::size_t k = 0; k < start.size(); ++k) {
    Exprs terms;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) terms.push_back(row[j] * values[j][k]);
    result.push_back(start[k] + sum(graph, terms));
  }
  return result;
}

CollocationScheme at_stages(Tableau tableau) {
  CollocationScheme scheme;
  scheme.c_bar = tableau.c;
  scheme.A_bar = tableau.A;
  scheme.stages = std::move(tableau);
  return scheme;
}

CollocationScheme murua_scheme(int s) {
  CollocationScheme scheme;
  scheme.stages = gauss(s);
  const QuadVector points = lobatto_nodes(s + 1).c;
  scheme.c_bar.assign(points.begin() + 1, points.end());
  scheme.A_bar = integrate_lagrange(scheme.stages.c, scheme.c_bar);
  scheme.A_bar.back() = scheme.stages.b;
  return scheme;
}

AccelerationStages::AccelerationStages(const Equations& e, Frame& frame, int s)
    : D(s), e_(e), frame_(frame), inertia_(inertia(e)) {
  for (int i = 0; i < s; ++i) D[i] = frame.unknown("D" + std::to_string(i + 1), frame.z_dot0, frame.step.h);
}

void AccelerationStages::multipliers() {
  for (std::size_t i = 0; i < D.size(); ++i) Psi.push_back(frame_.unknown("Psi" + std::to_string(i + 1), frame_.psi0));
  for (std::size_t i = 0; i < D.size(); ++i)
    Lambda.push_back(frame_.unknown("Lambda" + std::to_string(i + 1), frame_.lambda0));
}

Exprs AccelerationStages::z(const QuadVector& row) const { return combined(frame_.graph, frame_.z0, row, D); }

Exprs AccelerationStages::row(int i, const Point& stage) const {
  Exprs left;
  if (e_.constant_mass) {
    left = at(e_, e_.p, {stage.t, stage.y, D[i]});
  } else {
    left = substitute(e_.inertial, joined<Expr>(e_.z_dot, e_.t, e_.y, e_.z),
                      joined<Expr>(D[i], stage.t, stage.y, stage.z), frame_.graph);
  }
  const Exprs inertia_here = at(e_, inertia_, stage), f = at(e_, e_.f, stage);
  const Exprs N = at(e_, e_.N, stage, Lambda[i], Psi[i]), r = at(e_, e_.r, stage, Lambda[i], Psi[i]);
  for (std::size_t k = 0; k < left.size(); ++k)
    left[k] = left[k] - frame_.step.h * (f[k] - inertia_here[k] + N[k] + r[k]);
  return left;
}

Expr AccelerationStages::energy_change(const QuadVector& b, const std::vector<Point>& stages) const {
  return e_.energy ? integral(power(e_), b, stages) : Expr();
}

Expr AccelerationStages::integral(Expr power, const QuadVector& b, const std::vector<Point>& stages) const {
  Exprs terms;
  for (std::size_t i = 0; i < stages.size(); ++i)
    terms.push_back(b[i] * at(e_, Exprs{power}, stages[i], Lambda[i], Psi[i])[0]);
  return frame_.step.h * sum(frame_.graph, terms);
}

namespace {

/// Unknowns: D_i = h z'_i, E_i = h y'_i (where y' is not given by the z alone), the multipliers, nu_i = h mu_i.
class CollocationStep {
 public:
  CollocationStep(const Equations& equations, const CollocationScheme& scheme, ConstraintForm form);
  StepPlan plan();

 private:
  int count() const { return static_cast<int>(frame_.step.unknowns.size()); }
  void make_stages();
  void add_positions();
  void add_index1_constraints();
  void add_constraints();
  void add_algebraic_rows();
  void add_scales();
  void keep_multipliers();
  void add_energy();
  void add_series();

  const Equations& e_;
  const CollocationScheme& k_;
  const ConstraintForm form_;
  const int s_;
  Frame frame_;
  Graph& graph_;
  const Expr t0_, h_;
  const bool ggl_;         // mu is there
  const bool implicit_y_;  // E is unknown
  AccelerationStages stages_;
  int y_from_ = 0, multipliers_from_ = 0, multipliers_end_ = 0;
  std::vector<Exprs> E_, nu_;
  std::vector<Point> X_;  // the stages
  Point end_;
  Exprs pushed_;  // what mu adds to the energy
};

CollocationStep::CollocationStep(const Equations& e, const CollocationScheme& scheme, ConstraintForm form)
    : e_(e),
      k_(scheme),
      form_(form),
      s_(static_cast<int>(scheme.stages.b.size())),
      frame_(e),
      graph_(frame_.graph),
      t0_(frame_.step.t0),
      h_(frame_.step.h),
      ggl_(form == ConstraintForm::ggl && !e.g.empty()),
      implicit_y_(ggl_ || rates_depend_on_y(e)),
      stages_(e, frame_, s_),
      E_(s_),
      nu_(s_),
      X_(s_) {
  y_from_ = count();
  const Exprs v0 = at(e, e.v, {t0_, frame_.y0, frame_.z0});
  for (int i = 0; i < s_ && implicit_y_; ++i) E_[i] = frame_.unknown("E" + std::to_string(i + 1), v0, h_);
  multipliers_from_ = count();
  stages_.multipliers();
  const Exprs none(e.g.size(), graph_.constant(0));
  for (int i = 0; i < s_ && ggl_; ++i) nu_[i] = frame_.unknown("nu" + std::to_string(i + 1), none);
  multipliers_end_ = count();
}

void CollocationStep::make_stages() {
  const Tableau& tableau = k_.stages;
  for (int i = 0; i < s_; ++i) X_[i] = {t0_ + tableau.c[i] * h_, frame_.y0, stages_.z(tableau.A[i])};
  for (int i = 0; i < s_ && !implicit_y_; ++i) {
    E_[i] = at(e_, e_.v, X_[i]);
    for (Expr& x : E_[i]) x = h_ * x;
  }
  for (int i = 0; i < s_; ++i) {
    X_[i].y = combined(graph_, frame_.y0, tableau.A[i], E_);
    frame_.settle(e_, X_[i].t, X_[i].y, stage(i));
  }
  end_ = {t0_ + h_, combined(graph_, frame_.y0, tableau.b, E_), stages_.z(tableau.b)};
  frame_.settle_end(e_, end_.y);
}

/// E_i = h v(X_i), with h g_y^T mu_i beside it in the form of Gear, Gupta and Leimkuhler.
void CollocationStep::add_positions() {
  const Exprs one{e_.graph->constant(1)};
  const Exprs E_y = e_.energy ? total_transposed_product(e_, Exprs{e_.energy}, one) : Exprs();
  for (int i = 0; i < s_ && implicit_y_; ++i) {
    Exprs left = E_[i];
    const Exprs v = at(e_, e_.v, X_[i]);
    for (std::size_t j = 0; j < left.size(); ++j) left[j] = left[j] - h_ * v[j];
    if (ggl_) {
      const Exprs push = at(e_, total_transposed_product(e_, e_.g, e_.lambda), X_[i], nu_[i], {});
      for (std::size_t j = 0; j < left.size(); ++j) left[j] = left[j] - push[j];
      if (e_.energy) pushed_.push_back(k_.stages.b[i] * dot(at(e_, E_y, X_[i]), push));
    }
    frame_.equation(left, "position of ", e_.y_names, stage(i));
  }
}

/// The rows of the reduced system below the equations of motion: d/dt g_dot = 0, d/dt k = 0, times h.
void CollocationStep::add_index1_constraints() {
  const auto first = e_.reduced.begin() + static_cast<long>(e_.z.size());
  const Exprs levels(first, first + static_cast<long>(e_.g_dot.size() + e_.k.size()));
  const std::vector<std::string> names = joined<std::string>(e_.g_names, e_.k_names);
  const Exprs from = joined<Expr>(e_.t, e_.y, e_.z, e_.z_dot);
  for (int i = 0; i < s_; ++i) {
    Exprs rates;
    for (const Expr d : stages_.D[i]) rates.push_back(d / h_);
    const Exprs to = joined<Expr>(X_[i].t, X_[i].y, X_[i].z, rates);
    Exprs rows = substitute(levels, from, to, graph_);
    for (Expr& x : rows) x = h_ * x;
    frame_.equation(rows, "second derivative of constraint ", names, stage(i));
  }
}

/// g_dot = 0, k = 0 (and g = 0 beside mu) at the points of the scheme.
void CollocationStep::add_constraints() {
  for (int i = 0; i < s_; ++i) {
    const bool last = i == s_ - 1 && k_.c_bar[i] == 1;
    Point x = end_;
    const std::string where = " at point " + std::to_string(i + 1);
    if (!last) {
      x = {t0_ + k_.c_bar[i] * h_, combined(graph_, frame_.y0, k_.A_bar[i], E_), stages_.z(k_.A_bar[i])};
      frame_.settle(e_, x.t, x.y, where);
    }
    const auto hold = [&](const Exprs& functions, const std::string& what, const std::vector<std::string>& names) {
      if (last) frame_.at_end(e_, functions, x, what, names);
      else frame_.equation(at(e_, functions, x), what, names, where);
    };
    if (ggl_) hold(e_.g, "constraint ", e_.g_names);
    hold(e_.g_dot, "velocity of constraint ", e_.g_names);
    hold(e_.k, "constraint ", e_.k_names);
  }
}

void CollocationStep::add_algebraic_rows() {
  for (int i = 0; i < s_ && e_.port; ++i)
    frame_.equation(at(e_, e_.port->algebraic, X_[i], stages_.Lambda[i], stages_.Psi[i]), "row of ",
                    e_.port->algebraic_names, stage(i));
}

void CollocationStep::add_scales() {
  // Where g = 0 is asked for, rounding in it is rounding of y, and so eps |y| / h in the velocities.
  const Expr size_y = frame_.size_y();
  const Expr size_z = ggl_ ? graph_.make(Op::max, frame_.size_z(), size_y / abs(h_)) : frame_.size_z();
  auto& groups = frame_.step.groups;
  groups.push_back({0, y_from_, size_z});
  if (implicit_y_) groups.push_back({y_from_, multipliers_from_ - y_from_, size_y});
  groups.push_back({multipliers_from_, multipliers_end_ - multipliers_from_, Expr()});
}

void CollocationStep::keep_multipliers() {
  for (int i = 0; i < s_; ++i) frame_.keep(stages_.Psi[i], "Psi" + std::to_string(i + 1) + ".", e_.psi_names);
  for (int i = 0; i < s_; ++i) frame_.keep(stages_.Lambda[i], "Lambda" + std::to_string(i + 1) + ".", e_.g_names);
  const QuadVector gamma = end_weights(k_.stages.c);
  frame_.carry(frame_.lambda0, gamma, stages_.Lambda, "lambda.", e_.g_names);
  frame_.carry(frame_.psi0, gamma, stages_.Psi, "psi.", e_.psi_names);
}

void CollocationStep::add_energy() {
  StepEquations& step = frame_.step;
  step.energy_change = stages_.energy_change(k_.stages.b, X_);
  if (e_.port) {
    step.dissipated = stages_.integral(e_.port->dissipated, k_.stages.b, X_);
    step.supplied = stages_.integral(e_.port->supplied, k_.stages.b, X_);
  }
  if (e_.energy && !e_.port && !conserves_energy(e_))
    for (const Expr power : work_powers(e_)) step.work.push_back(stages_.integral(power, k_.stages.b, X_));
  if (!pushed_.empty()) step.energy_change = step.energy_change + sum(graph_, pushed_);
}

/// Where the stages lie; with contact points, which are unknowns of their own, nothing is said.
void CollocationStep::add_series() {
  if (!e_.auxiliary.empty()) return;
  int first = 0;
  const auto series = [&](int state, std::size_t count) {
    StageSeries one{state, state >= 0, static_cast<int>(count), {}, {}};
    for (int i = 0; i < s_; ++i) {
      one.first.push_back(first);
      one.nodes.push_back(static_cast<double>(k_.stages.c[i]));
      first += one.count;
    }
    if (count > 0) frame_.step.series.push_back(one);
  };
  series(static_cast<int>(e_.y.size()), e_.z.size());
  if (implicit_y_) series(0, e_.y.size());
  series(-1, frame_.psi0.size());
  series(-1, frame_.lambda0.size());
  if (ggl_) series(-1, e_.g.size());
}

StepPlan CollocationStep::plan() {
  make_stages();
  for (int i = 0; i < s_; ++i) frame_.equation(stages_.row(i, X_[i]), "motion of ", e_.z_names, stage(i));
  add_positions();
  if (form_ == ConstraintForm::index1) add_index1_constraints();
  else add_constraints();
  add_algebraic_rows();
  add_scales();
  keep_multipliers();
  add_energy();
  add_series();
  return frame_.plan(end_.y, end_.z);
}

}  // namespace

StepPlan collocation_step(const Equations& e, const CollocationScheme& scheme, ConstraintForm form) {
  return CollocationStep(e, scheme, form).plan();
}

std::string collocation_tableau(const CollocationScheme& k) {
  std::string text = table_text("c", {k.stages.c}) + table_text("b", {k.stages.b}) + table_text("A", k.stages.A);
  if (k.A_bar == k.stages.A) return text;
  return text + table_text("c- (points of the constraints)", {k.c_bar}) + table_text("A- (values there)", k.A_bar);
}

namespace {

ConstraintForm form_argument(const std::string& family, const Term& term) {
  const std::string text = print(term);
  if (text == "index1") return ConstraintForm::index1;
  if (text == "index2") return ConstraintForm::index2;
  if (text == "ggl") return ConstraintForm::ggl;
  throw InputError({Diagnostic{nullptr, term.place, "'" + text + "' is not a form of the constraints",
                               "write " + family + "(s, index1), (s, index2) or (s, ggl)"}});
}

}  // namespace

Capabilities collocation_capabilities() {
  Capabilities capabilities;
  capabilities.port_hamiltonian = true;
  capabilities.massless = true;
  capabilities.contact_points = true;
  return capabilities;
}

namespace {

/// Without holonomic constraints the forms are all the same: whoever chose one should know.
std::string no_constraints(const Equations& e, ConstraintForm form) {
  const bool same = form == ConstraintForm::ggl ? e.g.empty() : e.g.empty() && e.k.empty();
  if (form == ConstraintForm::index2 || !same) return "";
  return "there are no constraints whose form could be chosen: this is the method on the equations as they are";
}

Method collocation_method(std::string name, const CollocationScheme& scheme, ConstraintForm form,
                          const Claims& claims) {
  Method method;
  method.name = std::move(name);
  method.stages = static_cast<int>(scheme.stages.b.size());
  method.claims = claims;
  method.capabilities = collocation_capabilities();
  if (form == ConstraintForm::ggl) {
    // There is no g that mu could hold: rows of the system that came from G v = 0 do not say of what they are the rate.
    method.capabilities.port_hamiltonian = false;
    method.port_reason =
        "the form of Gear, Gupta and Leimkuhler holds g and its derivative, and a port-Hamiltonian system has rows "
        "only: write both levels into the system, as `ggl` does for a mechanical model";
  }
  method.remark = [=](const Equations& e) { return no_constraints(e, form); };
  method.step = [=](const Equations& e) { return collocation_step(e, scheme, form); };
  method.tableau = [=] { return collocation_tableau(scheme); };
  return method;
}

std::string form_text(ConstraintForm form) {  // as an argument; nothing for the default
  switch (form) {
    case ConstraintForm::index1: return ", index1";
    case ConstraintForm::index2: return "";
    case ConstraintForm::ggl: return ", ggl";
  }
  return "";
}

}  // namespace

Claims stiffly_accurate_claims(int order, ConstraintForm form) {
  Claims claims;
  claims.set_orders(order);
  claims.position = form == ConstraintForm::ggl;
  claims.velocity = claims.nonholonomic = form != ConstraintForm::index1;
  return claims;
}

MethodFamily collocation_family(MethodFamily family, ConstraintForm form,
                                const std::function<CollocationScheme(int)>& scheme,
                                const std::function<Claims(int)>& claims) {
  family.signature = family.name + "(s)";
  family.make = [=](const std::vector<Term>& arguments) {
    const int s = stages_argument(family, arguments);
    return collocation_method(family.name + "(" + std::to_string(s) + ")", scheme(s), form, claims(s));
  };
  return family;
}

MethodFamily collocation_family_of_forms(MethodFamily family, const std::function<CollocationScheme(int)>& scheme,
                                         const std::function<Claims(int, ConstraintForm)>& claims) {
  family.signature = family.name + "(s, form)";
  const std::string usual = family.name + "(" + std::to_string(family.usual_stages);
  if (family.samples.empty())
    family.samples = {family.name + "(" + std::to_string(family.least_stages) + ")", usual + ")", usual + ", index1)",
                      usual + ", ggl)"};
  family.make = [=](std::vector<Term> arguments) {
    ConstraintForm form = ConstraintForm::index2;
    if (arguments.size() == 2) {
      form = form_argument(family.name, arguments[1]);
      arguments.pop_back();
    }
    const int s = stages_argument(family, arguments);
    return collocation_method(family.name + "(" + std::to_string(s) + form_text(form) + ")", scheme(s), form,
                              claims(s, form));
  };
  return family;
}

}  // namespace alembert::internal
