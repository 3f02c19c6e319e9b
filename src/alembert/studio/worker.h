#pragma once

// A worker is a process of its own that answers the requests of a page, one after the other: it can be killed at any
// time, its memory is limited, and what goes wrong in it ends nothing else. It reads and writes frames: the length of
// what follows as a decimal number, a letter, a newline, and so many bytes.

#include <cstddef>
#include <optional>
#include <string>

namespace alembert::internal::studio {

enum class FrameKind : char {
  request = 'q',
  cancel = 'c',    // the request that is under way shall end; to the worker
  progress = 'p',  // more will follow
  answer = 'r',
};

struct Frame {
  FrameKind kind = FrameKind::request;
  std::string text;
};

std::string framed(FrameKind kind, const std::string& text);

/// Takes frames from the front of bytes as they arrive.
class FrameReader {
 public:
  explicit FrameReader(std::size_t largest) : largest_(largest) {}
  void add(const char* bytes, std::size_t count) { bytes_.append(bytes, count); }
  /// The next whole frame; nothing while it has not arrived. Throws std::runtime_error for what is no frame.
  std::optional<Frame> next();

 private:
  std::size_t largest_;
  std::string bytes_;
};

/// The worker's whole life: requests from standard input, answers to standard output, until its input ends. Files are
/// confined to `folder`, but for those that it writes to `exports`. Limits its own memory. Throws InputError where the
/// folder is none.
void work(const std::string& folder, const std::string& exports);

}  // namespace alembert::internal::studio
