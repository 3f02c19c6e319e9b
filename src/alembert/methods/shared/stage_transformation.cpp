// The constant transformation that splits the stages of a SPARK step: Q = [Omega 0; 0 1; gamma] (docs/references.md).

#include "alembert/methods/shared/spark.h"

namespace alembert::internal {

namespace {

QuadMatrix times(const QuadMatrix& a, const QuadMatrix& b) {
  QuadMatrix result(a.size(), QuadVector(b.front().size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[k].size(); ++j) result[i][j] += a[i][k] * b[k][j];
  return result;
}

QuadMatrix transposed(const QuadMatrix& a) {
  QuadMatrix result(a.front().size(), QuadVector(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) result[j][i] = a[i][j];
  return result;
}

QuadMatrix inverse(const QuadMatrix& a) {
  QuadMatrix unit(a.size(), QuadVector(a.size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) unit[i][i] = 1;
  return solve(a, unit);
}

QuadMatrix with_row(QuadMatrix a, const QuadVector& row) {
  a.push_back(row);
  return a;
}

QuadMatrix with_zero_column(QuadMatrix a) {
  for (QuadVector& row : a) row.push_back(0);
  return a;
}

/// (0, ..., 0, 1).
QuadVector last_unit(int size) {
  QuadVector row(size, 0);
  row.back() = 1;
  return row;
}

/// Rows b_j c_j^(i-1), i = 1..s-1: the weights of the nonholonomic constraints.
QuadMatrix omega(const SparkCoefficients& k) {
  QuadMatrix rows;
  QuadVector row = k.b;
  for (int i = 1; i < k.s(); ++i) {
    rows.push_back(row);
    for (int j = 0; j < k.s(); ++j) row[j] *= k.c[j];
  }
  return rows;
}

/// -b^T A^{-1} and 1 where the points of g are s+1; else b_j P_{s-1}(2 c_j - 1) and 0.
QuadVector gamma(const SparkCoefficients& k, bool last_with_g) {
  const int s = k.s();
  QuadVector row(s + 1, 0);
  if (!last_with_g) {
    for (int j = 0; j < s; ++j) row[j] = k.b[j] * legendre(s - 1, 2 * k.c[j] - 1).p;
    return row;
  }
  QuadMatrix right(s, QuadVector(1));
  for (int i = 0; i < s; ++i) right[i][0] = -k.b[i];
  const QuadMatrix x = solve(transposed(k.A), right);
  for (int j = 0; j < s; ++j) row[j] = x[j][0];
  row[s] = 1;
  return row;
}

/// What turns the rows of g at the points 1..m into those of the transformed stages.
QuadMatrix rows_of_g(const SparkCoefficients& k, const QuadMatrix& Q, const QuadMatrix& Omega, bool last_with_g) {
  const int s = k.s();
  const QuadMatrix inner(k.A_bar.begin() + 1, k.A_bar.end());
  if (last_with_g) return times(Q, with_row(with_zero_column(inverse(inner)), last_unit(s + 1)));
  // Rows 2..s of A are S Omega.
  const QuadMatrix Omega_T = transposed(Omega);
  const QuadMatrix S = times(times(inner, Omega_T), inverse(times(Omega, Omega_T)));
  return with_row(with_zero_column(inverse(S)), last_unit(s));
}

}  // namespace

StageStructure stage_transformation(const SparkCoefficients& k) {
  const int s = k.s();
  StageStructure d;
  d.s = s;
  d.points = k.m() + 1;
  d.last_with_g = k.m() == s;
  const QuadMatrix Omega = omega(k);
  const QuadVector last = gamma(k, d.last_with_g);
  const QuadMatrix Q_top = with_row(with_zero_column(Omega), last_unit(s + 1));
  d.Q = with_row(Q_top, last);
  d.Q_inverse = inverse(d.Q);
  const QuadMatrix alpha_prime = with_row(k.A_prime, k.b_prime);
  const QuadMatrix alpha_tilde = with_row(k.A_tilde, k.b_tilde);
  d.psi_back = inverse(times(Q_top, alpha_prime));
  d.last_psi = times({last}, alpha_prime)[0];
  d.last_lambda = times({last}, alpha_tilde)[0];
  d.lambda_back = inverse(times(d.last_with_g ? d.Q : Q_top, alpha_tilde));
  d.g_rows = rows_of_g(k, d.Q, Omega, d.last_with_g);
  return d;
}

}  // namespace alembert::internal
