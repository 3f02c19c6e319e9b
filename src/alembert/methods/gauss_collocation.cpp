// Gauss collocation on the multibody form. On constraints: their velocity level (index2), its derivative (index1) or
// both levels (ggl) hold at the stages, and so nowhere at the grid points. Order 2s in y; in z, as the index-2 form has
// it, s+1 for odd and s for even s. Exact power balance for quadratic energies. Symank 2025, sections 5 and 7.2.

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

MethodFamily gauss_collocation() {
  return collocation_family(
      "gauss_collocation", "Gauss collocation, constraints at the stages in the form index2, index1 or ggl",
      "Symank 2025, GLC", "2s", 1, 3, true, ConstraintForm::index2, [](int s) { return at_stages(gauss(s)); },
      [](int s, ConstraintForm form) {
        Claims claims;
        claims.order_q = claims.order_v = 2 * s;
        if (form != ConstraintForm::index1) claims.order_v = s + s % 2;
        claims.order_multiplier = claims.order_v;
        claims.symmetric = true;
        claims.position = claims.velocity = claims.nonholonomic = false;
        claims.note = "constraints hold at the stages, not at the grid points";
        return claims;
      });
}

}  // namespace alembert::internal::methods
