// True conjugate symplectic Euler (Jay and Simeon, 3.8), y1 = y0 + h v(y1, Z), order 1 also where r is nonlinear in the
// multiplier:
//     Z = z0 + h a r(y0,z0,S0), g(y1) = 0 ;  z1 = Z + h f(y1,Z) - h a r(y1,z1,S0) + h r(y1,z1,S1), g_t + g_y v = 0

#include "alembert/methods/shared/euler.h"

namespace alembert::internal::methods {

MethodFamily true_conjugate_euler() {
  return euler_family(
      {.name = "true_conjugate_euler",
       .summary = "conjugate symplectic Euler, consistent for nonlinear reactions",
       .source = "Jay and Simeon (3.8)"},
      false, [](const Equations& e, Quad a) {
        EulerStep step(e, true);
        step.start_from(false, a, 0);
        step.momentum(step.P(), {{a, step.r0(step.S0)}}, " in the middle");
        step.momentum(step.p1(), {{a, step.r0(step.S0)}, {1, step.f()}, {-a, step.r1(step.S0)}, {1, step.r1(step.S1)}},
                      " at the end");
        return step.close();
      });
}

}  // namespace alembert::internal::methods
