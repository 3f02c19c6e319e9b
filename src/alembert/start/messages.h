#pragma once

// How the start speaks: lists of names.

#include <string>
#include <vector>

namespace alembert::internal {

/// "rod1, rod2 and 7 more".
std::string listed(const std::vector<std::string>& names);
/// The names with these numbers.
std::vector<std::string> chosen(const std::vector<std::string>& names, const std::vector<int>& numbers);

}  // namespace alembert::internal
