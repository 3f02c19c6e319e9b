#include "mechanism.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"
#include "alembert/start/initial.h"

namespace alembert::bench {

namespace {

using internal::Equations;
using internal::Kernel;

KernelOptions compiled() { return {.backend = internal::native_available() ? Backend::native : Backend::interpreter}; }

/// t, y, z -> v, the matrix of the index-reduced system by rows, its right side.
Kernel<double> reduced_kernel(const Equations& e) {
  Graph& graph = *e.graph;
  const Exprs unknowns = internal::joined<Expr>(e.z_dot, e.lambda);
  const Exprs zeros(unknowns.size(), graph.constant(0));
  Exprs out = e.v;
  for (const Exprs& row : dense(internal::jacobian(e.reduced, unknowns), graph)) internal::append(out, row);
  for (const Expr value : internal::substitute(e.reduced, unknowns, zeros, graph)) out.push_back(-value);
  return {internal::joined<Expr>(e.t, e.y, e.z), out, compiled()};
}

Kernel<double> residual_kernel(const Equations& e) {
  Graph& graph = *e.graph;
  const Exprs mu = graph.symbols("mu", static_cast<int>(e.g.size()));
  const Exprs y_dot = graph.symbols("y'", static_cast<int>(e.y.size()));
  const Exprs move = internal::transposed_product(e.g, e.y, mu);
  Exprs out;
  for (std::size_t i = 0; i < e.y.size(); ++i) out.push_back(y_dot[i] - e.v[i] + move[i]);
  out.insert(out.end(), e.reduced.begin(), e.reduced.begin() + static_cast<long>(e.z.size()));
  internal::append(out, e.g);
  internal::append(out, e.g_dot);
  return {internal::joined<Expr>(e.t, e.y, e.z, e.lambda, mu, y_dot, e.z_dot), out, compiled()};
}

std::vector<double> start_of(const internal::Model& model, const Equations& e) {
  const internal::InitialValues initial = make_consistent(model, e);
  return internal::joined<double>(initial.y, initial.z);
}

}  // namespace

Mechanism::Mechanism(const internal::Model& model)
    : e_(derive(model)),
      n_y_(static_cast<int>(e_.y.size())),
      n_z_(static_cast<int>(e_.z.size())),
      n_g_(static_cast<int>(e_.g.size())),
      start_(start_of(model, e_)),
      reduced_(reduced_kernel(e_)),
      residual_(residual_kernel(e_)),
      lu_(n_z_ + n_g_),
      projection_(e_, 0.0, start_),
      in_(1 + start_.size()),
      out_(reduced_.outputs()),
      long_in_(1 + 2 * start_.size() + 2 * static_cast<std::size_t>(n_g_)),
      work_(std::max(reduced_.work(), residual_.work())) {}

bool Mechanism::rates(double t, const double* state, double* to, double* lambda) {
  in_[0] = t;
  std::copy_n(state, n_y_ + n_z_, in_.begin() + 1);
  reduced_(in_.data(), out_.data(), work_.data());
  const int n = n_z_ + n_g_;
  double* const matrix = out_.data() + n_y_;
  double* const right = matrix + n * n;
  if (!lu_.factor(matrix)) return false;
  lu_.solve(right);
  std::copy_n(out_.data(), n_y_, to);
  std::copy_n(right, n_z_, to + n_y_);
  if (lambda) std::copy_n(right + n_z_, n_g_, lambda);
  return true;
}

void Mechanism::stabilised(double t, const double* x, const double* x_dot, double* residual) {
  const int states = n_y_ + n_z_;
  long_in_[0] = t;
  double* const next = std::copy_n(x, states + 2 * n_g_, long_in_.data() + 1);
  std::copy_n(x_dot, states, next);
  residual_(long_in_.data(), residual, work_.data());
}

bool Mechanism::project(double t, double* state) { return projection_.apply(t, state) == internal::Outcome::converged; }

}  // namespace alembert::bench
