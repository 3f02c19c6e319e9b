#pragma once

// The processes that work for a page. Private to the server.

#include <utility>  // Boost 1.74 needs it and does not say so

#include <sys/types.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/studio/limits.h"
#include "alembert/studio/server/beast.h"
#include "alembert/studio/worker.h"

namespace alembert::internal::studio {

/// What is said to the page of one request, as JSON.
std::string message(std::int64_t id, const char* kind, const std::string& text);

struct Job {
  std::int64_t id = 0;
  std::string text;
  int seconds = quick_seconds;
};

/// A process that works for one page. It is started when there is something to do, and again after it was killed.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  using Tell = std::function<void(std::string)>;
  Worker(asio::io_context& io, std::vector<std::string> command, Tell tell)
      : command_(std::move(command)), tell_(std::move(tell)), socket_(io), limit_(io), patience_(io) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    kill();
    bury(true);
  }

  void submit(Job job);

  /// Whether it had that request.
  bool cancel(std::int64_t id);
  void end();

 private:
  void begin_next();
  bool start();
  void kill();
  void bury(bool wait);
  void read();
  void take(Code failed, std::size_t count);
  void give_up(const char* kind, const std::string& why);
  void finish(std::string said);
  void send(std::string bytes);
  void write();

  std::vector<std::string> command_;
  Tell tell_;
  asio::local::stream_protocol::socket socket_;
  asio::steady_timer limit_, patience_;
  pid_t pid_ = -1;
  std::vector<pid_t> dying_;  // killed, and not gone yet: a process with much memory takes its time
  unsigned life_ = 0;         // how often it was started: what belongs to an earlier life is not looked at
  std::deque<Job> waiting_;
  std::optional<Job> current_;
  std::optional<FrameReader> frames_;
  std::deque<std::string> unsent_;
  std::array<char, 1 << 16> buffer_ = {};
};

}  // namespace alembert::internal::studio
