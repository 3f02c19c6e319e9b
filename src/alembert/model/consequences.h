#pragma once

// Errors that only follow from others. Inside model/ only.

#include <set>
#include <string>
#include <vector>

#include "alembert/error.h"

namespace alembert::internal {

/// The words in the lines that could not be read and that may be declared there.
std::set<std::string> lost_names(const Source& source, const std::vector<Diagnostic>& errors);

/// Leaves out what is said, in quotes, of names that are lost, or of what they have made, 'hinge' and 'hinge.angle',
/// and what is said of lines about which something is said already.
void leave_out_consequences(std::vector<Diagnostic>& errors, const std::set<std::string>& lost,
                            const std::vector<Diagnostic>& said);

}  // namespace alembert::internal
