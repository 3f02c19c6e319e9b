// The discrete-gradient step for port-Hamiltonian systems: with m = (t0 + h/2, (x0 + x1)/2) and D H over the step
// (expr/secant.h),
//     E(m) (x1 - x0) = h [(J - R)(m) zd + (B - P)(m) u] ,   E(m)^T zd = D H ,   y = (B + P)(m)^T zd + (S - N)(m) u
// Rows without derivatives take zd = z(m) with the algebraic states as unknowns. Since zd . E (x1 - x0) = H1 - H0,
//     H1 - H0 = h (u . y - [zd;u]^T W(m) [zd;u])
// holds for every H to rounding; for quadratic H it is the implicit midpoint rule. Order 2, symmetric.
// Gonzalez 1996; Mehrmann and Morandin 2019.

#include <algorithm>

#include "alembert/derive/ports/port_equations.h"
#include "alembert/expr/secant.h"
#include "alembert/methods/method.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal::methods {

namespace {

/// The rows of E that are not zero.
std::vector<int> dynamic_rows(const SparseExprs& E) {
  std::vector<int> rows;
  for (int i = 0; i < E.rows; ++i)
    if (E.row_start[i] < E.row_start[i + 1]) rows.push_back(i);
  return rows;
}

std::string refuses(const Equations& e) {
  if (!e.port) return "it is for port-Hamiltonian systems; energy_momentum does this for the other forms";
  if (depends(e.port->system.H, Exprs{e.t})) return "the Hamiltonian depends on t: make time a state";
  for (const Expr r : e.port->system.r)
    if (!is_zero(r)) return "there is a drift r: write it as part of (J - R) z";
  if (dynamic_rows(e.port->system.E).size() != e.z.size())
    return "rows of the flow matrix E depend on each other: combine them so that the others are 0";
  return "";
}

StepPlan step(const Equations& e) {
  const PortSystem& s = e.port->system;
  const int n = s.size();
  Frame frame(e);
  Graph& graph = frame.graph;
  const Expr t0 = frame.step.t0, h = frame.step.h;
  const std::vector<int> dynamic = dynamic_rows(s.E);
  std::vector<int> column(static_cast<std::size_t>(n), -1);
  for (std::size_t j = 0; j < s.differential.size(); ++j) column[s.differential[j]] = static_cast<int>(j);

  // Unknowns: dx, the algebraic states, and zd - z(m) in the rows where E does not tell it at once.
  const Exprs dx = frame.unknown("dx", frame.z_dot0, h);
  const int psi_from = static_cast<int>(frame.step.unknowns.size());
  const Exprs psi = frame.unknown("psi", frame.psi0);
  Exprs mean, x1;
  for (std::size_t i = 0; i < dx.size(); ++i) {
    mean.push_back(frame.z0[i] + dx[i] / Quad(2));
    x1.push_back(frame.z0[i] + dx[i]);
  }
  const Point m{t0 + h / Quad(2), {}, mean};

  // E(m)^T zd = D H.
  const Exprs DH = alembert::internal::discrete_gradient(s.H, e.z, frame.z0, x1, graph);
  const Exprs E_value = at(e, s.E.value, m, {}, psi);
  Exprs zd = at(e, s.z, m, {}, psi), rest = DH;
  const SparseExprs E_T = transposed(s.E);
  std::vector<int> coupled_rows, coupled_columns;
  for (const int i : dynamic) {
    const int k = s.E.row_start[i];
    const bool alone =
        s.E.row_start[i + 1] == k + 1 && E_T.row_start[s.E.column[k] + 1] == E_T.row_start[s.E.column[k]] + 1;
    if (alone) zd[i] = DH[column[s.E.column[k]]] / E_value[k];
    else coupled_rows.push_back(i);
  }
  const Exprs w = frame.unknown("w", Exprs(coupled_rows.size(), graph.constant(0)));
  for (std::size_t i = 0; i < w.size(); ++i) zd[coupled_rows[i]] = zd[coupled_rows[i]] + w[i];
  std::vector<bool> listed(s.differential.size(), false);
  for (const int i : coupled_rows)
    for (int k = s.E.row_start[i]; k < s.E.row_start[i + 1]; ++k) {
      const int j = column[s.E.column[k]];
      rest[j] = rest[j] - E_value[k] * zd[i];
      if (!listed[j]) coupled_columns.push_back(j);
      listed[j] = true;
    }

  // The right side, with zd in the place of z.
  PortSystem with_zd = s;
  with_zd.z = e.graph->symbols("zd", n);
  const PortRows right = port_rows(with_zd);
  const auto here = [&](const Exprs& functions) {
    Exprs from{e.t}, to{m.t};
    const auto put = [&](const Exprs& symbols, const Exprs& values) {
      from.insert(from.end(), symbols.begin(), symbols.end());
      to.insert(to.end(), values.begin(), values.end());
    };
    put(e.z, m.z), put(e.psi, psi), put(with_zd.z, zd);
    return substitute(functions, from, to, graph);
  };
  const Exprs F = here(right.F);
  for (int i = 0; i < n; ++i) {
    Exprs terms;
    for (int k = s.E.row_start[i]; k < s.E.row_start[i + 1]; ++k)
      terms.push_back(E_value[k] * dx[column[s.E.column[k]]]);
    const Expr row = terms.empty() ? F[i] : sum(graph, terms) - h * F[i];
    frame.equation({row}, "row of ", {flat_name(s.states, i)}, "");
  }
  std::vector<std::string> names;
  for (const int i : s.loops) names.push_back(flat_name(s.inputs, i));
  frame.equation(here(right.loops), "input ", names, "");
  for (const int j : coupled_columns) frame.equation({rest[j]}, "effort of ", {e.z_names[j]}, "");

  auto& groups = frame.step.groups;
  groups.push_back({0, psi_from, frame.size_z()});
  groups.push_back({psi_from, static_cast<int>(frame.step.unknowns.size()) - psi_from, Expr()});
  frame.keep(psi, "mean.", e.psi_names);
  const Exprs powers = here({right.dissipated, right.supplied});
  frame.step.dissipated = h * powers[0], frame.step.supplied = h * powers[1];
  frame.step.energy_change = frame.step.supplied - frame.step.dissipated;
  return frame.plan({}, x1);
}

}  // namespace

MethodFamily discrete_gradient() {
  MethodFamily family;
  family.name = family.signature = "discrete_gradient";
  family.summary = "discrete gradients for port-Hamiltonian systems: the balance of power is exact for every H";
  family.source = "Gonzalez 1996; Mehrmann, Morandin 2019";
  family.orders = "2";
  family.make = [](const std::vector<Term>& arguments) {
    no_arguments("discrete_gradient", arguments);
    Method method;
    method.name = "discrete_gradient";
    method.claims.order_q = method.claims.order_v = method.claims.order_multiplier = 2;
    method.claims.symmetric = method.claims.energy = true;
    method.claims.nonholonomic = method.claims.near_identity = false;
    method.claims.note = "constraints hold in the middle of the steps, not at the grid points";
    method.ports = true;
    method.refuses = refuses;
    method.step = step;
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
