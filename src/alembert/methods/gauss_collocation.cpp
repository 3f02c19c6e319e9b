// Gauss collocation on the multibody form. On constraints: their velocity level (index2), its derivative (index1) or
// both levels (ggl) hold at the stages, and so nowhere at the grid points. Order 2s in y; in z, as the index-2 form has
// it, s+1 for odd and s for even s; in the form ggl y has that order too. Exact power balance for quadratic energies.
// Symank 2025, sections 5 and 7.2.

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

namespace {

Claims gauss_collocation_claims(int s, ConstraintForm form) {
  Claims claims;
  claims.set_orders(form == ConstraintForm::index1 ? 2 * s : s + s % 2);
  if (form != ConstraintForm::ggl) claims.order_q = 2 * s;
  claims.symmetric = true;
  claims.position = claims.velocity = claims.nonholonomic = false;
  claims.near_identity = form == ConstraintForm::index1;
  claims.note = "constraints hold at the stages, not at the grid points";
  return claims;
}

}  // namespace

MethodFamily gauss_collocation() {
  return collocation_family_of_forms(
      {.name = "gauss_collocation",
       .summary = "Gauss collocation, constraints at the stages in the form index2, index1 or ggl",
       .source = "Symank 2025, GLC",
       .orders = "2s",
       .least_stages = 1,
       .usual_stages = 3},
      [](int s) { return at_stages(internal::gauss(s)); }, gauss_collocation_claims);
}

}  // namespace alembert::internal::methods
