#pragma once

// A page of the studio and what it asks for. Private to the server.

#include <utility>  // Boost 1.74 needs it and does not say so

#include <boost/beast/websocket.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "alembert/studio/server/beast.h"
#include "alembert/studio/server/worker_process.h"

namespace alembert::internal::studio {

/// A page that is open.
class Session : public std::enable_shared_from_this<Session> {
 public:
  using Socket = websocket::stream<beast::tcp_stream, false>;  // without compression, which nobody switched on
  Session(asio::io_context& io, beast::tcp_stream stream, std::function<void(const std::shared_ptr<Session>&)> gone)
      : io_(io), socket_(std::move(stream)), gone_(std::move(gone)) {}

  void begin(const http::request<http::string_body>& request, const std::vector<std::string>& command);

  /// Says goodbye and ends the workers.
  void end();

 private:
  void read();
  void take(std::string text);
  void send(std::string text);
  void write();

  asio::io_context& io_;
  Socket socket_;
  std::function<void(const std::shared_ptr<Session>&)> gone_;
  beast::flat_buffer incoming_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::vector<std::shared_ptr<Worker>> workers_;
  bool ended_ = false;
};

}  // namespace alembert::internal::studio
