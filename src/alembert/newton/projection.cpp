#include "alembert/newton/projection.h"

#include <algorithm>

#include "alembert/base/lists.h"

namespace alembert::internal {

template <class T>
Projection<T>::Projection(const Equations& e, T t, const std::vector<T>& typical, NewtonOptions options)
    : n_y_(e.y.size()),
      n_z_(e.z.size()),
      moved_(n_y_ + n_z_),
      position_(level(e, {e.t}, e.y, joined<Expr>(e.g, auxiliary_equations(e)), t, typical, options, positions_)),
      velocity_(level(e, joined<Expr>(e.t, e.y), e.z, joined<Expr>(e.g_dot, e.k), t, typical, options, velocities_)) {}

template <class T>
Projection<T>::Projection(const Projection& other)
    : n_y_(other.n_y_),
      n_z_(other.n_z_),
      positions_(other.positions_),
      velocities_(other.velocities_),
      moved_(other.moved_),
      position_(other.position_.clone()),
      velocity_(other.velocity_.clone()) {}

template <class T>
Newton<T> Projection<T>::level(const Equations& e, const Exprs& inputs, const Exprs& unknowns, const Exprs& onto, T t,
                               const std::vector<T>& typical, NewtonOptions options, std::vector<T>& x) const {
  ImplicitEquations system;
  if (!onto.empty()) {
    // d = sum_j mu_j grad onto_j at the given values, onto(values + d) = 0.
    Graph& graph = *e.graph;
    const int n = static_cast<int>(unknowns.size());
    const int m = static_cast<int>(onto.size());
    const Exprs d = graph.symbols("d", n);
    const Exprs mu = graph.symbols("mu", m);
    system.inputs = joined<Expr>(inputs, unknowns);
    system.unknowns = joined<Expr>(d, mu);
    system.equations = transposed_product(onto, unknowns, mu);
    Exprs moved;
    for (int i = 0; i < n; ++i) {
      system.equations[i] = d[i] - system.equations[i];
      moved.push_back(unknowns[i] + d[i]);
    }
    append(system.equations, substitute(onto, unknowns, moved, graph));
    const double least = unknowns == e.y ? e.least_y : e.least_z;
    Expr size = largest(graph, unknowns);
    if (least > 0) size = graph.make(Op::max, size, graph.constant(least));
    system.groups = {{0, n, size}, {n, m, Expr()}};
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

template <class T>
void Projection<T>::bind(const T* parameters) noexcept {
  position_.bind(parameters);
  velocity_.bind(parameters);
}

template class Projection<double>;
template class Projection<Quad>;

}  // namespace alembert::internal
