// Standard Gauss collocation: k = 0 at the stages and not at the end. A negative control: it can hold the energy to
// rounding while it violates k, so a small energy error alone proves nothing. docs/references.md.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

namespace {

SparkCoefficients coefficients(int s) {
  SparkCoefficients k = with_lobatto_points(alembert::internal::gauss(s));
  k.nonholonomic = SparkCoefficients::Nonholonomic::stages;
  return k;
}

Claims gauss_standard_claims(int s) {
  Claims claims;
  claims.set_orders(s + s % 2);
  claims.order_q = 2 * s;
  claims.symplectic = true;  // without k it is gauss(s)
  claims.symmetric = true;
  claims.nonholonomic = false;
  claims.note = "a negative control: it violates the nonholonomic constraints at the grid points";
  return claims;
}

}  // namespace

MethodFamily gauss_standard() {
  return spark_family({.name = "gauss_standard",
                       .summary = "negative control: k = 0 at the stages only, lost at the grid points",
                       .source = "Jay 2009, section 8.1",
                       .orders = "2s, in v s+1 (s odd), s",
                       .least_stages = 1,
                       .usual_stages = 2},
                      coefficients, gauss_standard_claims);
}

}  // namespace alembert::internal::methods
