// Murua's partitioned method on the Gear-Gupta-Leimkuhler form y' = v + g_y^T mu: g = 0 and g_t + g_y v = 0 at the
// Lobatto points other than the start. Order 2s. Murua 1997; Gear, Gupta, Leimkuhler 1985; Symank 2025 (M-PRK-GGL).

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

namespace {

Claims murua_ggl_claims(int s) {
  Claims claims;
  claims.set_orders(2 * s);
  claims.symmetric = true;
  return claims;
}

}  // namespace

MethodFamily murua_ggl() {
  return collocation_family({.name = "murua_ggl",
                             .summary = "Murua's method on the Gear-Gupta-Leimkuhler form; preserves both levels",
                             .source = "Murua 1997; thesis M-PRK-GGL",
                             .orders = "2s",
                             .least_stages = 1,
                             .usual_stages = 3},
                            ConstraintForm::ggl, murua_scheme, murua_ggl_claims);
}

}  // namespace alembert::internal::methods
