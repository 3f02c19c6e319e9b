#include "alembert/newton/sensitivity.h"

#include "alembert/base/lists.h"
#include "alembert/linear/linear.h"

namespace alembert::internal {

namespace {

// A dense matrix of expressions as a kernel's output, row major.
Exprs flat(const SparseExprs& matrix, Graph& graph) {
  Exprs all;
  for (const Exprs& row : dense(matrix, graph)) append(all, row);
  return all;
}

template <class T>
std::vector<T> values(const Exprs& inputs, const Exprs& outputs, const std::vector<T>& x) {
  const Kernel<T> kernel(inputs, outputs, interpreted);
  std::vector<T> out(outputs.size());
  std::vector<T> work(kernel.work());
  kernel(x.data(), out.data(), work.data());
  return out;
}

// The method's own guess of the unknowns at x = (t0, h, state).
template <class T>
std::vector<T> initial_guess(const StepEquations& e, const std::vector<T>& x, const std::vector<T>& guess_values,
                             const NewtonOptions& options) {
  std::vector<T> at = joined<T>(x, guess_values);
  if (!e.guess_unknowns.empty()) {
    at.insert(at.end(), guess_values.begin(), guess_values.begin() + static_cast<long>(e.guess_unknowns.size()));
    Newton<T>(guess_system(e), at, options).solve(at.data());
  }
  return values(joined<Expr>(e.t0, e.h, e.state, e.guess_inputs, e.guess_unknowns), e.guess, at);
}

template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, std::size_t n) {
  std::vector<T> result(n * n, T(0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) result[i * n + j] += a[i * n + k] * b[k * n + j];
  return result;
}

// X_x - X_U F_U^{-1} F_x at x = (t0, h, state, unknowns); nothing where F_U is singular.
template <class T>
std::vector<T> derivative_at(const StepEquations& e, const std::vector<T>& x) {
  const std::size_t n = e.state.size();
  const std::size_t m = e.unknowns.size();
  const auto matrix = [&](const Exprs& of, const Exprs& by) {
    return values(joined<Expr>(e.t0, e.h, e.state, e.unknowns), flat(jacobian(of, by), *e.graph), x);
  };
  const std::vector<T> F_U = matrix(e.equations, e.unknowns);
  const std::vector<T> F_x = matrix(e.equations, e.state);
  const std::vector<T> X_U = matrix(e.next, e.unknowns);
  std::vector<T> D = matrix(e.next, e.state);
  DenseLu<T> lu(static_cast<int>(m));
  if (m > 0 && !lu.factor(F_U.data())) return {};
  std::vector<T> column(m);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) column[i] = F_x[i * n + j];
    if (m > 0) lu.solve(column.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < m; ++k) D[i * n + j] -= X_U[i * m + k] * column[k];
  }
  return D;
}

}  // namespace

template <class T>
SteppedDerivative<T> step_derivative(const StepPlan& plan, T t0, T h, const std::vector<T>& state,
                                     const std::vector<T>& guess_values) {
  const std::size_t n = state.size();
  NewtonOptions options;
  options.kernel = interpreted;
  options.linear = LinearSolver::dense;
  SteppedDerivative<T> result;
  result.next = state;
  result.derivative.assign(n * n, T(0));
  for (std::size_t i = 0; i < n; ++i) result.derivative[i * n + i] = 1;
  for (const StepPlan::Substep& sub : plan.sequence) {
    const StepEquations& e = plan.parts[sub.part];
    std::vector<T> x = joined<T>(t0, T(sub.share) * h, result.next);
    append(x, initial_guess(e, x, guess_values, options));
    const ImplicitEquations system = step_system(e);
    result.newton = Newton<T>(system, x, options).solve(x.data());
    if (result.newton.outcome != Outcome::converged) return result;
    result.unknowns.assign(x.begin() + static_cast<long>(system.inputs.size()), x.end());
    const std::vector<T> D = derivative_at(e, x);
    if (D.size() != n * n) {
      result.newton.outcome = Outcome::singular;
      return result;
    }
    result.derivative = product(D, result.derivative, n);
    result.next = values(joined<Expr>(system.inputs, system.unknowns), e.next, x);
    t0 += T(sub.share) * h;
  }
  return result;
}

template struct SteppedDerivative<double>;
template struct SteppedDerivative<Quad>;
template SteppedDerivative<double> step_derivative(const StepPlan&, double, double, const std::vector<double>&,
                                                   const std::vector<double>&);
template SteppedDerivative<Quad> step_derivative(const StepPlan&, Quad, Quad, const std::vector<Quad>&,
                                                 const std::vector<Quad>&);

}  // namespace alembert::internal
