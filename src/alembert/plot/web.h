#pragma once

// The sources of pages and figures, src/alembert/plot/web, which the build puts into the library.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alembert::internal {

/// The text of a file by its name, "page.css". The name is one of ours.
std::string_view web_text(std::string_view file_name);

/// A bundle of web/: "page.js", "page.css", "studio.js", "studio.css", "licences.txt"; "" where the program was built
/// without them (no Node.js, or npm's registry could not be reached).
std::string_view web_bundle(std::string_view file_name);

/// A template with its places filled: {{name}} becomes the value of that name. Values are put in as they are, and not
/// looked through again. Every place has a value.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& values);

}  // namespace alembert::internal
