#pragma once

// Files that models name beside themselves: components, tables. All of them are opened here, so that a program that
// reads the models of others can keep them inside a folder.

#include <cstddef>
#include <optional>
#include <string>

namespace alembert::internal {

/// From now on, in the whole process: relative names are below this folder, whatever lies outside is not there for
/// read_file and file_is_there, and below it no symbolic link is followed. Throws InputError where the folder cannot be
/// opened.
void confine_files(const std::string& folder);

/// Whether there is a regular file that may be looked at.
bool file_is_there(const std::string& path);

/// A model of a million statements has 50 MB; what is longer is a device, or no model.
inline constexpr std::size_t longest_file = std::size_t{1} << 28;

/// The whole text; nothing where it cannot be read, is a directory, or has no end.
std::optional<std::string> read_file(const std::string& path);

/// Opens a path below an open folder, as openat does with these flags, but follows no symbolic link, and takes neither
/// absolute names nor "..". -1 with errno where that fails; EACCES where the name would lead outside.
int open_below(int folder, const std::string& path, int flags);

}  // namespace alembert::internal
