// Gauss-Lobatto SPARK: Gauss stages for y, f and N; the holonomic constraints hold at the s+1 Lobatto points, with the
// reactions' coefficients a~_ij = b~_j (1 - a-bar_ji / b_i) that make the step symplectic. Order 2s.
// Jay 2009.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily gauss() {
  return spark_family(
      "gauss", "Gauss stages, constraints at the s+1 Lobatto points", "Jay 2009, (s,s)-Gauss-Lobatto SPARK", "2s", 1, 2,
      [](int s) { return with_lobatto_points(alembert::internal::gauss(s)); },
      [](int s) { return symplectic_claims(2 * s); });
}

}  // namespace alembert::internal::methods
