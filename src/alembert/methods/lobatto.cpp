// Lobatto IIIA-IIIB: IIIA for y, IIIB for f, N and r; all constraints at the stages. s = 2 is RATTLE, and Symank 2025
// calls the family J-PRK. Order 2s-2. Jay 1996, 2009; Symank 2025.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily lobatto() {
  return spark_family(
      {.name = "lobatto",
       .summary = "Lobatto IIIA-IIIB; s = 2 is RATTLE",
       .source = "Jay 1996; thesis J-PRK",
       .orders = "2s-2",
       .least_stages = 2,
       .usual_stages = 3,
       .aliases = {{"rattle", {"2"}}}},
      [](int s) { return lobatto_pair(s, lobatto_iiib(s).A); }, [](int s) { return symplectic_claims(2 * s - 2); });
}

}  // namespace alembert::internal::methods
