// Radau IIA for y, f and N, holonomic constraints at the s+1 Lobatto points. Order 2s-1; neither symmetric nor
// symplectic. Jay (modified Newton iterations).

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

namespace {

Claims radau_claims(int s) {
  Claims claims;
  claims.set_orders(2 * s - 1);
  return claims;
}

}  // namespace

MethodFamily radau() {
  const MethodFamily family = spark_family(
      {.name = "radau",
       .summary = "Radau IIA stages, constraints at the s+1 Lobatto points; damps",
       .source = "Jay 2007, SPARK with Radau IIA",
       .orders = "2s-1",
       .least_stages = 1,
       .usual_stages = 3},
      [](int s) { return with_lobatto_points(radau_iia(s)); }, radau_claims);
  // Measured with loads that change in time: 2s-2.
  return losing_orders(family, 1);
}

}  // namespace alembert::internal::methods
