// The adjoint of any method, derived from its equations: the two ends of the step and the sign of h exchanged.

#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily adjoint_of() {
  return composed_family({.name = "adjoint_of",
                          .summary = "the adjoint of a method, derived from its equations",
                          .source = "Hairer, Lubich, Wanner II.3",
                          .orders = "as M",
                          .samples = {"adjoint_of(true_euler)", "adjoint_of(radau(2))", "adjoint_of(lobatto(2))",
                                      "adjoint_of(radau_collocation(2))"}},
                         [](const std::string& name, const Method& M) {
                           Method method = composition_of(name, {M});
                           method.claims.symmetric = M.claims.symmetric;
                           method.step = [M](const Equations& e) { return adjoint(M.step(e), e); };
                           return method;
                         });
}

}  // namespace alembert::internal::methods
