#include "alembert/newton/choose_system.h"

#include <type_traits>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/linear/dense_system.h"
#include "alembert/linear/minimum_norm_system.h"
#include "alembert/linear/sparse_system.h"
#include "alembert/linear/unrolled_system.h"
#include "alembert/newton/two_matrix_system.h"

namespace alembert::internal {

namespace {

// CPU time of a step, measured with chains of N rods (lobatto(2): 11 N unknowns, gauss(3): 16 N) and mechanisms.

// Beyond these sizes unrolled code stops paying off: its compilation grows faster than the system. n = 55: 1.2 us
// against 9.1 dense and 3.6 sparse, compiled in 110 ms against 80; gauss(3), n = 32: 1.7 us against 4.6 and 3.7, in
// 210 ms against 100.
constexpr int unrolled_unknowns = 60;
constexpr std::size_t unrolled_operations = 4000;
// Up to here dense factors, with the largest pivot of each column. Sparse ones are already faster from some thirty
// unknowns on (n = 52: 14 us against 19, n = 78: 31 against 44, both of Andrews' mechanism; n = 88, a chain: 5 against
// 23).
constexpr int dense_unknowns = 90;
// From here on a SPARK step is solved with the two small matrices. gauss(3), n = 128: 11 us against 18 sparse, n = 640:
// 54 against 137. Where constraints are many, they need a third more iterations and gain little: four-bar linkage,
// n = 68: 15 us against 16.
constexpr int staged_unknowns = 120;
// Of constraints to velocities, from which on a mechanism counts as closed: few degrees of freedom, many constraints.
// It may come to singular positions, where the two matrices contract no more.
constexpr double closed_share = 0.7;

template <class T>
std::vector<double> values_at(const std::vector<T>& typical, const Exprs& all, const SparseExprs& J) {
  const Kernel<T> probe(all, J.value, interpreted);
  std::vector<T> values(probe.outputs());
  std::vector<T> space(probe.work());
  probe(typical.data(), values.data(), space.data());
  return {values.begin(), values.end()};
}

template <class T>
bool use_two_matrices(const ImplicitEquations& e, LinearSolver wish) {
  if (!std::is_same_v<T, double> || !e.stages) return false;
  if (wish == LinearSolver::two_matrix) return true;
  const bool closed = e.stages->n_g + e.stages->n_k > closed_share * e.stages->n_z;
  return wish == LinearSolver::automatic && e.unknowns.size() > staged_unknowns && !closed;
}

/// What is left of a wish that leaves a choice, where unrolled code is not it.
template <class T>
LinearSolver dense_or_sparse(LinearSolver wish, int unknowns) {
  if (!std::is_same_v<T, double>) return LinearSolver::dense;  // there is no other KLU
  if (wish == LinearSolver::dense || wish == LinearSolver::sparse) return wish;
  return unknowns <= dense_unknowns ? LinearSolver::dense : LinearSolver::sparse;
}

bool may_be_unrolled(LinearSolver wish) {
  return wish != LinearSolver::dense && wish != LinearSolver::sparse && wish != LinearSolver::minimum_norm;
}

/// The elimination as one kernel; nothing where it would be too long.
template <class T>
std::unique_ptr<LinearSystem<T>> unrolled(const ImplicitEquations& e, const Exprs& all, const SparseExprs& J,
                                          const std::vector<double>& typical, const std::vector<bool>& preferred,
                                          KernelOptions options) {
  if (J.rows > unrolled_unknowns) return nullptr;
  const std::optional<PivotOrder> order = choose_pivots(J, typical, preferred);
  if (!order || order->operations > unrolled_operations) return nullptr;
  return std::make_unique<UnrolledSystem<T>>(Kernel<T>(all, eliminate(J, e.equations, *order), options),
                                             options.backend);
}

template <class T>
std::unique_ptr<LinearSystem<T>> dense_or_sparse_system(LinearSolver which, const WideKernel<T>& equations,
                                                        const JacobianValues<T>& matrix) {
  if constexpr (std::is_same_v<T, double>)
    if (which == LinearSolver::sparse) return std::make_unique<SparseSystem>(equations, matrix);
  return std::make_unique<DenseSystem<T>>(equations, matrix);
}

}  // namespace

template <class T>
ChosenSystems<T> choose_systems(const ImplicitEquations& e, const std::vector<bool>& multiplier,
                                const std::vector<T>& typical, const NewtonOptions& options) {
  const LinearSolver wish = options.linear;
  const Exprs all = joined<Expr>(e.inputs, e.unknowns);
  const int n = static_cast<int>(e.unknowns.size());
  check(e.equations.size() == e.unknowns.size(), "as many equations as unknowns");
  check(typical.size() == all.size(), "typical values of inputs and unknowns");
  ChosenSystems<T> chosen;
  if (n == 0) return chosen;
  if (use_two_matrices<T>(e, wish)) {
    // Newton's own matrix is never made where only the two small ones are used: for large systems that is the point.
    chosen.equations = WideKernel<T>(all, e.equations, options.kernel);
    if constexpr (std::is_same_v<T, double>)
      chosen.usual = std::make_unique<TwoMatrixSystem>(
          chosen.equations,
          std::make_unique<TwoMatrix>(*e.stages, all, static_cast<int>(e.inputs.size()), options.kernel));
    return chosen;
  }
  const SparseExprs J = jacobian(e.equations, e.unknowns);
  chosen.linear = !depends(J.value, e.unknowns);
  std::vector<bool> preferred = multiplier;
  preferred.flip();
  std::vector<double> at_typical = values_at(typical, all, J);
  const Equilibration scales = equilibrate(J, at_typical, preferred);
  scale(J, scales, at_typical);
  if (may_be_unrolled(wish)) chosen.usual = unrolled<T>(e, all, J, at_typical, preferred, options.kernel);
  // Beside unrolled code the plain matrices are only the way out when it fails: no time is spent on compiling them.
  const KernelOptions kernel = chosen.usual ? interpreted : options.kernel;
  chosen.equations = WideKernel<T>(all, e.equations, kernel);
  JacobianValues<T> matrix(all, J, kernel);
  if (n <= most_minimum_norm_unknowns) chosen.plain_matrix = matrix;
  if (wish == LinearSolver::minimum_norm) {
    check(chosen.plain_matrix.has_value(), "minimum norm: the matrix fits into the memory");
    chosen.usual = std::make_unique<MinimumNormSystem<T>>(chosen.equations, matrix, multiplier);
    return chosen;
  }
  matrix.equilibrate(scales);
  if (chosen.usual) chosen.with_memory = dense_or_sparse_system(LinearSolver::dense, chosen.equations, matrix);
  else chosen.usual = dense_or_sparse_system(dense_or_sparse<T>(wish, n), chosen.equations, matrix);
  return chosen;
}

template <class T>
ChosenSystems<T> ChosenSystems<T>::clone() const {
  return {equations, usual ? usual->clone() : nullptr, with_memory ? with_memory->clone() : nullptr, plain_matrix,
          linear};
}

template <class T>
void ChosenSystems<T>::bind(const T* parameters) noexcept {
  equations.bind(parameters);
  if (usual) usual->bind(parameters);
  if (with_memory) with_memory->bind(parameters);
  if (plain_matrix) plain_matrix->bind(parameters);
}

template struct ChosenSystems<double>;
template struct ChosenSystems<Quad>;
template ChosenSystems<double> choose_systems(const ImplicitEquations&, const std::vector<bool>&,
                                              const std::vector<double>&, const NewtonOptions&);
template ChosenSystems<Quad> choose_systems(const ImplicitEquations&, const std::vector<bool>&,
                                            const std::vector<Quad>&, const NewtonOptions&);

}  // namespace alembert::internal
