#pragma once

// What a model is, whether its initial values are consistent, and which methods take it.

#include "alembert/derive/equations.h"
#include "alembert/study.h"

namespace alembert::internal {

/// Says nothing of the model's own method but what it preserves: whether there is such a one, and whether it takes the
/// model, the caller asks.
Examination examine(const Model& model, const Equations& equations);

}  // namespace alembert::internal
