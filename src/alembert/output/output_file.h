#pragma once

// Files that rows are written to while a run goes on.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alembert/base/bytes.h"

namespace alembert::internal {

/// Says when rows that were gathered have to go to the disk: when they are many, or old.
class FlushClock {
 public:
  bool due(std::size_t bytes);

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A file that is known to be writable, and that no other run writes while this one lasts. What it held stays until
/// clear() or cut(), so that a run that is refused destroys nothing; a file that was made here and never cleared is
/// removed again. All failures throw WriteError.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }
  void clear();
  /// Adds text at the end, then `tail`, which the next call overwrites. `ends` says where the rows of the text end.
  /// Where not all of it can be written the file ends with the last whole row that could, and the tail.
  void append(std::string_view text, std::span<const std::size_t> ends, std::string_view tail = {});
  /// Where the next text goes: all before the tail.
  std::uint64_t size() const { return end_; }
  /// Goes on behind this many bytes of what is there.
  void cut(std::uint64_t size);
  /// A number that tells the last bytes before this place from others.
  std::uint64_t trace(std::uint64_t size) const;
  /// Makes sure that the file can grow by this much: false where the disk or a limit has no room.
  bool reserve(std::uint64_t bytes);
  /// Gives back what was reserved and not needed.
  void release();
  void close();
  [[noreturn]] void fail(const std::string& why) const;

 private:
  [[noreturn]] void fail() const;  // as errno says
  std::size_t write_at(std::uint64_t place, std::string_view text) const;

  std::string path_;
  int descriptor_ = -1;
  bool existed_ = false, cleared_ = false;
  bool regular_ = true;  // no pipe and no device
  std::uint64_t end_ = 0;
  std::string tail_;  // that stands behind it
};

/// A path by which two spellings of one file are told to be the same.
std::string place_of_file(const std::string& path);
/// Of what writers left at a checkpoint that of the file, read up to behind its place; nothing where it left none.
std::optional<ByteReader> mark_of_file(std::span<const std::vector<std::byte>> marks, const std::string& path);

}  // namespace alembert::internal
