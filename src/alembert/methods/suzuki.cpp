// Composition with five steps of M gamma, gamma, 1 - 4 gamma, gamma, gamma: removes the leading error of M.

#include "alembert/methods/_composition.h"

namespace alembert::methods {

MethodFamily suzuki() {
  return composed_family("suzuki", "five steps gamma, gamma, 1 - 4 gamma, gamma, gamma", "Suzuki 1990", "p+2 (M symmetric), p+1",
                         [](const Method& M) {
                           Method method = M;
                           method.claims = raised(M.claims);
                           method.step = [step = M.step, p = M.claims.order_q](const Equations& e) {
                             return compose(step(e), suzuki_shares(p));
                           };
                           return method;
                         });
}

}  // namespace alembert::methods
