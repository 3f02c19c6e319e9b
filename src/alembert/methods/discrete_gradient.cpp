// The discrete-gradient step for port-Hamiltonian systems: with m = (t0 + h/2, (x0 + x1)/2) and D H over the step
// (expr/secant.h),
//     E(m) (x1 - x0) = h [(J - R)(m) zd + (B - P)(m) u] ,   E(m)^T zd = D H ,   y = (B + P)(m)^T zd + (S - N)(m) u
// Rows without derivatives take zd = z(m) with the algebraic states as unknowns. Since zd . E (x1 - x0) = H1 - H0,
//     H1 - H0 = h (u . y - [zd;u]^T W(m) [zd;u])
// holds for every H to rounding; for quadratic H it is the implicit midpoint rule. Order 2, symmetric.
// Gonzalez 1996; Mehrmann and Morandin 2019.

#include "alembert/base/lists.h"
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
  if (depends(e.port->system.H, Exprs{e.t})) return "the Hamiltonian depends on t: make time a state";
  for (const Expr r : e.port->system.r)
    if (!is_zero(r)) return "there is a drift r: write it as part of (J - R) z";
  if (dynamic_rows(e.port->system.E).size() != e.z.size())
    return "rows of the flow matrix E depend on each other: combine them so that the others are 0";
  return "";
}

/// Unknowns: dx, the algebraic states psi, and w = zd - z(m) in the rows where E does not tell zd at once.
class GradientStep {
 public:
  explicit GradientStep(const Equations& equations);
  StepPlan plan();

 private:
  void find_efforts();
  bool alone(int row, const SparseExprs& E_T) const;
  Exprs here(const Exprs& functions) const;
  void add_rows(const PortRows& right);
  void add_powers(const PortRows& right);

  const Equations& e_;
  const PortSystem& s_;
  Frame frame_;
  Graph& graph_;
  const Expr t0_, h_;
  std::vector<int> column_;  // the number of a state among the differential ones; -1 for the others
  Exprs dx_, psi_, x1_;
  int psi_from_ = 0;
  Point m_;  // the mean point
  Exprs E_;  // values of E there
  Exprs zd_;
  Exprs effort_rows_;  // E(m)^T zd - D H in the columns where zd is not told at once
  std::vector<int> coupled_columns_;
  PortSystem with_zd_;  // zd as symbols in the place of z
};

GradientStep::GradientStep(const Equations& e)
    : e_(e),
      s_(e.port->system),
      frame_(e),
      graph_(frame_.graph),
      t0_(frame_.step.t0),
      h_(frame_.step.h),
      column_(static_cast<std::size_t>(s_.size()), -1),
      with_zd_(s_) {
  for (std::size_t j = 0; j < s_.differential.size(); ++j) column_[s_.differential[j]] = static_cast<int>(j);
  dx_ = frame_.unknown("dx", frame_.z_dot0, h_);
  psi_from_ = static_cast<int>(frame_.step.unknowns.size());
  psi_ = frame_.unknown("psi", frame_.psi0);
  Exprs mean;
  for (std::size_t i = 0; i < dx_.size(); ++i) {
    mean.push_back(frame_.z0[i] + dx_[i] / Quad(2));
    x1_.push_back(frame_.z0[i] + dx_[i]);
  }
  m_ = {t0_ + h_ / Quad(2), {}, mean};
  with_zd_.z = e.graph->symbols("zd", s_.size());
}

/// Whether a row of E has one entry, and its column no other: then zd = D H / E there.
bool GradientStep::alone(int row, const SparseExprs& E_T) const {
  const int k = s_.E.row_start[row];
  const int column = s_.E.column[k];
  return s_.E.row_start[row + 1] == k + 1 && E_T.row_start[column + 1] == E_T.row_start[column] + 1;
}

/// E(m)^T zd = D H.
void GradientStep::find_efforts() {
  const Exprs DH = discrete_derivative(s_.H, e_.z, frame_.z0, x1_, graph_);
  E_ = at(e_, s_.E.value, m_, {}, psi_);
  zd_ = at(e_, s_.z, m_, {}, psi_);
  const SparseExprs E_T = transposed(s_.E);
  std::vector<int> coupled_rows;
  for (const int i : dynamic_rows(s_.E)) {
    const int k = s_.E.row_start[i];
    if (alone(i, E_T)) zd_[i] = DH[column_[s_.E.column[k]]] / E_[k];
    else coupled_rows.push_back(i);
  }
  const Exprs w = frame_.unknown("w", Exprs(coupled_rows.size(), graph_.constant(0)));
  for (std::size_t i = 0; i < w.size(); ++i) zd_[coupled_rows[i]] = zd_[coupled_rows[i]] + w[i];
  effort_rows_ = DH;
  std::vector<bool> listed(s_.differential.size(), false);
  for (const int i : coupled_rows)
    for (int k = s_.E.row_start[i]; k < s_.E.row_start[i + 1]; ++k) {
      const int j = column_[s_.E.column[k]];
      effort_rows_[j] = effort_rows_[j] - E_[k] * zd_[i];
      if (!listed[j]) coupled_columns_.push_back(j);
      listed[j] = true;
    }
}

/// Functions of the system at the mean point, with zd in the place of z.
Exprs GradientStep::here(const Exprs& functions) const {
  return substitute(functions, joined<Expr>(e_.t, e_.z, e_.psi, with_zd_.z), joined<Expr>(m_.t, m_.z, psi_, zd_),
                    graph_);
}

void GradientStep::add_rows(const PortRows& right) {
  const Exprs F = here(right.F);
  for (int i = 0; i < s_.size(); ++i) {
    Exprs terms;
    for (int k = s_.E.row_start[i]; k < s_.E.row_start[i + 1]; ++k)
      terms.push_back(E_[k] * dx_[column_[s_.E.column[k]]]);
    const Expr row = terms.empty() ? F[i] : sum(graph_, terms) - h_ * F[i];
    frame_.equation({row}, "row of ", {flat_name(s_.states, i)}, "");
  }
  std::vector<std::string> names;
  for (const int i : s_.loops) names.push_back(flat_name(s_.inputs, i));
  frame_.equation(here(right.loops), "input ", names, "");
  for (const int j : coupled_columns_) frame_.equation({effort_rows_[j]}, "effort of ", {e_.z_names[j]}, "");
}

void GradientStep::add_powers(const PortRows& right) {
  const Exprs powers = here({right.dissipated, right.supplied});
  StepEquations& step = frame_.step;
  step.dissipated = h_ * powers[0];
  step.supplied = h_ * powers[1];
  step.energy_change = step.supplied - step.dissipated;
}

StepPlan GradientStep::plan() {
  find_efforts();
  const PortRows right = port_rows(with_zd_);
  add_rows(right);
  auto& groups = frame_.step.groups;
  groups.push_back({0, psi_from_, frame_.size_z()});
  groups.push_back({psi_from_, static_cast<int>(frame_.step.unknowns.size()) - psi_from_, Expr()});
  frame_.keep(psi_, "mean.", e_.psi_names);
  add_powers(right);
  return frame_.plan({}, x1_);
}

StepPlan step(const Equations& e) { return GradientStep(e).plan(); }

}  // namespace

MethodFamily discrete_gradient() {
  MethodFamily family{
      .name = "discrete_gradient",
      .signature = "discrete_gradient",
      .summary = "discrete gradients for port-Hamiltonian systems: the balance of power is exact for every H",
      .source = "Gonzalez 1996; Mehrmann, Morandin 2019",
      .orders = "2"};
  family.make = [](const std::vector<Term>& arguments) {
    no_arguments("discrete_gradient", arguments);
    Method method;
    method.name = "discrete_gradient";
    method.claims.set_orders(2);
    method.claims.symmetric = true;
    method.claims.energy = true;
    method.claims.position = method.claims.velocity = method.claims.nonholonomic = false;
    method.claims.near_identity = false;
    method.claims.note = "constraints hold in the middle of the steps, not at the grid points";
    method.capabilities.mechanical = false;
    method.capabilities.port_hamiltonian = true;
    method.refuses = refuses;
    method.step = step;
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
