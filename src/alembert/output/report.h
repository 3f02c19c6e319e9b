#pragma once

// What a run ends with: a few lines of text, or the one JSON object of SPEC.

#include <string>

#include "alembert/run/simulate.h"

namespace alembert::internal {

std::string to_text(const Report& report, const Model& model, const Equations& equations);
std::string to_json(const Report& report, const Model& model, const Equations& equations);

}  // namespace alembert::internal
