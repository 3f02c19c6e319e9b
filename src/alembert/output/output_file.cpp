#include "alembert/output/output_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "alembert/trajectory.h"

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

std::string place_of_file(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : whole.string();
}

std::optional<ByteReader> mark_of_file(std::span<const std::vector<std::byte>> marks, const std::string& path) {
  for (const std::vector<std::byte>& mark : marks) {
    ByteReader in(mark);
    std::string place;
    in.read(place);
    if (place == place_of_file(path)) return in;
  }
  return {};
}

namespace {

/// A lock that belongs to this opening of the file: the locks of HDF5, which are of another kind, do not meet it, and
/// it lasts until the descriptor is closed, however the program ends.
bool lock(int descriptor) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
#ifdef F_OFD_SETLK
  return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
#else
  return ::fcntl(descriptor, F_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
#endif
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  struct stat status;
  existed_ = ::stat(path_.c_str(), &status) == 0;
  regular_ = !existed_ || S_ISREG(status.st_mode);
  // Reading is for going on behind what is there.
  if (regular_) descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (!regular_ || (descriptor_ < 0 && errno == EACCES))
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail();
  if (!regular_ || lock(descriptor_)) return;
  ::close(std::exchange(descriptor_, -1));
  throw WriteError("cannot write '" + path_ + "': another run is writing it",
                   "wait for that one, or choose another file");
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!existed_ && !cleared_) ::unlink(path_.c_str());
}

void OutputFile::clear() {
  if (regular_ && ::ftruncate(descriptor_, 0) != 0) fail();
  cleared_ = true;
  end_ = 0;
  tail_.clear();
}

void OutputFile::cut(std::uint64_t size) {
  struct stat status;
  if (!regular_ || ::fstat(descriptor_, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < size)
    fail("rows that were written there are missing");
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail();
  cleared_ = true;
  end_ = size;
  tail_.clear();
}

std::uint64_t OutputFile::trace(std::uint64_t size) const {
  char bytes[4096];
  const std::uint64_t count = std::min<std::uint64_t>(size, sizeof bytes);
  const ssize_t got = ::pread(descriptor_, bytes, count, static_cast<off_t>(size - count));
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a, as for saved states
  for (ssize_t i = 0; i < got; ++i) sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
  return got == static_cast<ssize_t>(count) ? sum : 0;
}

void OutputFile::append(std::string_view text, std::span<const std::size_t> ends, std::string_view tail) {
  const std::string all = std::string(text) + std::string(tail);
  const std::size_t written = write_at(end_, all);
  if (written == all.size()) {
    end_ += text.size();
    tail_ = tail;
    return;
  }
  const int why = errno;
  std::size_t kept = 0;
  for (const std::size_t end : ends)
    if (end + tail.size() <= written) kept = end;
  // What stood there before fits there again.
  const std::string_view closing = kept + tail.size() <= written ? tail : std::string_view(tail_);
  if (regular_ && write_at(end_ + kept, closing) == closing.size()) {
    end_ += kept;
    if (::ftruncate(descriptor_, static_cast<off_t>(end_ + closing.size())) != 0) fail();
  }
  errno = why;
  fail();
}

bool OutputFile::reserve(std::uint64_t bytes) {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) return false;
  rlimit limit = {};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size + bytes > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
#ifdef FALLOC_FL_KEEP_SIZE
  if (::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, status.st_size, static_cast<off_t>(bytes)) != 0)
    return errno != ENOSPC && errno != EDQUOT && errno != EFBIG;  // not every file system can promise
#endif
  return true;
}

void OutputFile::release() {
  struct stat status;
  if (regular_ && descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0 &&
      ::ftruncate(descriptor_, status.st_size) != 0)
    fail();
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
  throw WriteError("cannot write '" + path_ + "': " + why, hint);
}

// How much of it could be written; errno says why not all.
std::size_t OutputFile::write_at(std::uint64_t place, std::string_view text) const {
  std::size_t done = 0;
  while (done < text.size()) {
    const char* from = text.data() + done;
    const std::size_t left = text.size() - done;
    const ssize_t written = regular_ ? ::pwrite(descriptor_, from, left, static_cast<off_t>(place + done))
                                     : ::write(descriptor_, from, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

}  // namespace alembert::internal
