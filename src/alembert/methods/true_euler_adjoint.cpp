// The exact adjoint of true_euler, y1 = y0 + h v(y1, Z):
//     Z = z0 - h a r(y0,z0,S0) + h r(y0,z0,S1), g(y1) = 0 ;  z1 = Z + h f(y1,Z) + h a r(y1,z1,S0), g_t + g_y v = 0
// For r nonlinear in the multiplier this is not true_conjugate_euler.
// With contacts the forces of these stand among the multipliers, with psi >= 0, g >= 0, psi g = 0 in place of g = 0.

#include "alembert/methods/shared/euler.h"

namespace alembert::internal::methods {

MethodFamily true_euler_adjoint() {
  return euler_family(
      {.name = "true_euler_adjoint",
       .summary = "exact adjoint of true_euler",
       .source = "the exact adjoint; Hairer, Lubich, Wanner II.3"},
      false,
      [](const Equations& e, Quad a) {
        EulerStep step(e, true, a);
        step.start_from(false, -a, 1);
        step.momentum(step.P(), {{-a, step.r0(step.S0)}, {1, step.r0(step.S1)}}, " in the middle");
        step.momentum(step.p1(), {{-a, step.r0(step.S0)}, {1, step.r0(step.S1)}, {1, step.f()}, {a, step.r1(step.S0)}},
                      " at the end");
        return step.close();
      },
      true);
}

}  // namespace alembert::internal::methods
