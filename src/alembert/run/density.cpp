#include "alembert/run/density.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"

namespace alembert::internal {

namespace {

/// a^2, a part of the squared accelerations at the start that keeps the density above 0. The density is the fourth
/// root: where nothing accelerates steps are ten times as long as at the start, and no longer.
constexpr double part_at_rest = 1e-4;

double floor_of(const InitialValues& initial) {
  double square = 0;
  for (const double x : initial.z_dot) square += x * x;
  return square > 0 ? part_at_rest * square : 1;
}

Expr usual_density(const Equations& e, Expr floor) { return pow(floor + dot(e.z_dot, e.z_dot), Quad(0.25)); }

std::vector<double> jerk_values(const InitialValues& initial, double t0) {
  std::vector<double> x = joined<double>(t0, initial.y, initial.z, initial.z_dot, initial.lambda, initial.psi);
  x.resize(x.size() + initial.z.size() + initial.lambda.size() + initial.psi.size(), 0);
  return x;
}

// The index-reduced system differentiated along the motion: linear in z'', lambda', psi'.
ImplicitEquations jerk_system(const Equations& e, const Exprs& z_ddot) {
  Graph& graph = *e.graph;
  const int n_z = static_cast<int>(e.z.size()), n = n_z + static_cast<int>(e.lambda.size() + e.psi.size());
  ImplicitEquations system;
  system.inputs = {e.t};
  for (const Exprs* list : {&e.y, &e.z, &e.z_dot, &e.lambda, &e.psi}) append(system.inputs, *list);
  system.unknowns = z_ddot;
  append(system.unknowns, graph.symbols("multiplier'", n - n_z));
  Exprs along{graph.constant(1)};
  append(along, joined<Expr>(e.v, e.z_dot, system.unknowns));
  system.equations = directional(e.reduced, system.inputs, along);
  // Forces and masses say what is small, as in the system itself.
  const Exprs at = joined<Expr>(e.t, e.y, e.z), moving = joined<Expr>(graph.constant(1), e.v, e.z_dot);
  const Expr scale = largest(graph, directional(e.f, at, moving)) / largest(graph, jacobian(e.p, e.z).value);
  system.groups = {{0, n_z, scale}, {n_z, n - n_z, Expr()}};
  return system;
}

}  // namespace

DensityRate::DensityRate(const Equations& e, const InitialValues& initial, double t0, Multipliers& multipliers,
                         NewtonOptions options)
    : states_(e.y.size() + e.z.size()), n_z_(e.z.size()), multipliers_(&multipliers) {
  const Expr floor = e.graph->symbol("a^2");
  const Expr rho = e.density ? e.density : usual_density(e, floor);
  const Exprs z_ddot = e.graph->symbols("z''", static_cast<int>(n_z_));
  const Exprs at = joined<Expr>(e.t, e.y, e.z, e.z_dot);
  const Exprs along = joined<Expr>(e.graph->constant(1), e.v, e.z_dot, z_ddot);
  const Expr rate = directional(Exprs{rho}, at, along)[0];
  const Exprs inputs = joined<Expr>(at, z_ddot, floor);
  kernel_ = Kernel<double>(inputs, Exprs{rho, rate}, options.kernel);
  in_.assign(inputs.size(), 0);
  work_.resize(kernel_.work());
  if (depends(rho, e.z_dot)) jerks_.emplace(jerk_system(e, z_ddot), jerk_values(initial, t0), options);
  begin(initial, t0);
}

DensityRate::DensityRate(const DensityRate& other, Multipliers& multipliers)
    : states_(other.states_),
      n_z_(other.n_z_),
      multipliers_(&multipliers),
      kernel_(other.kernel_),
      in_(other.in_),
      jerk_(other.jerk_),
      work_(other.work_) {
  if (other.jerks_) jerks_.emplace(other.jerks_->clone());
}

void DensityRate::begin(const InitialValues& initial, double t0) {
  in_.back() = floor_of(initial);
  jerk_ = jerk_values(initial, t0);
}

void DensityRate::bind(const double* parameters) noexcept {
  kernel_.bind(parameters);
  if (jerks_) jerks_->bind(parameters);
}

double DensityRate::at(double t, std::span<const double> state) {
  const std::span<const double> rates = multipliers_->at(t, state);
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  std::copy_n(rates.begin(), n_z_, in_.begin() + 1 + static_cast<long>(states_));
  if (jerks_) {
    jerk_[0] = t;
    std::copy(state.begin(), state.end(), jerk_.begin() + 1);
    std::copy(rates.begin(), rates.end(), jerk_.begin() + 1 + static_cast<long>(states_));
    if (jerks_->solve(jerk_.data()).outcome != Outcome::converged) return std::nan("");
    std::copy_n(jerk_.begin() + 1 + static_cast<long>(states_ + rates.size()), n_z_,
                in_.begin() + 1 + static_cast<long>(states_ + n_z_));
  }
  double out[2];
  kernel_(in_.data(), out, work_.data());
  return out[0] > 0 ? out[1] / out[0] : std::nan("");
}

}  // namespace alembert::internal
