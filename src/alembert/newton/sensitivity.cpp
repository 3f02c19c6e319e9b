#include "alembert/newton/sensitivity.h"

#include "alembert/linear/linear.h"

namespace alembert::internal {

namespace {

// A dense matrix of expressions as a kernel's output, row major.
Exprs flat(const SparseExprs& matrix, Graph& graph) {
  Exprs all;
  for (const Exprs& row : dense(matrix, graph)) all.insert(all.end(), row.begin(), row.end());
  return all;
}

template <class T>
std::vector<T> values(const Exprs& inputs, const Exprs& outputs, const std::vector<T>& x) {
  const Kernel<T> kernel(inputs, outputs, {Backend::interpreter, false});
  std::vector<T> out(outputs.size()), work(kernel.work());
  kernel(x.data(), out.data(), work.data());
  return out;
}

}  // namespace

template <class T>
SteppedDerivative<T> step_derivative(const StepPlan& plan, T t0, T h, const std::vector<T>& state,
                                     const std::vector<T>& hints) {
  const std::size_t n = state.size();
  SteppedDerivative<T> result;
  result.next = state;
  result.derivative.assign(n * n, T(0));
  for (std::size_t i = 0; i < n; ++i) result.derivative[i * n + i] = 1;
  for (const StepPlan::Substep& sub : plan.sequence) {
    const StepEquations& e = plan.parts[sub.part];
    Exprs inputs{e.t0, e.h};
    inputs.insert(inputs.end(), e.state.begin(), e.state.end());
    std::vector<T> x{t0, T(sub.share) * h};
    x.insert(x.end(), result.next.begin(), result.next.end());
    Exprs for_guess = inputs;
    for_guess.insert(for_guess.end(), e.hints.begin(), e.hints.end());
    std::vector<T> guess_inputs = x;
    guess_inputs.insert(guess_inputs.end(), hints.begin(), hints.end());
    NewtonOptions options;
    options.kernel = {Backend::interpreter, false};
    options.linear = LinearSolver::dense;
    if (!e.starters.empty()) {
      for_guess.insert(for_guess.end(), e.starters.begin(), e.starters.end());
      guess_inputs.insert(guess_inputs.end(), hints.begin(), hints.begin() + static_cast<long>(e.starters.size()));
      Newton<T>(starter_system(e), guess_inputs, options).solve(guess_inputs.data());
    }
    const std::vector<T> guess = values(for_guess, e.guess, guess_inputs);
    x.insert(x.end(), guess.begin(), guess.end());
    Newton<T> newton({inputs, e.unknowns, e.equations, e.groups, {}, {}}, x, options);
    result.newton = newton.solve(x.data());
    if (result.newton.outcome != Outcome::converged) return result;
    result.unknowns.assign(x.begin() + static_cast<long>(inputs.size()), x.end());

    Exprs all = inputs;
    all.insert(all.end(), e.unknowns.begin(), e.unknowns.end());
    Graph& graph = *e.graph;
    const std::size_t m = e.unknowns.size();
    const std::vector<T> F_U = values(all, flat(jacobian(e.equations, e.unknowns), graph), x);
    const std::vector<T> F_x = values(all, flat(jacobian(e.equations, e.state), graph), x);
    const std::vector<T> X_U = values(all, flat(jacobian(e.next, e.unknowns), graph), x);
    std::vector<T> D = values(all, flat(jacobian(e.next, e.state), graph), x);
    DenseLu<T> lu(static_cast<int>(m));
    if (m > 0 && !lu.factor(F_U.data())) {
      result.newton.outcome = Outcome::singular;
      return result;
    }
    std::vector<T> column(m);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < m; ++i) column[i] = F_x[i * n + j];
      if (m > 0) lu.solve(column.data());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < m; ++k) D[i * n + j] -= X_U[i * m + k] * column[k];
    }
    std::vector<T> product(n * n, T(0));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) product[i * n + j] += D[i * n + k] * result.derivative[k * n + j];
    result.derivative = std::move(product);
    result.next = values(all, e.next, x);
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
