// Radau IIA for y, f and N, holonomic constraints at the s+1 Lobatto points. Order 2s-1; neither symmetric nor
// symplectic. Jay (modified Newton iterations).

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily radau() {
  return spark_family(
      "radau", "Radau IIA stages, constraints at the s+1 Lobatto points; damps", "Jay 2007, SPARK with Radau IIA",
      "2s-1", 1, 3, [](int s) { return with_lobatto_points(radau_iia(s)); },
      [](int s) {
        Claims claims;
        claims.order_q = claims.order_v = claims.order_multiplier = 2 * s - 1;
        return claims;
      });
}

}  // namespace alembert::internal::methods
