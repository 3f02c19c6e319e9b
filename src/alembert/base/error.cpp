#include "alembert/error.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "alembert/base/utf8.h"

namespace alembert {
namespace {

constexpr int window = 100;          // columns of a source line that are shown around the place
constexpr int indent = 4;            // blanks before a shown line
constexpr std::size_t shown = 50;    // diagnostics written out; the rest is counted
constexpr std::size_t longest = 80;  // characters of a name that is worth comparing

std::string_view line_of(const std::string& text, int line) {
  std::size_t start = 0;
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) return {};
    start = end + 1;
  }
  std::string_view rest = std::string_view(text).substr(start);
  if (start == 0) rest.remove_prefix(internal::byte_order_mark(rest));
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

/// Calls visit(column, text) for every column of a line, counted from 0: tabs become one blank, so that the caret stays
/// below its place; what a terminal must not get becomes '?'. Returns the number of columns.
template <class Visit>
int visit_columns(std::string_view line, Visit visit) {
  int column = 0;
  for (std::size_t i = 0; i < line.size(); ++column) {
    const int length = internal::character_length(line.substr(i));
    if (line[i] == '\t') visit(column, std::string_view(" "));
    else if (internal::is_control(line.substr(i), length)) visit(column, std::string_view("?"));
    else visit(column, line.substr(i, length));
    i += std::max(length, 1);
  }
  return column;
}

/// The line and the caret line below it.
std::string excerpt(const Diagnostic& d) {
  const std::string_view line = line_of(d.source->text, d.place.line);
  int first = -1;
  int last = 0;
  const int size = visit_columns(line, [&](int column, std::string_view text) {
    if (text == " ") return;
    if (first < 0) first = column;
    last = column + 1;
  });
  const int at = std::clamp(d.place.column - 1, 0, size);
  first = std::clamp(first, 0, at);
  std::string front;
  std::string back;
  if (last - first > window) {
    // The place stands in the left third, where the eye meets it and its surroundings stay visible.
    const int begin = std::clamp(at - window / 3, first, std::max(first, last - window));
    const int end = std::min(last, begin + window);
    if (begin > first) front = "...";
    if (end < last) back = "...";
    first = begin;
    last = end;
  }
  std::string out = "\n" + std::string(indent, ' ') + front;
  visit_columns(line, [&](int column, std::string_view text) {
    if (column >= first && column < last) out += text;
  });
  out += back;
  out += "\n" + std::string(indent + front.size() + (at - first), ' ') + "^";
  const int marked = std::min(std::max(d.place.length, 1), std::max(last - at, 1));
  out.append(marked - 1, '~');
  if (!d.hint.empty()) out += " " + internal::printable(d.hint);
  return out;
}

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (std::size_t i = 0; i < std::min(diagnostics.size(), shown); ++i) {
    if (i > 0) out += "\n";
    out += format(diagnostics[i]);
  }
  if (diagnostics.size() > shown) {
    const std::size_t more = diagnostics.size() - shown;
    out += "\n... and " + std::to_string(more) + (more == 1 ? " more error" : " more errors");
  }
  return out;
}

/// Twice the edit distance with swaps of neighbours; a change of case alone costs 1. Gives up above `limit`.
int distance(const std::string& a, const std::string& b, int limit) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const int n = static_cast<int>(a.size());
  const int m = static_cast<int>(b.size());
  if (2 * std::abs(n - m) > limit) return limit + 1;
  std::vector<int> before(m + 1), above(m + 1), row(m + 1);
  for (int j = 0; j <= m; ++j) above[j] = 2 * j;
  for (int i = 1; i <= n; ++i) {
    row[0] = 2 * i;
    for (int j = 1; j <= m; ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
      row[j] = std::min({above[j] + 2, row[j - 1] + 2, above[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 2);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[m];
}

}  // namespace

std::string format(const Diagnostic& d) {
  std::string out;
  if (d.source) out += internal::printable(d.source->name) + ":";
  if (d.place.line > 0) out += std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + ":";
  if (!out.empty()) out += " ";
  out += internal::printable(d.message);
  if (d.source && d.place.line > 0) return out + excerpt(d);
  if (!d.hint.empty()) out += "\n" + std::string(indent, ' ') + internal::printable(d.hint);
  return out;
}

InputError::InputError(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {
  check(!diagnostics_.empty(), "an InputError says what is wrong");
  text_ = joined(diagnostics_);
}

InputError::InputError(std::string message, std::string hint)
    : InputError(std::vector<Diagnostic>{{nullptr, {}, std::move(message), std::move(hint)}}) {}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  if (name.size() > longest) return {};
  const std::string* best = nullptr;
  int limit = 2 * std::max<int>(1, static_cast<int>(name.size()) / 3);
  for (const std::string& candidate : candidates) {
    const int d = distance(name, candidate, limit);
    // Something of the name must be left: 'y' is never meant by 'x'.
    if (d > limit || d >= 2 * static_cast<int>(std::max(name.size(), candidate.size()))) continue;
    best = &candidate;
    if (d == 0) break;
    limit = d - 1;
  }
  return best ? *best : std::string();
}

void check(bool condition, const char* what) {
  if (!condition) throw std::logic_error(std::string("broken promise inside the program: ") + what);
}

}  // namespace alembert
