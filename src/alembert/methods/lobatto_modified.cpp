// The modified 2-stage Lobatto IIIA-IIIB method of Jay 2009, section 8.4: the weighted condition on k is replaced by
// k(t0 + h/2, q0 + h/2 V_1, V_1) = 0. Order 2, only for L = v^T M v / 2 - U(q) with constant M.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily lobatto_modified() {
  SparkCoefficients k = lobatto_pair(2, lobatto_iiib(2).A);
  k.nonholonomic = SparkCoefficients::Nonholonomic::middle;
  Capabilities capabilities = spark_capabilities(k);
  capabilities.varying_mass = false;
  return single_spark({.name = "lobatto_modified",
                       .summary = "2-stage Lobatto IIIA-IIIB with k in the middle of the step",
                       .source = "Jay 2009, section 8.4",
                       .orders = "2"},
                      k, symplectic_claims(2), capabilities);
}

}  // namespace alembert::internal::methods
