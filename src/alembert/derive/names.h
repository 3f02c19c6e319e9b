#pragma once

// Names that a user gives values: initial values, and the parameters and inputs that stay open.

#include <map>
#include <string>

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// Throws InputError, with all of them, for names that have no value to set: unknown ones and those that were folded.
void check_names(const Model& model, const Equations& e, const std::map<std::string, double>& values);

}  // namespace alembert::internal
