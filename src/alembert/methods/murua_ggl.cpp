// Murua's partitioned method on the Gear-Gupta-Leimkuhler form y' = v + g_y^T mu: g = 0 and g_t + g_y v = 0 at the
// Lobatto points other than the start. Order 2s. Murua 1997; Gear, Gupta, Leimkuhler 1985; Symank 2025 (M-PRK-GGL).

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

MethodFamily murua_ggl() {
  return collocation_family("murua_ggl", "Murua's method on the Gear-Gupta-Leimkuhler form; keeps both levels",
                            "Murua 1997; thesis M-PRK-GGL", "2s", 1, 3, false, ConstraintForm::ggl, murua_scheme,
                            [](int s, ConstraintForm) {
                              Claims claims;
                              claims.order_q = claims.order_v = claims.order_multiplier = 2 * s;
                              claims.symmetric = true;
                              return claims;
                            });
}

}  // namespace alembert::internal::methods
