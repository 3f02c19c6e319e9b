#include "alembert/studio/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "alembert/base/files.h"
#include "alembert/error.h"
#include "alembert/studio/desk.h"
#include "alembert/studio/limits.h"

namespace alembert::internal::studio {
namespace {

constexpr std::size_t longest_frame_head = 24;  // digits of a 64-bit number, a letter, a newline

void limit(int resource, std::size_t most) {
  struct rlimit limits = {};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) return;
  limits.rlim_cur = std::min<rlim_t>(most, limits.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

void limit_this_process() {
  // Whoever ends the server does not leave workers behind, however that happens.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C in a terminal reaches all processes; the server ends its workers itself
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // writing fails instead
  limit(RLIMIT_FSIZE, worker_file);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__)  // which takes terabytes of addresses
  limit(RLIMIT_DATA, worker_memory);
#endif
}

bool write_all_to(int file, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

/// What arrived and was not answered yet, filled by a thread of its own: a cancel must be seen while a run goes on.
class Inbox {
 public:
  std::atomic<bool> interrupt{false};

  void listen(int file) {
    FrameReader frames(largest_message);
    std::vector<char> buffer(1 << 16);
    for (;;) {
      const ssize_t count = ::read(file, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      frames.add(buffer.data(), static_cast<std::size_t>(count));
      try {
        while (std::optional<Frame> frame = frames.next()) take(std::move(*frame));
      } catch (const std::runtime_error&) { break; }  // not our server
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    interrupt = true;
    arrived_.notify_one();
  }

  /// Waits for the next request; nothing when there will be none.
  std::optional<std::string> next() {
    std::unique_lock<std::mutex> lock(mutex_);
    arrived_.wait(lock, [&] { return closed_ || !requests_.empty(); });
    if (closed_) return {};
    std::string request = std::move(requests_.front());
    requests_.pop_front();
    interrupt = false;
    return request;
  }

 private:
  void take(Frame frame) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (frame.kind == FrameKind::cancel) {
      interrupt = true;
      return;
    }
    requests_.push_back(std::move(frame.text));
    arrived_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> requests_;
  bool closed_ = false;
};

}  // namespace

std::string framed(FrameKind kind, const std::string& text) {
  return std::to_string(text.size()) + static_cast<char>(kind) + "\n" + text;
}

std::optional<Frame> FrameReader::next() {
  const std::size_t line = bytes_.find('\n');
  if (line == std::string::npos && bytes_.size() < longest_frame_head) return {};
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(bytes_.data(), bytes_.data() + std::min(line, bytes_.size()), length);
  const auto digits = static_cast<std::size_t>(end - bytes_.data());
  if (line == std::string::npos || error != std::errc() || digits + 1 != line || length > largest_)
    throw std::runtime_error("this is no frame");
  if (bytes_.size() < line + 1 + length) return {};
  Frame frame{static_cast<FrameKind>(bytes_[digits]), bytes_.substr(line + 1, length)};
  bytes_.erase(0, line + 1 + length);
  return frame;
}

void work(const std::string& folder, const std::string& exports) {
  limit_this_process();
  std::filesystem::current_path(folder);
  confine_files(".");
  Desk desk(".", exports);
  Inbox inbox;
  std::thread listener([&] { inbox.listen(STDIN_FILENO); });
  const Reply reply{[](const std::string& json) { write_all_to(STDOUT_FILENO, framed(FrameKind::progress, json)); }};
  while (const std::optional<std::string> request = inbox.next()) {
    const std::string answer = desk.answer(*request, reply, inbox.interrupt);
    if (!write_all_to(STDOUT_FILENO, framed(FrameKind::answer, answer))) std::_Exit(1);  // the server is gone
  }
  listener.join();
}

}  // namespace alembert::internal::studio
