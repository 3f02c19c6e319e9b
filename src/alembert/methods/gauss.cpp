// Gauss-Lobatto SPARK: Gauss stages for y, f and N; the holonomic constraints hold at the s+1 Lobatto points, with the
// reactions' coefficients a~_ij = b~_j (1 - a-bar_ji / b_i) that make the step symplectic. Order 2s.
// Jay 2009.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily gauss() {
  return spark_family(
      {.name = "gauss",
       .summary = "Gauss stages, constraints at the s+1 Lobatto points",
       .source = "Jay 2009, (s,s)-Gauss-Lobatto SPARK",
       .orders = "2s",
       .least_stages = 1,
       .usual_stages = 2,
       .aliases = {{"gauss_spark", {}}}},
      [](int s) { return with_lobatto_points(alembert::internal::gauss(s)); },
      [](int s) { return symplectic_claims(2 * s); });
}

}  // namespace alembert::internal::methods
