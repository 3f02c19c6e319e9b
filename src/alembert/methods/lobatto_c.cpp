// Lobatto IIIC on the multibody form: stiffly accurate, so that what holds at the stages holds at the end of the step:
// the velocity level (index2) or both (ggl). Damps. Order 2s-2. Symank 2025, section 7.2.

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

MethodFamily lobatto_c() {
  return collocation_family(
      "lobatto_c", "Lobatto IIIC, stiffly accurate; constraints in the form index2, index1 or ggl; damps",
      "Symank 2025, LIIIC", "2s-2", 2, 3, true, ConstraintForm::index2,
      [](int s) { return at_stages(lobatto_iiic(s)); },
      [](int s, ConstraintForm form) {
        Claims claims;
        claims.order_q = claims.order_v = claims.order_multiplier = 2 * s - 2;
        claims.position = form == ConstraintForm::ggl;
        claims.velocity = claims.nonholonomic = form != ConstraintForm::index1;
        return claims;
      });
}

}  // namespace alembert::internal::methods
