#pragma once

// Declarations over ranges of their own. Inside model/ only.

#include <vector>

#include "alembert/text/syntax.h"

namespace alembert::internal {

/// coordinate r[i][3] for i = 1..N as a family, with a name that nobody else can write, and coordinate r[i][3] over it.
/// Appends what is wrong to `errors`.
Text with_declared_families(const Text& text, std::vector<Diagnostic>& errors);

}  // namespace alembert::internal
