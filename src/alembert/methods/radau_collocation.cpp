// Radau IIA collocation on the multibody form and on port-Hamiltonian systems: stiffly accurate, so that what holds at
// the stages holds at the end of the step. Damps less than Lobatto IIIC and has one order more. Order 2s-1. Hairer and
// Wanner, Solving Ordinary Differential Equations II, IV.5 and VII.

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

MethodFamily radau_collocation() {
  return collocation_family(
      "radau_collocation",
      "Radau IIA collocation, stiffly accurate; constraints in the form index2, index1 or ggl; damps",
      "Hairer, Wanner 1996, RADAU5", "2s-1", 1, 3, true, ConstraintForm::index2,
      [](int s) { return at_stages(radau_iia(s)); },
      [](int s, ConstraintForm form) {
        Claims claims;
        claims.order_q = claims.order_v = claims.order_multiplier = 2 * s - 1;
        claims.position = form == ConstraintForm::ggl;
        claims.velocity = claims.nonholonomic = form != ConstraintForm::index1;
        return claims;
      });
}

}  // namespace alembert::internal::methods
