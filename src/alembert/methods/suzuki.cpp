// Five steps of M with the shares gamma, gamma, 1 - 4 gamma, gamma, gamma, gamma = 1/(4 - 4^(1/(p+1))): removes the
// leading error of M with smaller constants than triple_jump.

#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily suzuki() {
  return raising_family({.name = "suzuki",
                         .summary = "five steps gamma, gamma, 1 - 4 gamma, gamma, gamma",
                         .source = "Suzuki 1990",
                         .samples = {"suzuki(true_euler)", "suzuki(lobatto(2))", "suzuki(murua(1))"}},
                        suzuki_shares);
}

}  // namespace alembert::internal::methods
