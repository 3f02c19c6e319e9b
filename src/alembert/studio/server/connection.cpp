#include "alembert/studio/server/connection.h"

#include <set>

#include "alembert/plot/web.h"
#include "alembert/studio/access.h"

namespace alembert::internal::studio {

namespace {

constexpr char page_text[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>alembert studio</title>\n"
    "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"studio.css\">\n</head>\n"
    "<body>\n<script src=\"studio.js\"></script>\n</body>\n</html>\n";

/// "0123...ef.csv": the name of a file that a worker wrote, and nothing that leads elsewhere.
bool is_export_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  static const std::set<std::string> endings = {".csv", ".h5", ".json", ".html", ".svg"};
  return dot == 32 && name.find_first_not_of("0123456789abcdef") == dot && endings.contains(name.substr(dot));
}

}  // namespace

Connection::Connection(tcp::socket socket, House house) : stream_(std::move(socket)), house_(std::move(house)) {
  parser_.header_limit(largest_head);
  parser_.body_limit(0);
}

void Connection::begin() {
  stream_.expires_after(Seconds(head_seconds));
  http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](Code failed, std::size_t) {
    if (!failed) self->answer();
    else if (failed != http::error::end_of_stream && failed != beast::error::timeout)
      self->say(http::status::bad_request, "this is no request that the studio understands\n");
  });
}

void Connection::answer() {
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

void Connection::serve(const std::string& path) {
  if (path.empty()) say(http::status::ok, page_text, "text/html; charset=utf-8");
  else if (path == "studio.js") say(http::status::ok, web_bundle(path), "text/javascript; charset=utf-8");
  else if (path == "studio.css") say(http::status::ok, web_bundle(path), "text/css; charset=utf-8");
  else if (path == "licences.txt") say(http::status::ok, web_bundle(path));
  else if (path.starts_with("download/") && is_export_name(path.substr(9))) send_file(path.substr(9));
  else say(http::status::not_found, "there is nothing here\n");
}

template <class Response>
void Connection::protect(Response& response) const {
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
void Connection::send(const std::shared_ptr<Response>& response) {
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

void Connection::say(http::status status, std::string_view text, const char* type) {
  const auto response = std::make_shared<http::response<http::string_body>>();
  response->result(status);
  response->set(http::field::content_type, type);
  response->body() = std::string(text);
  send(response);
}

void Connection::send_file(const std::string& name) {
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

}  // namespace alembert::internal::studio
