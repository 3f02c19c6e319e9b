#include "alembert/output/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "alembert/error.h"

namespace alembert::internal {

bool FlushClock::due(std::size_t bytes) {
  // A write of a megabyte costs little against computing it; what is older than a second is wanted by those who watch.
  constexpr std::size_t many_bytes = std::size_t{1} << 20;
  constexpr std::chrono::seconds long_ago{1};
  const auto now = std::chrono::steady_clock::now();
  if (bytes < many_bytes && now - last_ < long_ago) return false;
  last_ = now;
  return true;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  existed_ = ::access(path_.c_str(), F_OK) == 0;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!existed_ && !cleared_) ::unlink(path_.c_str());
}

void OutputFile::clear() {
  struct stat status;
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) && ::ftruncate(descriptor_, 0) != 0) fail();
  cleared_ = true;
}

void OutputFile::append(std::string_view text, std::string_view tail) {
  write_all(text);
  if (tail.empty()) return;
  write_all(tail);
  if (::lseek(descriptor_, -static_cast<off_t>(tail.size()), SEEK_CUR) < 0) fail();
}

void OutputFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0) fail();
}

void OutputFile::fail() const { fail(std::strerror(errno)); }

void OutputFile::fail(const std::string& why) const {
  const std::size_t slash = path_.rfind('/');
  std::string hint;
  if (slash != std::string::npos && slash > 0 && ::access(path_.substr(0, slash).c_str(), F_OK) != 0)
    hint = "there is no folder '" + path_.substr(0, slash) + "'";
  throw InputError("cannot write '" + path_ + "': " + why, hint);
}

void OutputFile::write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace alembert::internal
