#pragma once

#include <string>
#include <vector>

#include "alembert/trajectory.h"

namespace alembert::internal {

/// The groups of columns, told by the names alone, as the writers give them.
Columns columns_from_names(const std::vector<std::string>& names);

}  // namespace alembert::internal
