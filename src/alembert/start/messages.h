#pragma once

// How the start speaks: errors with one diagnostic, lists of names.

#include <string>
#include <vector>

#include "alembert/model/model.h"

namespace alembert::internal {

[[noreturn]] void refuse(const Model& model, Place place, std::string message, std::string hint);

/// "rod1, rod2 and 7 more".
std::string listed(const std::vector<std::string>& names);
/// The names with these numbers.
std::vector<std::string> chosen(const std::vector<std::string>& names, const std::vector<int>& numbers);

}  // namespace alembert::internal
