#pragma once

// Words that the text and the JSON of a report share.

#include <string>

#include "alembert/report.h"

namespace alembert::internal {

const char* word_of(Ending ending);    // "done"
const char* word_of(Control control);  // "fixed"
/// "x from 0.45 to 0.450017", with as many digits as tell the two apart.
std::string moved_text(const std::string& name, double from, double to);

}  // namespace alembert::internal
