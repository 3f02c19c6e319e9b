// Half a step of M, then half a step of its exact adjoint: symmetric, so of even order.

#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily symmetric() {
  return composed_family(
      "symmetric", "half a step of M, then half a step of its adjoint", "Hairer, Lubich, Wanner II.3", "p+1 (p odd), p",
      [](const Method& M) {
        Method method = M;
        for (int* order : {&method.claims.order_q, &method.claims.order_v, &method.claims.order_multiplier})
          *order += *order % 2;
        method.claims.symmetric = true;
        method.step = [step = M.step](const Equations& e) {
          StepPlan plan = step(e);
          const StepPlan back = adjoint(plan, e);
          const int parts = static_cast<int>(plan.parts.size());
          plan.parts.insert(plan.parts.end(), back.parts.begin(), back.parts.end());
          for (auto& sub : plan.sequence) sub.share /= 2;
          for (const auto& sub : back.sequence) plan.sequence.push_back({parts + sub.part, sub.share / 2});
          return plan;
        };
        return method;
      });
}

}  // namespace alembert::internal::methods
