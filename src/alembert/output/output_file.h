#pragma once

// Files that rows are written to while a run goes on.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace alembert::internal {

/// Says when rows that were gathered have to go to the disk: when they are many, or old.
class FlushClock {
 public:
  bool due(std::size_t bytes);

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A file that is known to be writable. What it held stays until clear(), so that a run that is refused destroys
/// nothing; a file that was made here and never cleared is removed again. All failures throw InputError.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }
  void clear();
  /// Adds text at the end, then `tail`, which the next call overwrites.
  void append(std::string_view text, std::string_view tail = {});
  void close();
  [[noreturn]] void fail(const std::string& why) const;

 private:
  [[noreturn]] void fail() const;  // as errno says
  void write_all(std::string_view text);

  std::string path_;
  int descriptor_ = -1;
  bool existed_ = false, cleared_ = false;
};

}  // namespace alembert::internal
