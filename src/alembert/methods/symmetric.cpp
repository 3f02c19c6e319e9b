// Half a step of M, then half a step of its exact adjoint: symmetric, so of even order.

#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily symmetric() {
  return composed_family(
      {.name = "symmetric",
       .summary = "half a step of M, then half a step of its adjoint",
       .source = "Hairer, Lubich, Wanner II.3",
       .orders = "p+1 (p odd), p",
       .samples = {"symmetric(true_euler)", "symmetric(radau(2))", "symmetric(radau_collocation(2))"}},
      [](const std::string& name, const Method& M) {
        Method method = composition_of(name, {M});
        method.claims.symmetric = true;
        if (M.claims.order_q % 2 == 1) method.claims = raised(method.claims, 1);
        method.step = [M](const Equations& e) {
          const StepPlan plan = M.step(e);
          return in_a_row({plan, adjoint(plan, e)});
        };
        return method;
      });
}

}  // namespace alembert::internal::methods
