#include "alembert/studio/server/session.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace alembert::internal::studio {

namespace {

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
// One answers at once, one runs, one draws: a long run keeps nobody waiting.
constexpr std::size_t worker_of_runs = 1, workers_of_a_page = 3;

}  // namespace

void Session::begin(const http::request<http::string_body>& request, const std::vector<std::string>& command) {
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

void Session::end() {
  if (ended_) return;
  ended_ = true;
  for (const auto& worker : workers_) worker->end();
  if (socket_.is_open()) socket_.async_close(websocket::close_code::going_away, [self = shared_from_this()](Code) {});
  gone_(shared_from_this());
}

void Session::read() {
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

void Session::take(std::string text) {
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

void Session::send(std::string text) {
  if (ended_) return;
  unsent_bytes_ += text.size();
  unsent_.push_back(std::move(text));
  if (unsent_bytes_ > most_unsent) end();  // nobody reads what was asked for
  else if (unsent_.size() == 1) write();
}

void Session::write() {
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

}  // namespace alembert::internal::studio
