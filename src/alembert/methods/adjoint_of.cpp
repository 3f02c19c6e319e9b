// The adjoint of any method, derived from its equations: the two ends of the step and the sign of h exchanged.

#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily adjoint_of() {
  return composed_family("adjoint_of", "the adjoint of a method, derived from its equations",
                         "Hairer, Lubich, Wanner II.3", "as M", [](const Method& M) { return adjoint(M); });
}

}  // namespace alembert::internal::methods
