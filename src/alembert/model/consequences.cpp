#include "alembert/model/consequences.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

namespace alembert::internal {

namespace {

/// How far the names in a line may be those that its statement declares.
std::size_t declares_until(const std::string& line) {
  std::istringstream words(line);
  std::string keyword;
  words >> keyword;
  for (const char* one : {"when", "stop"})
    if (keyword == one) return 0;
  for (const char* one : {"event", "observe", "conserve"})
    if (keyword == one) return line.find(':');
  return std::string::npos;
}

}  // namespace

std::set<std::string> lost_names(const Source& source, const std::vector<Diagnostic>& errors) {
  std::set<int> bad;
  for (const Diagnostic& d : errors)
    if (d.source.get() == &source) bad.insert(d.place.line);
  std::set<std::string> names;
  std::istringstream text(source.text);
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (!bad.contains(number)) continue;
    line = line.substr(0, declares_until(line));
    std::string word;
    for (const char c : line + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') word += c;
      else if (!word.empty()) names.insert(std::exchange(word, {}));
    }
  }
  return names;
}

void leave_out_consequences(std::vector<Diagnostic>& errors, const std::set<std::string>& lost,
                            const std::vector<Diagnostic>& said) {
  if (lost.empty()) return;
  std::set<std::pair<const Source*, int>> lines;
  for (const Diagnostic& d : said) lines.emplace(d.source.get(), d.place.line);
  std::erase_if(errors, [&](const Diagnostic& d) {
    if (lines.contains({d.source.get(), d.place.line})) return true;
    for (std::size_t open = d.message.find('\''); open != std::string::npos;) {
      const std::size_t close = d.message.find('\'', open + 1);
      if (close == std::string::npos) return false;
      const std::string quoted = d.message.substr(open + 1, close - open - 1);
      if (lost.contains(quoted.substr(0, quoted.find_first_of(".[")))) return true;
      open = d.message.find('\'', close + 1);
    }
    return false;
  });
}

}  // namespace alembert::internal
