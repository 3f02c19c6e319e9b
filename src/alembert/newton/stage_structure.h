#pragma once

// What the two-matrix iteration must know of a SPARK step; see two_matrix.h.

#include "alembert/base/quad_matrix.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// What the iteration knows of a step whose unknowns are dZ_1..dZ_s, dz, Psi_1..Psi_s, Lambda_0..Lambda_m, [dY_1..dY_s]
/// and whose equations are the s+1 momentum balances, s times k, m times g and once g_t + g_y v, [s times Y].
/// h must be the second input. Q, C_hat (coefficients of N and r) as in Jay (docs/references.md).
struct StageStructure {
  int s = 0, points = 0;  // points: number of Lambda_j, m + 1
  int n_y = 0, n_z = 0, n_g = 0, n_k = 0;
  bool implicit_y = false;
  bool open_chains = false;  // of bodies: the constraints never lose rank
  bool last_with_g = false;  // the last block is K2 (s+1 Lobatto points), else p_z alone
  QuadMatrix Q;              // (s+1) x (s+1): stages -> blocks
  QuadMatrix Q_inverse;
  QuadMatrix g_rows;                           // [g_1/h .. g_m/h; g_t + g_y v] -> blocks
  QuadMatrix psi_back, lambda_back;            // blocks -> h dPsi, h dLambda
  QuadVector last_psi, last_lambda;            // what h Psi and h Lambda still do in the last block
  SparseExprs p_z, r_lambda, N_psi, g_z, k_z;  // in the step's inputs and unknowns; g_z = g_y v_z
};

}  // namespace alembert::internal
