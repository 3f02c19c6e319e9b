#pragma once

// The studio's server: a page and a WebSocket on the loopback interface, and the workers that answer. Requests of the
// page are handed to workers as they are; the server itself reads no model and opens no file of the user.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace alembert::internal::studio {

struct ServerOptions {
  std::string folder;               // of the user's models
  unsigned short port = 0;          // 0: any that is free
  bool port_is_wish = false;        // another one is taken where it is not free
  std::vector<std::string> worker;  // the command that starts one; exports and folder come behind it
};

class Server {
 public:
  /// Listens from now on. Throws InputError where the folder is none or the port is taken.
  explicit Server(const ServerOptions& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// "http://127.0.0.1:PORT/TOKEN/"
  std::string address() const;
  /// Serves until Ctrl-C, SIGTERM or stop(); workers and what they wrote for downloads are gone then.
  void run();
  /// Ends run(); from any thread.
  void stop();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal::studio
