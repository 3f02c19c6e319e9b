// Murua's partitioned method on the index-2 form: Gauss stages, g_t + g_y v = 0 and k = 0 at the Lobatto points other
// than the start. Order 2s; g itself drifts with that order. Murua 1997; Symank 2025, definition 6.5 (M-PRK).

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

namespace {

Claims murua_claims(int s) {
  Claims claims;
  claims.set_orders(2 * s);
  claims.symmetric = true;
  claims.position = false;
  return claims;
}

}  // namespace

MethodFamily murua() {
  return collocation_family(
      {.name = "murua",
       .summary = "Gauss stages, velocity constraints at the Lobatto points; preserves them, not g",
       .source = "Murua 1997; thesis M-PRK",
       .orders = "2s",
       .least_stages = 1,
       .usual_stages = 3},
      ConstraintForm::index2, murua_scheme, murua_claims);
}

}  // namespace alembert::internal::methods
