// True symplectic Euler (Jay and Simeon, 3.5), y1 = y0 + h v(y0, Z), order 1 also where r is nonlinear in the
// multiplier:
//     Z = z0 + h f(y0,Z) + h a r(y0,z0,S0), g(y1) = 0 ;  z1 = Z - h a r(y1,z1,S0) + h r(y1,z1,S1), g_t + g_y v = 0
// With contacts the forces of these stand among the multipliers, with psi >= 0, g >= 0, psi g = 0 in place of g = 0.

#include "alembert/methods/shared/euler.h"

namespace alembert::internal::methods {

MethodFamily true_euler() {
  return euler_family(
      {.name = "true_euler",
       .summary = "symplectic Euler, consistent for reactions nonlinear in the multiplier",
       .source = "Jay and Simeon (3.5)"},
      false,
      [](const Equations& e, Quad a) {
        EulerStep step(e, false, a);
        step.start_from(true, a, 0);
        step.momentum(step.P(), {{1, step.f()}, {a, step.r0(step.S0)}}, " in the middle");
        step.momentum(step.p1(), {{1, step.f()}, {a, step.r0(step.S0)}, {-a, step.r1(step.S0)}, {1, step.r1(step.S1)}},
                      " at the end");
        return step.close();
      },
      true);
}

}  // namespace alembert::internal::methods
