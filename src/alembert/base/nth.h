#pragma once

#include <cstddef>

namespace alembert::internal {

/// A sum of numbers as a place in a list.
inline std::size_t nth(int number) { return static_cast<std::size_t>(number); }

}  // namespace alembert::internal
