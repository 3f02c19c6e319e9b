// The exact adjoint of true_conjugate_euler, y1 = y0 + h v(y0, Z):
//     Z = z0 + h f(y0,Z) - h a r(y0,z0,S0) + h r(y0,z0,S1), g(y1) = 0 ;  z1 = Z + h a r(y1,z1,S0), g_t + g_y v = 0

#include "alembert/methods/shared/euler.h"

namespace alembert::internal::methods {

MethodFamily true_conjugate_euler_adjoint() {
  return euler_family(
      {.name = "true_conjugate_euler_adjoint",
       .summary = "exact adjoint of true_conjugate_euler",
       .source = "the exact adjoint; Hairer, Lubich, Wanner II.3"},
      false, [](const Equations& e, Quad a) {
        EulerStep step(e, false);
        step.start_from(true, -a, 1);
        step.momentum(step.P(), {{1, step.f()}, {-a, step.r0(step.S0)}, {1, step.r0(step.S1)}}, " in the middle");
        step.momentum(step.p1(), {{1, step.f()}, {-a, step.r0(step.S0)}, {1, step.r0(step.S1)}, {a, step.r1(step.S0)}},
                      " at the end");
        return step.close();
      });
}

}  // namespace alembert::internal::methods
