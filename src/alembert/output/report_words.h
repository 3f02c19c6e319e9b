#pragma once

// Words that the text and the JSON of a report share.

#include "alembert/report.h"

namespace alembert::internal {

const char* word_of(Ending ending);    // "done"
const char* word_of(Control control);  // "fixed"

}  // namespace alembert::internal
