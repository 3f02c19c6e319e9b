#include "alembert/methods/shared/collocation.h"

#include <algorithm>
#include <utility>

#include "alembert/derive/ports/port_equations.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

std::string stage(int i) { return " at stage " + std::to_string(i + 1); }

/// l_0(1), l_1(1), ... of the polynomial through 0 and the stages; a stage at 0 already takes the place of the start.
QuadVector end_weights(const QuadVector& c) {
  if (c.front() == 0) {
    QuadVector weights = lagrange(c, 1);
    weights.insert(weights.begin(), 0);
    return weights;
  }
  QuadVector nodes = c;
  nodes.insert(nodes.begin(), 0);
  return lagrange(nodes, 1);
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
    Exprs from = e_.z_dot, to = D[i];
    const auto put = [&](const Exprs& symbols, const Exprs& values) {
      from.insert(from.end(), symbols.begin(), symbols.end());
      to.insert(to.end(), values.begin(), values.end());
    };
    put({e_.t}, {stage.t});
    put(e_.y, stage.y);
    put(e_.z, stage.z);
    left = substitute(e_.inertial, from, to, frame_.graph);
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

StepPlan collocation_step(const Equations& e, const CollocationScheme& k, ConstraintForm form) {
  const int s = static_cast<int>(k.stages.b.size());
  const std::size_t n_y = e.y.size(), n_z = e.z.size();
  Frame frame(e);
  Graph& graph = frame.graph;
  const Expr t0 = frame.step.t0, h = frame.step.h;
  const bool ggl = form == ConstraintForm::ggl && !e.g.empty();
  const auto count = [&] { return static_cast<int>(frame.step.unknowns.size()); };

  // Unknowns: D_i = h z'_i, E_i = h y'_i (where y' is not given by the z alone), the multipliers, nu_i = h mu_i.
  AccelerationStages stages(e, frame, s);
  const int y_from = count();
  const bool implicit_y = ggl || depends(e.v, e.y);
  std::vector<Exprs> E(s), nu(s);
  const Exprs v0 = at(e, e.v, {t0, frame.y0, frame.z0});
  for (int i = 0; i < s && implicit_y; ++i) E[i] = frame.unknown("E" + std::to_string(i + 1), v0, h);
  const int multipliers_from = count();
  stages.multipliers();
  const Exprs none(e.g.size(), graph.constant(0));
  for (int i = 0; i < s && ggl; ++i) nu[i] = frame.unknown("nu" + std::to_string(i + 1), none);

  std::vector<Point> X(s);
  for (int i = 0; i < s; ++i) X[i] = {t0 + k.stages.c[i] * h, frame.y0, stages.z(k.stages.A[i])};
  for (int i = 0; i < s && !implicit_y; ++i) {
    E[i] = at(e, e.v, X[i]);
    for (Expr& x : E[i]) x = h * x;
  }
  for (int i = 0; i < s; ++i) X[i].y = combined(graph, frame.y0, k.stages.A[i], E);
  const Point end{t0 + h, combined(graph, frame.y0, k.stages.b, E), stages.z(k.stages.b)};

  for (int i = 0; i < s; ++i) frame.equation(stages.row(i, X[i]), "motion of ", e.z_names, stage(i));
  Exprs pushed;  // what mu adds to the energy
  for (int i = 0; i < s && implicit_y; ++i) {
    Exprs left = E[i];
    const Exprs v = at(e, e.v, X[i]);
    for (std::size_t j = 0; j < n_y; ++j) left[j] = left[j] - h * v[j];
    if (ggl) {
      const Exprs push = at(e, transposed_product(e.g, e.y, e.lambda), X[i], nu[i], {});
      for (std::size_t j = 0; j < n_y; ++j) left[j] = left[j] - push[j];
      if (e.energy) pushed.push_back(k.stages.b[i] * dot(at(e, gradient(e.energy, e.y), X[i]), push));
    }
    frame.equation(left, "position of ", e.y_names, stage(i));
  }
  if (form == ConstraintForm::index1) {
    // The rows of the reduced system below the equations of motion: d/dt g_dot = 0, d/dt k = 0, times h.
    const auto first = e.reduced.begin() + static_cast<long>(n_z);
    const Exprs levels(first, first + static_cast<long>(e.g_dot.size() + e.k.size()));
    std::vector<std::string> names = e.g_names;
    names.insert(names.end(), e.k_names.begin(), e.k_names.end());
    for (int i = 0; i < s; ++i) {
      Exprs from = {e.t}, to = {X[i].t};
      const auto put = [&](const Exprs& symbols, const Exprs& values) {
        from.insert(from.end(), symbols.begin(), symbols.end());
        to.insert(to.end(), values.begin(), values.end());
      };
      Exprs rates;
      for (const Expr d : stages.D[i]) rates.push_back(d / h);
      put(e.y, X[i].y);
      put(e.z, X[i].z);
      put(e.z_dot, rates);
      Exprs rows = substitute(levels, from, to, graph);
      for (Expr& x : rows) x = h * x;
      frame.equation(rows, "second derivative of constraint ", names, stage(i));
    }
  } else {
    for (int i = 0; i < s; ++i) {
      const bool last = i == s - 1 && k.c_bar[i] == 1;
      Point x = end;
      if (!last) x = {t0 + k.c_bar[i] * h, combined(graph, frame.y0, k.A_bar[i], E), stages.z(k.A_bar[i])};
      const std::string where = " at point " + std::to_string(i + 1);
      const auto hold = [&](const Exprs& functions, const std::string& what, const std::vector<std::string>& names) {
        if (last) frame.at_end(e, functions, x, what, names);
        else frame.equation(at(e, functions, x), what, names, where);
      };
      if (ggl) hold(e.g, "constraint ", e.g_names);
      hold(e.g_dot, "velocity of constraint ", e.g_names);
      hold(e.k, "constraint ", e.k_names);
    }
  }

  for (int i = 0; i < s && e.port; ++i)
    frame.equation(at(e, e.port->algebraic, X[i], stages.Lambda[i], stages.Psi[i]), "row of ", e.port->algebraic_names,
                   stage(i));

  // Where g = 0 is asked for, rounding in it is rounding of y, and so eps |y| / h in the velocities.
  const Expr size_y = frame.size_y();
  const Expr size_z = ggl ? graph.make(Op::max, frame.size_z(), size_y / abs(h)) : frame.size_z();
  auto& groups = frame.step.groups;
  groups.push_back({0, static_cast<int>(s * n_z), size_z});
  if (implicit_y) groups.push_back({y_from, static_cast<int>(s * n_y), size_y});
  groups.push_back({multipliers_from, count() - multipliers_from, Expr()});

  for (int i = 0; i < s; ++i) frame.keep(stages.Psi[i], "Psi" + std::to_string(i + 1) + ".", e.psi_names);
  for (int i = 0; i < s; ++i) frame.keep(stages.Lambda[i], "Lambda" + std::to_string(i + 1) + ".", e.g_names);
  const QuadVector gamma = end_weights(k.stages.c);
  frame.carry(frame.lambda0, gamma, stages.Lambda, "lambda.", e.g_names);
  frame.carry(frame.psi0, gamma, stages.Psi, "psi.", e.psi_names);
  frame.step.energy_change = stages.energy_change(k.stages.b, X);
  if (e.port) {
    frame.step.dissipated = stages.integral(e.port->dissipated, k.stages.b, X);
    frame.step.supplied = stages.integral(e.port->supplied, k.stages.b, X);
  }
  if (!pushed.empty()) frame.step.energy_change = frame.step.energy_change + sum(graph, pushed);
  return frame.plan(end.y, end.z);
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

MethodFamily collocation_family(std::string name, std::string summary, std::string source, std::string orders,
                                int least, int normal, bool choose_form, ConstraintForm form,
                                std::function<CollocationScheme(int)> scheme,
                                std::function<Claims(int, ConstraintForm)> claims) {
  MethodFamily family;
  family.name = name;
  family.signature = name + (choose_form ? "(s, form)" : "(s)");
  family.summary = std::move(summary);
  family.source = std::move(source);
  family.orders = std::move(orders);
  family.make = [=](std::vector<Term> arguments) {
    ConstraintForm chosen = form;
    if (choose_form && arguments.size() == 2) {
      chosen = form_argument(name, arguments[1]);
      arguments.pop_back();
    }
    const int s = stages_argument(name, arguments, least, normal);
    Method method;
    method.name = name + "(" + std::to_string(s);
    if (chosen != form) method.name += chosen == ConstraintForm::ggl ? ", ggl" : ", index1";
    method.name += ")";
    method.stages = s;
    method.claims = claims(s, chosen);
    method.massless = method.ports = true;
    method.refuses = [](const Equations&) { return std::string(); };
    method.step = [=](const Equations& e) { return collocation_step(e, scheme(s), chosen); };
    method.tableau = [=] { return collocation_tableau(scheme(s)); };
    return method;
  };
  return family;
}

}  // namespace alembert::internal
