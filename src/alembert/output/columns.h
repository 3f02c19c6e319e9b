#pragma once

#include <string>
#include <vector>

#include "alembert/trajectory.h"

namespace alembert::internal {

/// The groups of columns, told by the names alone, as the writers give them; `observed` are those of what the model
/// observes, where that is known.
Columns columns_from_names(const std::vector<std::string>& names, const std::vector<std::string>& observed = {});

}  // namespace alembert::internal
