#include "alembert/newton/projection.h"

#include <algorithm>

namespace alembert::internal {

namespace {

Exprs before_y(const Equations& e) { return {e.t}; }

Exprs before_z(const Equations& e) {
  Exprs inputs{e.t};
  inputs.insert(inputs.end(), e.y.begin(), e.y.end());
  return inputs;
}

Exprs velocity_level(const Equations& e) {
  Exprs level = e.g_dot;
  level.insert(level.end(), e.k.begin(), e.k.end());
  return level;
}

}  // namespace

template <class T>
Projection<T>::Projection(const Equations& e, T t, const std::vector<T>& typical, NewtonOptions options)
    : n_y_(e.y.size()),
      n_z_(e.z.size()),
      moved_(n_y_ + n_z_),
      position_(level(e, before_y(e), e.y, e.g, t, typical, options, positions_)),
      velocity_(level(e, before_z(e), e.z, velocity_level(e), t, typical, options, velocities_)) {}

template <class T>
Newton<T> Projection<T>::level(const Equations& e, const Exprs& inputs, const Exprs& unknowns, const Exprs& onto, T t,
                               const std::vector<T>& typical, NewtonOptions options, std::vector<T>& x) const {
  ImplicitEquations system;
  if (!onto.empty()) {
    // d = sum_j mu_j grad onto_j at the given values, onto(values + d) = 0.
    Graph& graph = *e.graph;
    const int n = static_cast<int>(unknowns.size()), m = static_cast<int>(onto.size());
    const Exprs d = graph.symbols("d", n), mu = graph.symbols("mu", m);
    system.inputs = inputs;
    system.inputs.insert(system.inputs.end(), unknowns.begin(), unknowns.end());
    system.unknowns = d;
    system.unknowns.insert(system.unknowns.end(), mu.begin(), mu.end());
    system.equations = transposed_product(onto, unknowns, mu);
    Exprs moved;
    for (int i = 0; i < n; ++i) {
      system.equations[i] = d[i] - system.equations[i];
      moved.push_back(unknowns[i] + d[i]);
    }
    for (const Expr value : substitute(onto, unknowns, moved, graph)) system.equations.push_back(value);
    system.groups = {{0, n, largest(graph, unknowns)}, {n, m, Expr()}};
  }
  x.assign(system.inputs.size() + system.unknowns.size(), T(0));
  if (!onto.empty()) {
    x[0] = t;
    std::copy_n(typical.begin(), system.inputs.size() - 1, x.begin() + 1);
  }
  return Newton<T>(system, x, options);
}

template <class T>
Outcome Projection<T>::move(Newton<T>& newton, std::vector<T>& x, std::size_t first, std::size_t count, T t,
                            T* state) noexcept {
  if (x.empty()) return Outcome::converged;
  x[0] = t;
  std::copy_n(state, first + count, x.begin() + 1);
  T* d = x.data() + 1 + first + count;
  std::fill(d, x.data() + x.size(), T(0));
  const Outcome outcome = newton.solve(x.data()).outcome;
  if (outcome == Outcome::converged)
    for (std::size_t i = 0; i < count; ++i) state[first + i] += d[i];
  return outcome;
}

template <class T>
Outcome Projection<T>::apply(T t, T* state) noexcept {
  std::copy_n(state, n_y_ + n_z_, moved_.begin());
  Outcome outcome = move(position_, positions_, 0, n_y_, t, moved_.data());
  if (outcome == Outcome::converged) outcome = move(velocity_, velocities_, n_y_, n_z_, t, moved_.data());
  if (outcome == Outcome::converged) std::copy_n(moved_.begin(), n_y_ + n_z_, state);
  return outcome;
}

template class Projection<double>;
template class Projection<Quad>;

}  // namespace alembert::internal
