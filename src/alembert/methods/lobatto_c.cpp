// Lobatto IIIC on the multibody form: stiffly accurate, so that what holds at the stages holds at the end of the step:
// the velocity level (index2) or both (ggl). Damps. Order 2s-2. Symank 2025, section 7.2.

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

MethodFamily lobatto_c() {
  return collocation_family_of_forms(
      {.name = "lobatto_c",
       .summary = "Lobatto IIIC, stiffly accurate; constraints in the form index2, index1 or ggl; damps",
       .source = "Symank 2025, LIIIC",
       .orders = "2s-2",
       .least_stages = 2,
       .usual_stages = 3},
      [](int s) { return at_stages(lobatto_iiic(s)); },
      [](int s, ConstraintForm form) { return stiffly_accurate_claims(2 * s - 2, form); });
}

}  // namespace alembert::internal::methods
