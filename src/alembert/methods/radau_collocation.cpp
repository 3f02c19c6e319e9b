// Radau IIA collocation on the multibody form and on port-Hamiltonian systems: stiffly accurate, so that what holds at
// the stages holds at the end of the step. Damps less than Lobatto IIIC and has one order more. Order 2s-1. Hairer and
// Wanner, Solving Ordinary Differential Equations II, IV.5 and VII.

#include "alembert/methods/shared/collocation.h"

namespace alembert::internal::methods {

MethodFamily radau_collocation() {
  return collocation_family_of_forms(
      {.name = "radau_collocation",
       .summary = "Radau IIA collocation, stiffly accurate; constraints in the form index2, index1 or ggl; damps",
       .source = "Hairer, Wanner 1996, RADAU5",
       .orders = "2s-1",
       .least_stages = 1,
       .usual_stages = 3,
       .aliases = {{"radau5", {"3"}}}},
      [](int s) { return at_stages(radau_iia(s)); },
      [](int s, ConstraintForm form) { return stiffly_accurate_claims(2 * s - 1, form); });
}

}  // namespace alembert::internal::methods
