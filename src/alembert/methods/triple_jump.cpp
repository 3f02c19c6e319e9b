// Composition with three steps of M gamma, 1 - 2 gamma, gamma: removes the leading error of M.

#include "alembert/methods/_composition.h"

namespace alembert::methods {

MethodFamily triple_jump() {
  return composed_family("triple_jump", "three steps gamma, 1 - 2 gamma, gamma", "Yoshida 1990; Creutz, Gocksch 1989", "p+2 (M symmetric), p+1",
                         [](const Method& M) {
                           Method method = M;
                           method.claims = raised(M.claims);
                           method.step = [step = M.step, p = M.claims.order_q](const Equations& e) {
                             return compose(step(e), triple_jump_shares(p));
                           };
                           return method;
                         });
}

}  // namespace alembert::methods
