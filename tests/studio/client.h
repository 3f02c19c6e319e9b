#pragma once

// A studio that runs, and those who speak with it: well-behaved pages, and others.

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace alembert::internal::studio_test {

/// The program as `alembert studio FOLDER --port 0 --no-browser`; killed at the end where it still runs.
class RunningStudio {
 public:
  explicit RunningStudio(const std::string& folder);
  ~RunningStudio();
  RunningStudio(const RunningStudio&) = delete;
  RunningStudio& operator=(const RunningStudio&) = delete;

  unsigned short port() const { return port_; }
  const std::string& token() const { return token_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  pid_t pid() const { return pid_; }
  bool alive() const;
  /// Sends a signal and waits; the exit code, or 128 + signal where one killed it.
  int end(int signal);

  /// Everything that comes back for these bytes, until the server closes or two seconds are over.
  std::string raw(const std::string& bytes) const;
  /// The status of a request with these lines behind the first.
  int status(const std::string& first_line, const std::vector<std::string>& headers) const;
  /// Body and status of GET for a path behind the token.
  std::pair<int, std::string> get(const std::string& path) const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;  // stays open: it says goodbye there
  unsigned short port_ = 0;
  std::string token_;
};

/// A page's WebSocket.
class Page {
 public:
  explicit Page(const RunningStudio& studio);
  ~Page();
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  void send(const std::string& text) const;
  /// The next message; null where the server has closed.
  nlohmann::json receive();
  /// Sends a request and gives its answer; progress is passed over.
  nlohmann::json ask(const std::string& what, nlohmann::json fields = nlohmann::json::object());
  /// The answer to a request that was sent.
  nlohmann::json answer(long id);
  long next_id() { return ++id_; }
  /// Tasks that ended their worker, of all that was received by answer().
  int crashes() const { return crashes_; }

 private:
  std::string bytes(std::size_t count);
  int socket_ = -1;
  long id_ = 0;
  int crashes_ = 0;
  std::string buffer_;
};

}  // namespace alembert::internal::studio_test
