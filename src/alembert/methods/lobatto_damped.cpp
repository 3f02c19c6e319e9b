// Lobatto IIIA-IIIB with the velocities of forces and of nonholonomic constraints taken from Lobatto IIIC, which is
// stiffly accurate: damped coordinates may have any mass down to 0. Without forces of velocity, and with constant mass,
// this is lobatto(s).
//     Q_i = q0 + h sum a_ij v(Q_j, V_j)        (IIIA)      V_i = v0 + h sum ah_ij v'_j   (IIIB)
//     M v'_i = f(Q_i, C_i) + N + r             C_i = v0 + h sum ac_ij v'_j               (IIIC)
//     g(Q_i) = 0, i = 2..s ;  g_t + g_q v = 0 at the end ;  k(Q_i, C_i) = 0
// Order 2s-2. Remedy for the failure that Symank 2025, section 7.3.3, reports of J-PRK.

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

namespace {

StepPlan step(const Equations& e, int s) {
  const Tableau A = lobatto_iiia(s), B = lobatto_iiib(s), C = lobatto_iiic(s);
  Frame frame(e);
  Graph& graph = frame.graph;
  const Expr t0 = frame.step.t0, h = frame.step.h;
  AccelerationStages stages(e, frame, s);
  const int y_from = static_cast<int>(frame.step.unknowns.size());
  const bool implicit_y = rates_depend_on_y(e);
  std::vector<Exprs> E(s);
  const Exprs v0 = at(e, e.v, {t0, frame.y0, frame.z0});
  for (int i = 0; i < s && implicit_y; ++i) E[i] = frame.unknown("E" + std::to_string(i + 1), v0, h);
  const int multipliers_from = static_cast<int>(frame.step.unknowns.size());
  stages.multipliers();
  const int multipliers_end = static_cast<int>(frame.step.unknowns.size());

  const auto stage = [](int i) { return " at stage " + std::to_string(i + 1); };
  std::vector<Point> V(s), X(s);  // with velocities of IIIB, of IIIC
  for (int i = 0; i < s; ++i) V[i] = {t0 + A.c[i] * h, frame.y0, stages.z(B.A[i])};
  for (int i = 0; i < s && !implicit_y; ++i) {
    E[i] = at(e, e.v, V[i]);
    for (Expr& x : E[i]) x = h * x;
  }
  for (int i = 0; i < s; ++i) {
    V[i].y = combined(graph, frame.y0, A.A[i], E);
    if (i + 1 < s) frame.settle(e, V[i].t, V[i].y, stage(i));
    else frame.settle_end(e, V[i].y);
    X[i] = {V[i].t, V[i].y, stages.z(C.A[i])};
  }
  const Point end{t0 + h, X[s - 1].y, stages.z(A.b)};

  for (int i = 0; i < s; ++i) frame.equation(stages.row(i, X[i]), "motion of ", e.z_names, stage(i));
  for (int i = 0; i < s && implicit_y; ++i) {
    Exprs left = at(e, e.v, V[i]);
    for (std::size_t j = 0; j < left.size(); ++j) left[j] = E[i][j] - h * left[j];
    frame.equation(left, "position of ", e.y_names, stage(i));
  }
  for (int i = 1; i + 1 < s; ++i) frame.equation(at(e, e.g, X[i]), "constraint ", e.g_names, stage(i));
  frame.at_end(e, e.g, end, "constraint ", e.g_names);
  frame.at_end(e, e.g_dot, end, "velocity of constraint ", e.g_names);
  for (int i = 0; i + 1 < s; ++i) frame.equation(at(e, e.k, X[i]), "constraint ", e.k_names, stage(i));
  frame.at_end(e, e.k, end, "constraint ", e.k_names);

  const Expr size_y = frame.size_y();
  const Expr size_z = e.g.empty() ? frame.size_z() : graph.make(Op::max, frame.size_z(), size_y / abs(h));
  auto& groups = frame.step.groups;
  groups.push_back({0, y_from, size_z});
  if (implicit_y) groups.push_back({y_from, multipliers_from - y_from, size_y});
  groups.push_back({multipliers_from, multipliers_end - multipliers_from, Expr()});
  for (int i = 0; i < s; ++i) frame.keep(stages.Psi[i], "Psi" + std::to_string(i + 1) + ".", e.k_names);
  for (int i = 0; i < s; ++i) frame.keep(stages.Lambda[i], "Lambda" + std::to_string(i + 1) + ".", e.g_names);
  return frame.plan(end.y, end.z);
}

}  // namespace

MethodFamily lobatto_damped() {
  MethodFamily family{
      .name = "lobatto_damped",
      .signature = "lobatto_damped(s)",
      .summary = "Lobatto IIIA-IIIB, velocities of forces from IIIC; damped coordinates may be without mass",
      .source = "J-PRK of Symank 2025 with IIIC velocities",
      .orders = "2s-2",
      .least_stages = 2,
      .usual_stages = 3};
  family.make = [family](const std::vector<Term>& arguments) {
    const int s = stages_argument(family, arguments);
    Method method;
    method.name = "lobatto_damped(" + std::to_string(s) + ")";
    method.stages = s;
    method.claims.set_orders(2 * s - 2);
    method.capabilities.massless = true;
    method.capabilities.contact_points = true;
    method.step = [s](const Equations& e) { return step(e, s); };
    method.tableau = [s] {
      return table_text("c", {lobatto_iiia(s).c}) + table_text("b", {lobatto_iiia(s).b}) +
             table_text("A (positions, IIIA)", lobatto_iiia(s).A) +
             table_text("A^ (velocities of positions, IIIB)", lobatto_iiib(s).A) +
             table_text("A* (velocities of forces, IIIC)", lobatto_iiic(s).A);
    };
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
