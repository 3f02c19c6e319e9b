#pragma once

// The sources of the pages of the lab, src/alembert/lab/web, which the build puts into it.

#include <string_view>

namespace alembert::internal {

/// The text of a file by its name, "entry.html". The name is one of ours.
std::string_view lab_web_text(std::string_view file_name);

}  // namespace alembert::internal
