#include "alembert/run/density.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

void append(Exprs& list, const Exprs& more) { list.insert(list.end(), more.begin(), more.end()); }

Expr usual_density(const Equations& e, const InitialValues& initial) {
  double square = 0;
  for (const double x : initial.z_dot) square += x * x;
  const double floor = square > 0 ? 1e-4 * square : 1;
  return pow(e.graph->constant(floor) + dot(e.z_dot, e.z_dot), Quad(0.25));
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
  append(along, e.v), append(along, e.z_dot), append(along, system.unknowns);
  system.equations = directional(e.reduced, system.inputs, along);
  // Forces and masses say what is small, as in the system itself.
  Exprs at{e.t}, moving{graph.constant(1)};
  append(at, e.y), append(at, e.z), append(moving, e.v), append(moving, e.z_dot);
  const Expr scale = largest(graph, directional(e.f, at, moving)) / largest(graph, jacobian(e.p, e.z).value);
  system.groups = {{0, n_z, scale}, {n_z, n - n_z, Expr()}};
  return system;
}

}  // namespace

DensityRate::DensityRate(const Equations& e, const InitialValues& initial, double t0, Multipliers& multipliers,
                         NewtonOptions options)
    : states_(e.y.size() + e.z.size()), n_z_(e.z.size()), multipliers_(multipliers) {
  const Expr rho = e.density ? e.density : usual_density(e, initial);
  const Exprs z_ddot = e.graph->symbols("z''", static_cast<int>(n_z_));
  Exprs at{e.t}, along{e.graph->constant(1)};
  for (const Exprs* list : {&e.y, &e.z, &e.z_dot}) append(at, *list);
  for (const Exprs* list : {&e.v, &e.z_dot, &z_ddot}) append(along, *list);
  const Expr rate = directional(Exprs{rho}, at, along)[0];
  Exprs inputs = at;
  append(inputs, z_ddot);
  kernel_ = Kernel<double>(inputs, Exprs{rho, rate}, options.kernel);
  in_.assign(inputs.size(), 0), work_.resize(kernel_.work());
  if (!depends(rho, e.z_dot)) return;
  jerk_ = {t0};
  for (const auto* list : {&initial.y, &initial.z, &initial.z_dot, &initial.lambda, &initial.psi})
    jerk_.insert(jerk_.end(), list->begin(), list->end());
  jerk_.resize(jerk_.size() + n_z_ + e.lambda.size() + e.psi.size(), 0);
  jerks_.emplace(jerk_system(e, z_ddot), jerk_, options);
}

double DensityRate::at(double t, std::span<const double> state) {
  const std::span<const double> rates = multipliers_.at(t, state);
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
