#include "alembert/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <vector>

#include "alembert/error.h"

namespace alembert::internal {
namespace {

int confining_folder = -1;   // open as long as the process lives; -1: files are found anywhere
std::string confining_path;  // of it, without links

/// An open file that is closed again.
struct OpenFile {
  explicit OpenFile(int number) : file(number) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file >= 0) ::close(file);
  }
  bool is_regular() const {
    struct stat status = {};
    return file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  }
  int file;
};

std::optional<std::string> whole_text(int file) {
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > longest_file) return {};
  }
}

/// Not waiting for anybody, should it be a pipe.
int open_confined(const std::string& path) {
  const std::filesystem::path given(path);
  const std::string below = given.is_absolute() ? given.lexically_relative(confining_path).string() : path;
  return open_below(confining_folder, below, O_RDONLY | O_NONBLOCK);
}

}  // namespace

void confine_files(const std::string& folder) {
  confining_folder = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (confining_folder < 0) throw InputError("cannot open the folder '" + folder + "': " + std::strerror(errno));
  confining_path = std::filesystem::canonical(folder).string();
}

bool file_is_there(const std::string& path) {
  if (confining_folder >= 0) return OpenFile(open_confined(path)).is_regular();
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::optional<std::string> read_file(const std::string& path) {
  if (confining_folder >= 0) {
    const OpenFile file(open_confined(path));
    if (!file.is_regular()) return {};
    return whole_text(file.file);
  }
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::error_code ignored;
  if (file.file < 0 || std::filesystem::is_directory(path, ignored)) return {};
  return whole_text(file.file);
}

int open_below(int folder, const std::string& path, int flags) {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  const bool holds_zero = path.find('\0') != std::string::npos;
  if (normal.empty() || normal.is_absolute() || holds_zero || *normal.begin() == "..") {
    errno = EACCES;
    return -1;
  }
  // Name by name: O_NOFOLLOW looks at the last one only.
  int at = folder;
  const auto step_to = [&](const std::string& name, int how) {
    const int next = ::openat(at, name.c_str(), how | O_NOFOLLOW | O_CLOEXEC, 0666);
    const int reason = errno;
    if (at != folder) ::close(at);
    at = next;
    errno = reason == ELOOP ? EACCES : reason;
    return next >= 0;
  };
  for (auto part = normal.begin(); part != normal.end(); ++part) {
    const bool last = std::next(part) == normal.end();
    if (!step_to(part->string(), last ? flags : O_RDONLY | O_DIRECTORY)) return -1;
  }
  return at;
}

}  // namespace alembert::internal
