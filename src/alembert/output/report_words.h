#pragma once

// Words that the text and the JSON of a report share.

#include <set>
#include <string>
#include <vector>

#include "alembert/report.h"

namespace alembert::internal {

const char* word_of(Ending ending);    // "done"
const char* word_of(Control control);  // "fixed"
/// "x from 0.45 to 0.450017", with as many digits as tell the two apart.
std::string moved_text(const std::string& name, double from, double to);

/// The entries below some groups only ("q", "energy"; the first word of their paths): what the others cost is saved.
std::vector<ReportEntry> entries_of_groups(const Report& report, const std::set<std::string>& groups);

}  // namespace alembert::internal
