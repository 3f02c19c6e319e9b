#pragma once

// The derived equations as a reader wants them: text in the model language (with accelerations), or LaTeX.

#include <string>

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// What every symbol stands for, then sections q' = v, p, f, N, r, g, g_t + g_q v, k, energy, invariants, index-reduced
/// system; those that are empty are left out. Right sides are simplified for the reader (expr/collect.h). The equations
/// are best derived with symbolic parameters. Ends with a newline.
std::string show(const Model& model, const Equations& e, const ShowOptions& options = {});

}  // namespace alembert::internal
