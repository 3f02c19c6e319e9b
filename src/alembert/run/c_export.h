#pragma once

// The step of a model and a method as C99: one source without dependencies, its header, and an example of its use.

#include <string>

#include "alembert/run/engine.h"

namespace alembert::internal {

struct CFiles {
  std::string source, header;
};

/// prefix: begins every name, a C identifier in small letters; header: the name under which the source includes it.
/// Throws InputError where the step cannot be one function, and says why.
CFiles export_c(Engine& engine, const std::string& prefix, const std::string& header);

}  // namespace alembert::internal
