#pragma once

// A connection: what it may ask for, and the page. Private to the server.

#include <utility>  // Boost 1.74 needs it and does not say so

#include <boost/beast/http.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "alembert/studio/limits.h"
#include "alembert/studio/server/beast.h"

namespace alembert::internal::studio {

namespace fs = std::filesystem;

/// One request, and the answer to it; or the beginning of a session.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Request = http::request<http::string_body>;

  /// What the connection needs of the server.
  struct House {
    asio::io_context& io;
    const std::string& token;
    unsigned short port;
    fs::path exports;
    std::function<void(beast::tcp_stream, const Request&)> begin_session;
    std::function<bool()> full;
    std::function<void()> gone;
  };
  Connection(tcp::socket socket, House house);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { house_.gone(); }

  void begin();

 private:
  static std::string_view text_of(beast::string_view text) { return {text.data(), text.size()}; }

  void answer();
  void serve(const std::string& path);

  template <class Response>
  void protect(Response& response) const;

  template <class Response>
  void send(const std::shared_ptr<Response>& response);
  void say(http::status status, std::string_view text, const char* type = "text/plain; charset=utf-8");
  void send_file(const std::string& name);

  beast::tcp_stream stream_;
  House house_;
  beast::flat_buffer buffer_{largest_head};
  http::request_parser<http::string_body> parser_;
};

}  // namespace alembert::internal::studio
