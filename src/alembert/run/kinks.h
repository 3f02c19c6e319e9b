#pragma once

// Where the equations of motion have kinks or jumps: the switching functions of min, max, abs and sign in them.

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// Functions of t, y, z, lambda, psi, each once; the equations are smooth while none of them changes its sign. Empty
/// for most models. What depends on accelerations is left out.
Exprs kinks(const Equations& equations);

}  // namespace alembert::internal
