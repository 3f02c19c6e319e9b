// The studio's server. One thread serves everything: nothing here takes long.

#include "alembert/studio/server/server.h"

#include <signal.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "alembert/error.h"
#include "alembert/studio/access.h"
#include "alembert/studio/limits.h"
#include "alembert/studio/server/beast.h"
#include "alembert/studio/server/connection.h"
#include "alembert/studio/server/session.h"

namespace alembert::internal::studio {

struct Server::Body {
  explicit Body(const ServerOptions& asked) : options(asked), acceptor(io), signals(io), last_words(io) {}

  ServerOptions options;
  std::string token = random_token();
  unsigned short port = 0;
  fs::path exports;
  std::set<std::shared_ptr<Session>> sessions;
  int connections = 0;
  bool ending = false;
  // Behind what its handlers speak of: it goes first, and they with it.
  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::signal_set signals;
  asio::steady_timer last_words;

  void listen();
  void accept();
  void end();
  std::vector<std::string> worker_command() const;
  void forget(const std::shared_ptr<Session>& session);
};

namespace {

fs::path make_export_folder() {
  std::string name = (fs::temp_directory_path() / "alembert-studio-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw InputError("cannot make the folder '" + name + "': " + std::strerror(errno));
  return name;
}

}  // namespace

void Server::Body::listen() {
  const auto open = [&](unsigned short wanted, Code& failed) {
    const tcp::endpoint place(asio::ip::address_v4::loopback(), wanted);
    acceptor.open(place.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(place, failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
  };
  Code failed;
  open(options.port, failed);
  if (failed && options.port_is_wish) {
    acceptor.close();
    failed = {};
    open(0, failed);
  }
  if (failed)
    throw InputError("cannot listen on port " + std::to_string(options.port) + ": " + failed.message(),
                     "another program has it; leave `port` out for one that is free");
  port = acceptor.local_endpoint().port();
}

std::vector<std::string> Server::Body::worker_command() const {
  std::vector<std::string> command = options.worker;
  command.push_back(exports.string());
  command.push_back(options.folder);
  return command;
}

void Server::Body::forget(const std::shared_ptr<Session>& session) {
  sessions.erase(session);
  if (!sessions.empty()) return;
  // Nobody is left who could fetch them.
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(exports, ignored)) fs::remove(file.path(), ignored);
}

void Server::Body::accept() {
  acceptor.async_accept([this](Code failed, tcp::socket socket) {
    if (ending || failed == asio::error::operation_aborted) return;
    if (!failed && connections < most_connections) {
      ++connections;
      const auto begin_session = [this](beast::tcp_stream stream, const Connection::Request& request) {
        const auto session =
            std::make_shared<Session>(io, std::move(stream), [this](const auto& ended) { forget(ended); });
        sessions.insert(session);
        session->begin(request, worker_command());
      };
      const auto full = [this] { return ending || sessions.size() >= static_cast<std::size_t>(most_sessions); };
      std::make_shared<Connection>(std::move(socket), Connection::House{io, token, port, exports, begin_session, full,
                                                                        [this] { --connections; }})
          ->begin();
    }
    accept();
  });
}

void Server::Body::end() {
  if (ending) return;
  ending = true;
  Code ignored;
  acceptor.close(ignored);
  signals.cancel(ignored);
  const std::set<std::shared_ptr<Session>> open = sessions;
  for (const auto& session : open) session->end();
  // Pages are told; what has not gone out after this is not waited for.
  last_words.expires_after(Milliseconds(100));
  last_words.async_wait([this](Code) { io.stop(); });
}

Server::Server(const ServerOptions& options) : body_(std::make_unique<Body>(options)) {
  std::error_code failed;
  body_->options.folder = fs::canonical(options.folder, failed).string();
  if (failed || !fs::is_directory(body_->options.folder, failed))
    throw InputError("there is no folder '" + options.folder + "'", "name the folder that your models are in");
  body_->listen();
  body_->exports = make_export_folder();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) body_->signals.add(number);
  body_->signals.async_wait([body = body_.get()](Code failed, int) {
    if (!failed) body->end();
  });
  body_->accept();
}

Server::~Server() {
  body_->sessions.clear();
  std::error_code ignored;
  fs::remove_all(body_->exports, ignored);
}

std::string Server::address() const {
  return "http://127.0.0.1:" + std::to_string(body_->port) + "/" + body_->token + "/";
}

void Server::run() { body_->io.run(); }

void Server::stop() {
  asio::post(body_->io, [body = body_.get()] { body->end(); });
}

}  // namespace alembert::internal::studio
