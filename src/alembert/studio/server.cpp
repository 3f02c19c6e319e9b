// The only source that knows Boost. One thread serves everything: nothing here takes long.

#include "alembert/studio/server.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>  // Boost 1.74 needs it and does not say so

#include <array>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "alembert/error.h"
#include "alembert/plot/web.h"
#include "alembert/studio/access.h"
#include "alembert/studio/limits.h"
#include "alembert/studio/worker.h"

extern char** environ;

namespace alembert::internal::studio {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
namespace fs = std::filesystem;
using asio::ip::tcp;
using Code = boost::system::error_code;
using Milliseconds = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

constexpr char page_text[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>alembert studio</title>\n"
    "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"studio.css\">\n</head>\n"
    "<body>\n<script src=\"studio.js\"></script>\n</body>\n</html>\n";

// What the page asks for, as JSON without the library's types: a message for one request.
std::string message(std::int64_t id, const char* kind, const std::string& text) {
  const nlohmann::json said = {{"id", id}, {"kind", kind}, {"text", text}};
  return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

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
  ~Worker() { kill(); }

  void submit(Job job) {
    if (waiting_.size() >= most_waiting) {
      tell_(message(job.id, "error", "busy: too many requests wait already"));
      return;
    }
    waiting_.push_back(std::move(job));
    begin_next();
  }

  /// Whether it had that request.
  bool cancel(std::int64_t id) {
    for (auto job = waiting_.begin(); job != waiting_.end(); ++job) {
      if (job->id != id) continue;
      waiting_.erase(job);
      tell_(message(id, "cancelled", "cancelled"));
      return true;
    }
    if (!current_ || current_->id != id) return false;
    send(framed(FrameKind::cancel, ""));
    patience_.expires_after(Milliseconds(patience_milliseconds));
    patience_.async_wait([self = shared_from_this(), id](Code failed) {
      if (!failed && self->current_ && self->current_->id == id) self->give_up("cancelled", "cancelled");
    });
    return true;
  }

  void end() {
    waiting_.clear();
    current_.reset();
    limit_.cancel();
    patience_.cancel();
    kill();
  }

 private:
  void begin_next() {
    if (current_ || waiting_.empty()) return;
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    if (pid_ < 0 && !start()) {
      finish(message(current_->id, "error", std::string("cannot start a worker: ") + std::strerror(errno)));
      return;
    }
    send(framed(FrameKind::request, current_->text));
    limit_.expires_after(Seconds(current_->seconds));
    limit_.async_wait([self = shared_from_this(), id = current_->id](Code failed) {
      if (!failed && self->current_ && self->current_->id == id)
        self->give_up("error", "this takes longer than " + std::to_string(self->current_->seconds) + " s: given up");
    });
  }

  bool start() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::vector<char*> arguments;
    for (std::string& word : command_) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int failed = ::posix_spawn(&pid_, command_[0].c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (failed != 0) {
      ::close(ends[0]);
      pid_ = -1;
      errno = failed;
      return false;
    }
    Code ignored;
    socket_.assign(asio::local::stream_protocol(), ends[0], ignored);
    frames_.emplace(largest_answer + 1024);
    unsent_.clear();
    ++life_;
    read();
    return true;
  }

  void kill() {
    Code ignored;
    socket_.close(ignored);
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
  }

  void read() {
    socket_.async_read_some(asio::buffer(buffer_),
                            [self = shared_from_this(), life = life_](Code failed, std::size_t count) {
                              if (life == self->life_ && self->pid_ >= 0) self->take(failed, count);
                            });
  }

  void take(Code failed, std::size_t count) {
    if (failed) {
      give_up("error", "the task ended by itself: it needed more memory than it may have, or met a mistake of ours");
      return;
    }
    frames_->add(buffer_.data(), count);
    try {
      while (std::optional<Frame> frame = frames_->next()) {
        if (!current_) continue;
        if (frame->kind == FrameKind::answer) finish(std::move(frame->text));
        else tell_(std::move(frame->text));
      }
    } catch (const std::runtime_error&) {
      give_up("error", "a worker said what is no answer");
      return;
    }
    if (pid_ >= 0) read();
  }

  void give_up(const char* kind, const std::string& why) {
    kill();
    if (current_) finish(message(current_->id, kind, why));
  }

  void finish(std::string said) {
    current_.reset();
    limit_.cancel();
    patience_.cancel();
    tell_(std::move(said));
    begin_next();
  }

  void send(std::string bytes) {
    unsent_.push_back(std::move(bytes));
    if (unsent_.size() == 1) write();
  }

  void write() {
    asio::async_write(socket_, asio::buffer(unsent_.front()),
                      [self = shared_from_this(), life = life_](Code failed, std::size_t) {
                        if (life != self->life_ || failed || self->unsent_.empty()) return;
                        self->unsent_.pop_front();
                        if (!self->unsent_.empty()) self->write();
                      });
  }

  std::vector<std::string> command_;
  Tell tell_;
  asio::local::stream_protocol::socket socket_;
  asio::steady_timer limit_, patience_;
  pid_t pid_ = -1;
  unsigned life_ = 0;  // how often it was started: what belongs to an earlier life is not looked at
  std::deque<Job> waiting_;
  std::optional<Job> current_;
  std::optional<FrameReader> frames_;
  std::deque<std::string> unsent_;
  std::array<char, 1 << 16> buffer_ = {};
};

/// Which worker of a page does what: typing is answered while a run goes on, and pictures delay neither.
std::optional<std::size_t> worker_for(const std::string& what) {
  static const std::vector<std::set<std::string>> tasks = {
      {"hello", "list", "read", "save", "check", "describe", "derive"},
      {"run", "verify", "converge", "export"},
      {"picture"}};
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].contains(what)) return i;
  return {};
}
constexpr std::size_t worker_of_runs = 1, workers_of_a_page = 3;

/// A page that is open.
class Session : public std::enable_shared_from_this<Session> {
 public:
  using Socket = websocket::stream<beast::tcp_stream>;
  Session(asio::io_context& io, beast::tcp_stream stream, std::function<void(const std::shared_ptr<Session>&)> gone)
      : io_(io), socket_(std::move(stream)), gone_(std::move(gone)) {}

  void begin(const http::request<http::string_body>& request, const std::vector<std::string>& command) {
    for (std::size_t i = 0; i < workers_of_a_page; ++i)
      workers_.push_back(std::make_shared<Worker>(io_, command, [weak = weak_from_this()](std::string text) {
        if (const std::shared_ptr<Session> self = weak.lock()) self->send(std::move(text));
      }));
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(largest_message);
    socket_.auto_fragment(false);  // pieces of 4 kB would cost more than they save on one machine
    socket_.async_accept(request, [self = shared_from_this()](Code failed) {
      if (failed) self->end();
      else self->read();
    });
  }

  /// Says goodbye and ends the workers.
  void end() {
    if (ended_) return;
    ended_ = true;
    for (const auto& worker : workers_) worker->end();
    if (socket_.is_open()) socket_.async_close(websocket::close_code::going_away, [self = shared_from_this()](Code) {});
    gone_(shared_from_this());
  }

 private:
  void read() {
    socket_.async_read(incoming_, [self = shared_from_this()](Code failed, std::size_t) {
      if (self->ended_) return;
      if (failed) {
        self->end();
        return;
      }
      std::string text = beast::buffers_to_string(self->incoming_.data());
      self->incoming_.consume(self->incoming_.size());
      self->take(std::move(text));
      self->read();
    });
  }

  void take(std::string text) {
    const nlohmann::json request = nlohmann::json::parse(text, nullptr, false);
    const bool known = request.is_object() && request.contains("id") && request["id"].is_number_integer() &&
                       request.contains("do") && request["do"].is_string();
    if (!known) {
      send(message(-1, "error", "a request is a JSON object with a whole number id and a text do"));
      return;
    }
    const auto id = request["id"].get<std::int64_t>();
    const auto what = request["do"].get<std::string>();
    if (what == "cancel") {
      const auto of = request.find("of");
      const bool number = of != request.end() && of->is_number_integer();
      bool found = false;
      for (const auto& worker : workers_) found = found || (number && worker->cancel(of->get<std::int64_t>()));
      send(message(id, "result", found ? "cancelled" : "there is nothing to cancel"));
      return;
    }
    const std::optional<std::size_t> worker = worker_for(what);
    if (!worker) {
      send(message(id, "error", "there is no request '" + what + "'"));
      return;
    }
    workers_[*worker]->submit({id, std::move(text), *worker == worker_of_runs ? run_seconds : quick_seconds});
  }

  void send(std::string text) {
    if (ended_) return;
    unsent_bytes_ += text.size();
    unsent_.push_back(std::move(text));
    if (unsent_bytes_ > most_unsent) end();  // nobody reads what was asked for
    else if (unsent_.size() == 1) write();
  }

  void write() {
    socket_.text(true);
    socket_.async_write(asio::buffer(unsent_.front()), [self = shared_from_this()](Code failed, std::size_t) {
      if (self->ended_) return;
      if (failed) {
        self->end();
        return;
      }
      self->unsent_bytes_ -= self->unsent_.front().size();
      self->unsent_.pop_front();
      if (!self->unsent_.empty()) self->write();
    });
  }

  asio::io_context& io_;
  Socket socket_;
  std::function<void(const std::shared_ptr<Session>&)> gone_;
  beast::flat_buffer incoming_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::vector<std::shared_ptr<Worker>> workers_;
  bool ended_ = false;
};

/// "0123...ef.csv": the name of a file that a worker wrote, and nothing that leads elsewhere.
bool is_export_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  static const std::set<std::string> endings = {".csv", ".h5", ".json", ".html", ".svg"};
  return dot == 32 && name.find_first_not_of("0123456789abcdef") == dot && endings.contains(name.substr(dot));
}

}  // namespace

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

  Connection(tcp::socket socket, House house) : stream_(std::move(socket)), house_(std::move(house)) {
    parser_.header_limit(largest_head);
    parser_.body_limit(0);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { house_.gone(); }

  void begin() {
    stream_.expires_after(Seconds(head_seconds));
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](Code failed, std::size_t) {
      if (!failed) self->answer();
      else if (failed != http::error::end_of_stream && failed != beast::error::timeout)
        self->say(http::status::bad_request, "this is no request that the studio understands\n");
    });
  }

 private:
  static std::string_view text_of(beast::string_view text) { return {text.data(), text.size()}; }

  void answer() {
    const Request& request = parser_.get();
    RequestHead head;
    head.method = text_of(request.method_string());
    head.target = text_of(request.target());
    head.host = text_of(request[http::field::host]);
    head.origin = text_of(request[http::field::origin]);
    head.fetch_site = text_of(request["Sec-Fetch-Site"]);
    head.fetch_mode = text_of(request["Sec-Fetch-Mode"]);
    head.upgrade = websocket::is_upgrade(request);
    // Two hosts or origins would leave it open which of them was judged.
    const bool twice = request.count(http::field::host) > 1 || request.count(http::field::origin) > 1;
    const Access access = judge(head, house_.port, house_.token);
    if (twice || access.status == 403) {
      say(http::status::forbidden, "refused: open the address that alembert studio printed\n");
    } else if (access.status != 200) {
      say(http::status::method_not_allowed, "the studio answers GET and HEAD\n");
    } else if (head.upgrade && access.path == "socket") {
      if (house_.full()) say(http::status::service_unavailable, "too many pages of the studio are open\n");
      else house_.begin_session(std::move(stream_), request);
    } else {
      serve(access.path);
    }
  }

  void serve(const std::string& path) {
    if (path.empty()) say(http::status::ok, page_text, "text/html; charset=utf-8");
    else if (path == "studio.js") say(http::status::ok, web_bundle(path), "text/javascript; charset=utf-8");
    else if (path == "studio.css") say(http::status::ok, web_bundle(path), "text/css; charset=utf-8");
    else if (path == "licences.txt") say(http::status::ok, web_bundle(path));
    else if (path.starts_with("download/") && is_export_name(path.substr(9))) send_file(path.substr(9));
    else say(http::status::not_found, "there is nothing here\n");
  }

  template <class Response>
  void protect(Response& response) const {
    const std::string here = "127.0.0.1:" + std::to_string(house_.port);
    const std::string local = "localhost:" + std::to_string(house_.port);
    response.version(11);
    response.keep_alive(false);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("X-Frame-Options", "DENY");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Content-Security-Policy",
                 "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
                 "media-src blob:; font-src 'self' data:; connect-src 'self' ws://" +
                     here + " ws://" + local + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  }

  template <class Response>
  void send(const std::shared_ptr<Response>& response) {
    protect(*response);
    response->prepare_payload();
    const bool head_only = parser_.get().method() == http::verb::head;
    stream_.expires_after(Seconds(run_seconds));  // a large file to a slow disk
    const auto sent = [self = shared_from_this(), response](Code, std::size_t) {
      Code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    };
    if (!head_only) {
      http::async_write(stream_, *response, sent);
      return;
    }
    using Body = typename Response::body_type;
    const auto serializer = std::make_shared<http::response_serializer<Body>>(*response);
    http::async_write_header(stream_, *serializer, [serializer, sent](Code failed, std::size_t n) { sent(failed, n); });
  }

  void say(http::status status, std::string_view text, const char* type = "text/plain; charset=utf-8") {
    const auto response = std::make_shared<http::response<http::string_body>>();
    response->result(status);
    response->set(http::field::content_type, type);
    response->body() = std::string(text);
    send(response);
  }

  void send_file(const std::string& name) {
    const fs::path path = house_.exports / name;
    const auto response = std::make_shared<http::response<http::file_body>>();
    Code failed;
    response->body().open(path.c_str(), beast::file_mode::scan, failed);
    if (failed) {
      say(http::status::not_found, "there is nothing here, or it was fetched already\n");
      return;
    }
    std::error_code ignored;
    fs::remove(path, ignored);  // it stays open until it is sent
    response->result(http::status::ok);
    response->set(http::field::content_type, "application/octet-stream");
    response->set(http::field::content_disposition, "attachment");
    send(response);
  }

  beast::tcp_stream stream_;
  House house_;
  beast::flat_buffer buffer_{largest_head};
  http::request_parser<http::string_body> parser_;
};

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
