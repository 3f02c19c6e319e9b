#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace alembert::internal {

// A model of a million statements has 50 MB; what is longer is a device, or no model.
inline constexpr std::size_t longest_model_text = std::size_t{1} << 28;

/// A whole file of text; nothing where it cannot be read, is a folder, or has no end.
inline std::optional<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) return {};
  std::string text;
  char part[1 << 16];
  while (file.read(part, sizeof part) || file.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
    if (text.size() > longest_model_text) return {};
  }
  return text;
}

}  // namespace alembert::internal
