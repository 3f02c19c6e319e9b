// Lobatto IIID for y, f and N, holonomic constraints at the s+1 Lobatto points. Order 2s-2; 2s-4 where reactions are
// nonlinear in the multipliers (measured). Jay 2009.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily lobatto_d() {
  const MethodFamily family = spark_family(
      {.name = "lobatto_d",
       .summary = "Lobatto IIID stages, constraints at the s+1 Lobatto points",
       .source = "Jay 2009, section 7.5",
       .orders = "2s-2",
       .least_stages = 2,
       .usual_stages = 3},
      [](int s) { return with_lobatto_points(lobatto_iiid(s)); }, [](int s) { return symplectic_claims(2 * s - 2); });
  return losing_orders(family, 2);
}

}  // namespace alembert::internal::methods
