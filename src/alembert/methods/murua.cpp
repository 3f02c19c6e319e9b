// Murua's partitioned method on the index-2 form: Gauss stages, g_t + g_y v = 0 and k = 0 at the Lobatto points other
// than the start. Order 2s; g itself drifts with that order. Murua 1997; Symank 2025, definition 6.5 (M-PRK).

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

MethodFamily murua() {
  return collocation_family("murua", "Gauss stages, velocity constraints at the Lobatto points; keeps them, not g",
                            "Murua 1997; thesis M-PRK", "2s", 1, 3, false, ConstraintForm::index2, murua_scheme,
                            [](int s, ConstraintForm) {
                              Claims claims;
                              claims.order_q = claims.order_v = claims.order_multiplier = 2 * s;
                              claims.symmetric = true;
                              claims.position = false;
                              return claims;
                            });
}

}  // namespace alembert::internal::methods
