#pragma once

// What is looked at before a study begins.

#include "alembert/study/sweep.h"

namespace alembert::internal {

/// Names that do not exist or are given twice, values that cannot be read: all of them, as one InputError.
void check_names_and_values(const SweepOptions& options, const Model& model);

/// Which axes one compilation serves: a single parameter that does not shape the model, or a single initial value, and
/// numbers for it.
std::vector<bool> open_axes(const SweepOptions& options, const Model& model);

}  // namespace alembert::internal
