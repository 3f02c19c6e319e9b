#pragma once

// The modified Newton iteration of Jay (modified Newton iterations) for SPARK steps: whatever the number of stages,
// only the two matrices
//     K1 = [p_z -r_lambda -N_psi; g_y v_z 0 0; k_z 0 0]   and   K2 = [p_z -r_lambda; g_y v_z 0]
// (for Lobatto IIIA-IIIB: K1 and p_z) are factorised, at the start of the step. A constant transformation of the stages
// makes the leading part of Newton's matrix block diagonal; what is neglected is O(h), and so is the contraction.

#include <memory>
#include <vector>

#include "alembert/base/quad_matrix.h"
#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// What the iteration knows of a step whose unknowns are dZ_1..dZ_s, dz, Psi_1..Psi_s, Lambda_0..Lambda_m, [dY_1..dY_s]
/// and whose equations are the s+1 momentum balances, s times k, m times g and once g_t + g_y v, [s times Y].
/// h must be the second input. Q, C_hat (coefficients of N and r) as in Jay (docs/references.md).
struct StageStructure {
  int s = 0, points = 0;  // points: number of Lambda_j, m + 1
  int n_y = 0, n_z = 0, n_g = 0, n_k = 0;
  bool implicit_y = false;
  bool last_with_g = false;  // the last block is K2 (s+1 Lobatto points), else p_z alone
  QuadMatrix Q;              // (s+1) x (s+1): stages -> blocks
  QuadMatrix Q_inverse;
  QuadMatrix g_rows;                           // [g_1/h .. g_m/h; g_t + g_y v] -> blocks
  QuadMatrix psi_back, lambda_back;            // blocks -> h dPsi, h dLambda
  QuadVector last_psi, last_lambda;            // what h Psi and h Lambda still do in the last block
  SparseExprs p_z, r_lambda, N_psi, g_z, k_z;  // in the step's inputs and unknowns; g_z = g_y v_z
};

/// A stand-in for the inverse of Newton's matrix.
class TwoMatrix {
 public:
  TwoMatrix(const StageStructure& structure, const Exprs& all, int inputs, KernelOptions options);
  ~TwoMatrix();
  /// The same matrices with a memory of their own; the compiled code is shared.
  std::unique_ptr<TwoMatrix> clone() const;

  /// Takes the two matrices at x (inputs, unknowns); false when one is singular.
  bool factor(const double* x) noexcept;
  /// Replaces the residuals b of all equations by the correction of all unknowns.
  void solve(double* b) noexcept;
  std::vector<int> sizes() const;
  int factorizations() const;  // per factor()

 private:
  struct Body;
  explicit TwoMatrix(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
