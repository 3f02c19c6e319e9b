#pragma once

#include <string>

#include "alembert/tree.h"

namespace alembert::internal {

/// What is said of something, and nothing where nothing is said.
inline Tree text_or_nothing(const std::string& text) { return text.empty() ? Tree() : Tree(text); }

}  // namespace alembert::internal
