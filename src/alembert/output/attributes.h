#pragma once

// Which run it was, as the attributes that .h5 and .json files carry: names with texts or numbers.

#include <map>
#include <string>

#include "alembert/report.h"

namespace alembert::internal {

struct Attributes {
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;
};

/// Texts: "model", "model_text", "parameters" (lines as `m1 = 2` and `l = (1, 0.5)`), "method", "control", "settings",
/// "overrides", "inputs", "observed" (columns), "files" (one a line), "file:PATH" (the text of each), "version".
/// Numbers: "start", "end", "step", "tolerance", "absolute_tolerance".
Attributes attributes_of(const RunDescription& run);

/// As one object of JSON.
std::string to_json(const Attributes& attributes);

/// The same back; what is missing, or not written as above, stays empty. Files of older versions have the step as text.
RunDescription run_from(const Attributes& attributes);

/// Under which name the text of a file stands.
std::string file_attribute(const std::string& path);
std::vector<std::string> lines_in(const std::string& text);

}  // namespace alembert::internal
