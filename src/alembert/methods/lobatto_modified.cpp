// The modified 2-stage Lobatto IIIA-IIIB method of Jay 2009, section 8.4: the weighted condition on k is replaced by
// k(t0 + h/2, q0 + h/2 V_1, V_1) = 0. Order 2, only for L = v^T M v / 2 - U(q) with constant M.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily lobatto_modified() {
  MethodFamily family = spark_family(
      "lobatto_modified", "2-stage Lobatto IIIA-IIIB with k in the middle of the step", "Jay 2009, section 8.4", "2", 2,
      2,
      [](int s) {
        SparkCoefficients k = lobatto_pair(s, lobatto_iiib(s).A);
        k.nonholonomic = SparkCoefficients::Nonholonomic::middle;
        return k;
      },
      [](int) { return symplectic_claims(2); });
  return two_stages_only(std::move(family));
}

}  // namespace alembert::internal::methods
