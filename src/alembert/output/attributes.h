#pragma once

// Which run it was, as the attributes that .h5 and .json files carry: names and texts.

#include <map>
#include <string>

#include "alembert/report.h"

namespace alembert::internal {

using Attributes = std::map<std::string, std::string>;

/// "model", "model_text", "parameters", "method", "step", "version", "observed" (columns, one a line). The parameters
/// are lines as `m1 = 2` and `l = (1, 0.5)`.
Attributes attributes_of(const RunDescription& run);

/// The same back; what is missing, or not written as above, stays empty.
RunDescription run_from(const Attributes& attributes);

}  // namespace alembert::internal
