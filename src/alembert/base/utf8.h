#pragma once

// Characters of a user's text. Columns of places count characters, not bytes; a byte that is no UTF-8 counts as one.

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

/// Bytes of the mark that some editors write at the start of a file; it takes no column.
inline std::size_t byte_order_mark(std::string_view text) { return text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; }

}  // namespace alembert::internal
