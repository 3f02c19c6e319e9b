// Three steps of M with the shares gamma, 1 - 2 gamma, gamma, gamma = 1/(2 - 2^(1/(p+1))): removes the leading error of
// M.

#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily triple_jump() {
  return raising_family({.name = "triple_jump",
                         .summary = "three steps gamma, 1 - 2 gamma, gamma",
                         .source = "Yoshida 1990; Creutz, Gocksch 1989",
                         .samples = {"triple_jump(true_euler)", "triple_jump(lobatto(2))"}},
                        triple_jump_shares);
}

}  // namespace alembert::internal::methods
