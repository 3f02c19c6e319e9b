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

// CPU time of a step, measured with chains of N rods (11 N unknowns with two stages, 16 N with three) and mechanisms.

// Beyond these sizes unrolled code stops paying off: its compilation grows faster than the system. n = 55: 1.2 us
// against 9.1 dense and 3.6 sparse, compiled in 110 ms against 80; three stages, n = 32: 1.7 us against 4.6 and 3.7, in
// 210 ms against 100.
constexpr int unrolled_unknowns = 60;
constexpr std::size_t unrolled_operations = 4000;
// Up to here dense factors, with the largest pivot of each column. Beyond, sparse ones are faster: Andrews' mechanism,
// n = 39: 13 us against 17; four-bar, n = 77: 30 against 50; chains, n = 65: 10 against 30, n = 110: 14 against 68.
constexpr int dense_unknowns = 36;
// Many stages of small systems leave few zeros, and sparse factors gain nothing from them: Andrews' mechanism, share of
// entries that are not zero 0.3, n = 78: a run of 9.8 ms against 12.1 sparse, n = 104: 20.9 against 26.6; heavy top,
// 0.38, n = 55: 10.9 against 15.9; but four-bar, 0.14, n = 68: 8.6 against 6.5, slider crank, 0.11, n = 90: 4.0 against
// 2.5.
constexpr int most_dense_unknowns = 120;
constexpr double dense_share = 0.25;
// Up to here damped Newton has dense factors all the same: they name the equation in which no pivot was left.
constexpr int named_unknowns = 90;
// From here on a SPARK step is solved with the two small matrices. Three stages, n = 128: 11 us against 18 sparse, n =
// 640: 54 against 137. Open chains of bodies at any size where unrolled code does not pay off: two hinged bodies, n =
// 66: 5 us against 8 sparse, n = 92: 10 against 22; sixteen, n = 528: 40 against 83. Others may be small and taken in
// steps so long that the two matrices hardly contract: the rattleback with six stages kept its constraints to 4e-9
// then.
constexpr int staged_unknowns = 120;
// Mechanisms that are closed, with few degrees of freedom and many constraints, may come to singular positions, where
// the two matrices contract no more. The share of constraints to velocities from which on a mechanism counts as closed,
// unless it consists of open chains of bodies:
constexpr double closed_share = 0.7;

template <class T>
std::vector<double> values_at(const std::vector<T>& typical, JacobianValues<T>& matrix) {
  matrix.take(typical.data());
  return {matrix.values().begin(), matrix.values().end()};
}

bool is_closed(const StageStructure& stages) {
  return !stages.open_chains && stages.n_g + stages.n_k > closed_share * stages.n_z;
}

/// Whether the two matrices are used where unrolled code is not.
template <class T>
bool may_use_two_matrices(const ImplicitEquations& e, LinearSolver wish) {
  if (!std::is_same_v<T, double> || wish != LinearSolver::automatic || !e.stages) return false;
  return !is_closed(*e.stages) && (e.stages->open_chains || e.unknowns.size() > staged_unknowns);
}

/// What is left of a wish that leaves a choice, where unrolled code is not it.
template <class T>
LinearSolver dense_or_sparse(LinearSolver wish, const SparseExprs& J) {
  if (!std::is_same_v<T, double>) return LinearSolver::dense;  // there is no other KLU
  if (wish == LinearSolver::dense || wish == LinearSolver::sparse) return wish;
  const double share = static_cast<double>(J.column.size()) / (static_cast<double>(J.rows) * J.rows);
  const int most = share >= dense_share ? most_dense_unknowns : dense_unknowns;
  return J.rows <= most ? LinearSolver::dense : LinearSolver::sparse;
}

bool may_be_unrolled(LinearSolver wish, int unknowns) {
  return unknowns <= unrolled_unknowns && wish != LinearSolver::dense && wish != LinearSolver::sparse &&
         wish != LinearSolver::minimum_norm;
}

/// The elimination as one kernel; nothing where it would be too long.
template <class T>
std::unique_ptr<LinearSystem<T>> unrolled(const ImplicitEquations& e, const Exprs& all, const SparseExprs& J,
                                          const std::vector<double>& typical, const std::vector<bool>& preferred,
                                          KernelOptions options) {
  const std::optional<PivotOrder> order = choose_pivots(J, typical, preferred);
  if (!order || order->operations > unrolled_operations) return nullptr;
  return std::make_unique<UnrolledSystem<T>>(Kernel<T>(all, eliminate(J, e.equations, *order), options));
}

template <class T>
std::unique_ptr<LinearSystem<T>> dense_or_sparse_system(LinearSolver which, const WideKernel<T>& equations,
                                                        const JacobianValues<T>& matrix) {
  if constexpr (std::is_same_v<T, double>)
    if (which == LinearSolver::sparse) return std::make_unique<SparseSystem>(equations, matrix);
  return std::make_unique<DenseSystem<T>>(equations, matrix);
}

template <class T>
ChosenSystems<T> two_matrices(const ImplicitEquations& e, const Exprs& all, KernelOptions options) {
  ChosenSystems<T> chosen;
  chosen.equations = WideKernel<T>(all, e.equations, options);
  if constexpr (std::is_same_v<T, double>)
    chosen.usual = std::make_unique<TwoMatrixSystem>(
        chosen.equations, std::make_unique<TwoMatrix>(*e.stages, all, static_cast<int>(e.inputs.size()), options));
  return chosen;
}

}  // namespace

bool takes_two_matrices(const ImplicitEquations& e, const NewtonOptions& options) {
  return may_use_two_matrices<double>(e, options.linear) && e.unknowns.size() > unrolled_unknowns;
}

template <class T>
ChosenSystems<T> choose_systems(const ImplicitEquations& e, const std::vector<bool>& multiplier,
                                const std::vector<T>& typical, const NewtonOptions& options,
                                const SparseExprs* matrix_at_hand) {
  const LinearSolver wish = options.linear;
  const Exprs all = joined<Expr>(e.inputs, e.unknowns);
  const int n = static_cast<int>(e.unknowns.size());
  check(e.equations.size() == e.unknowns.size(), "as many equations as unknowns");
  check(typical.size() == all.size(), "typical values of inputs and unknowns");
  ChosenSystems<T> chosen;
  if (n == 0) return chosen;
  const bool wished = std::is_same_v<T, double> && e.stages && wish == LinearSolver::two_matrix;
  const bool staged = may_use_two_matrices<T>(e, wish);
  // Newton's own matrix is never made where only the two small ones are used: for large systems that is the point.
  if (wished || (staged && n > unrolled_unknowns)) return two_matrices<T>(e, all, options.kernel);
  const SparseExprs made = matrix_at_hand ? SparseExprs() : jacobian(e.equations, e.unknowns);
  const SparseExprs& J = matrix_at_hand ? *matrix_at_hand : made;
  chosen.linear = !depends(J.value, e.unknowns);
  std::vector<bool> preferred = multiplier;
  preferred.flip();
  // Beside unrolled code, or a regular system of fewer equations, the plain matrices are only the way out when it
  // fails: no time is spent on compiling them.
  const bool may_unroll = may_be_unrolled(wish, n);
  JacobianValues<T> matrix(all, J, may_unroll || e.fewer ? interpreted : options.kernel);
  std::vector<double> at_typical = values_at(typical, matrix);
  const Equilibration scales = equilibrate(J, at_typical, preferred);
  scale(J, scales, at_typical);
  if (may_unroll) chosen.usual = unrolled<T>(e, all, J, at_typical, preferred, options.kernel);
  if (staged && !chosen.usual) return two_matrices<T>(e, all, options.kernel);
  const KernelOptions kernel = chosen.usual || e.fewer ? interpreted : options.kernel;
  chosen.equations = WideKernel<T>(all, e.equations, kernel);
  if (may_unroll && !chosen.usual && !e.fewer) matrix = JacobianValues<T>(all, J, kernel);  // it would be too long
  if (n <= most_minimum_norm_unknowns) chosen.plain_matrix = matrix;
  if (wish == LinearSolver::minimum_norm) {
    check(chosen.plain_matrix.has_value(), "minimum norm: the matrix fits into the memory");
    chosen.usual = std::make_unique<MinimumNormSystem<T>>(chosen.equations, matrix, multiplier);
    return chosen;
  }
  matrix.equilibrate(scales);
  const LinearSolver which = chosen.usual ? wish : dense_or_sparse<T>(wish, J);
  const bool named = which == LinearSolver::sparse && wish != which && n <= named_unknowns;
  if (chosen.usual || named) chosen.with_memory = dense_or_sparse_system(LinearSolver::dense, chosen.equations, matrix);
  if (!chosen.usual) chosen.usual = dense_or_sparse_system(which, chosen.equations, matrix);
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
                                              const std::vector<double>&, const NewtonOptions&, const SparseExprs*);
template ChosenSystems<Quad> choose_systems(const ImplicitEquations&, const std::vector<bool>&,
                                            const std::vector<Quad>&, const NewtonOptions&, const SparseExprs*);

}  // namespace alembert::internal
