#include "alembert/studio/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "alembert/base/files.h"
#include "alembert/error.h"
#include "alembert/studio/access.h"
#include "alembert/studio/limits.h"

namespace alembert::internal::studio {
namespace {

constexpr std::size_t most_listed = 1000;  // more in a list helps nobody
constexpr int deepest_listed = 4;          // folders in folders; a wrong choice of the home folder ends soon

[[noreturn]] void refuse(const std::string& doing, const std::string& path) {
  const bool outside = errno == EACCES;
  throw InputError("cannot " + doing + " '" + path + "': " + std::strerror(errno),
                   outside ? "files are below the folder of the studio; links are not followed" : "");
}

void require_model_name(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  if (path.ends_with(".alm") && name.string().size() > 4) return;
  throw InputError("models have names that end with .alm, and '" + path + "' does not");
}

/// Reads at most `most` bytes; false where there are more, or it cannot be read.
bool read_at_most(int file, std::size_t most, std::string& text) {
  text.resize(most + 1);
  std::size_t count = 0;
  while (count < text.size()) {
    const ssize_t got = ::read(file, text.data() + count, text.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  text.resize(count);
  return count <= most;
}

bool is_regular(int file) {
  struct stat status = {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

bool write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

std::string title_of(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("model")) continue;
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (first != std::string::npos && last > first) return line.substr(first + 1, last - first - 1);
  }
  return "";
}

Folder::Folder(const std::string& path) : folder_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0) throw InputError("cannot open the folder '" + path + "': " + std::strerror(errno));
}

Folder::~Folder() {
  if (folder_ >= 0) ::close(folder_);
}

void Folder::list(int folder, const std::string& prefix, int depth, std::vector<ModelFile>& found) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder), ::closedir);
  if (!entries) {
    ::close(folder);
    return;
  }
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with(".") || found.size() >= most_listed) continue;
    const int file = ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    struct stat status = {};
    const bool known = ::fstat(file, &status) == 0;
    if (known && S_ISDIR(status.st_mode) && depth < deepest_listed) {
      list(file, prefix + name + "/", depth + 1, found);
      continue;
    }
    std::string text;
    if (known && S_ISREG(status.st_mode) && name.ends_with(".alm") && read_at_most(file, largest_model, text))
      found.push_back({prefix + name, title_of(text)});
    ::close(file);
  }
}

std::vector<ModelFile> Folder::models() const {
  std::vector<ModelFile> found;
  const int folder = ::openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) list(folder, "", 0, found);
  std::sort(found.begin(), found.end(), [](const ModelFile& a, const ModelFile& b) { return a.path < b.path; });
  return found;
}

std::string Folder::read(const std::string& path) const {
  require_model_name(path);
  const int file = open_below(folder_, path, O_RDONLY | O_NONBLOCK);
  if (file < 0) refuse("read", path);
  std::string text;
  const bool good = is_regular(file) && read_at_most(file, largest_model, text);
  ::close(file);
  if (!good) throw InputError("'" + path + "' is no model: no regular file, or too large");
  return text;
}

void Folder::save(const std::string& path, const std::string& text) const {
  require_model_name(path);
  if (text.size() > largest_model) throw InputError("the text is too large for a model");
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  const std::string name = normal.filename().string();
  const std::string parent = normal.parent_path().empty() ? "." : normal.parent_path().string();
  const int folder = open_below(folder_, parent, O_RDONLY | O_DIRECTORY);
  if (folder < 0) refuse("save", path);
  // What is there and is no regular file (a link, a folder) stays as it is.
  struct stat status = {};
  const bool there = ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && !S_ISREG(status.st_mode)) {
    ::close(folder);
    errno = EACCES;
    refuse("save", path);
  }
  const std::string fresh = "." + name + "." + random_token().substr(0, 8);
  const mode_t mode = there ? status.st_mode & 0777 : 0666;
  const int file = ::openat(folder, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  bool good = file >= 0 && write_all(file, text) && ::fsync(file) == 0;
  if (file >= 0 && ::close(file) != 0) good = false;
  if (good) good = ::renameat(folder, fresh.c_str(), folder, name.c_str()) == 0;
  const int reason = errno;
  if (!good && file >= 0) ::unlinkat(folder, fresh.c_str(), 0);
  ::close(folder);
  errno = reason;
  if (!good) refuse("save", path);
}

}  // namespace alembert::internal::studio
