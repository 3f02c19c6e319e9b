// Standard Gauss collocation: k = 0 at the stages and not at the end. Kept as a negative control: it can hold the
// energy to rounding while it violates k, so a small energy error alone proves nothing. docs/references.md.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily gauss_standard() {
  return spark_family(
      "gauss_standard", "negative control: k = 0 at the stages only, lost at the grid points", "Jay 2009, section 8.1",
      "s, s+1", 1, 2,
      [](int s) {
        SparkCoefficients k = with_lobatto_points(alembert::internal::gauss(s));
        k.nonholonomic = SparkCoefficients::Nonholonomic::stages;
        return k;
      },
      [](int s) {
        Claims claims;
        claims.order_q = claims.order_v = claims.order_multiplier = s + s % 2;
        claims.symmetric = true;
        claims.nonholonomic = false;
        claims.note = "a negative control: it violates the nonholonomic constraints at the grid points";
        return claims;
      });
}

}  // namespace alembert::internal::methods
