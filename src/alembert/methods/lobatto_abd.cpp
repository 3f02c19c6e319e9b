// Lobatto IIIA-IIIB-IIID: as lobatto, but the nonholonomic reactions N go with IIID. Order 2s-2. Jay 2009, section 7.5.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily lobatto_abd() {
  return spark_family(
      {.name = "lobatto_abd",
       .summary = "Lobatto IIIA-IIIB, nonholonomic reactions with IIID",
       .source = "Jay 2009, section 7.5",
       .orders = "2s-2",
       .least_stages = 2,
       .usual_stages = 3},
      [](int s) { return lobatto_pair(s, lobatto_iiid(s).A); }, [](int s) { return symplectic_claims(2 * s - 2); });
}

}  // namespace alembert::internal::methods
