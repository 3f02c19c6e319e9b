#pragma once

// Characters of a user's text. Columns of places count characters, not bytes; a byte that is no UTF-8 counts as one.

#include <algorithm>
#include <string>
#include <string_view>

namespace alembert::internal {

/// Length in bytes of the character that starts `rest` (not empty); 0 when that is not valid UTF-8.
inline int character_length(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char first = byte(0);
  const int length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || rest.size() < static_cast<std::size_t>(length)) return 0;
  for (int i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond Unicode.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 0;
  if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

/// Whether the character that starts `rest`, of this length, would steer a terminal instead of being shown: control
/// characters but for line ends and tabs, and those that turn the direction of writing, by which a line can look like
/// another one.
inline bool is_control(std::string_view rest, int length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  if (length == 0) return true;
  if (length == 1) return (byte(0) < 0x20 && byte(0) != '\n' && byte(0) != '\t') || byte(0) == 0x7F;
  if (length == 2) return (byte(0) == 0xC2 && byte(1) < 0xA0) || (byte(0) == 0xD8 && byte(1) == 0x9C);
  if (length != 3 || byte(0) != 0xE2) return false;
  const bool marks = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F);   // U+200E, U+200F
  const bool lines = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;     // U+2028 to U+202E
  const bool isolates = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;  // U+2066 to U+2069
  return marks || lines || isolates;
}

/// The text with '?' for all that would steer a terminal.
inline std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const int length = character_length(text.substr(i));
    if (is_control(text.substr(i), length)) out += '?';
    else out += text.substr(i, static_cast<std::size_t>(length));
    i += static_cast<std::size_t>(std::max(length, 1));
  }
  return out;
}

/// Bytes of the mark that some editors write at the start of a file; it takes no column.
inline std::size_t byte_order_mark(std::string_view text) { return text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; }

}  // namespace alembert::internal
