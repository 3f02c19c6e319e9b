#include "studio/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "apps/program.h"

namespace alembert::internal::studio_test {
namespace {

int connect_to(unsigned short port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(made, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
    ::close(made);
    throw std::runtime_error("nobody listens");
  }
  const timeval limit = {60, 0};
  ::setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return made;
}

void send_bytes(int to, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::send(to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;  // the server has heard enough
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace

RunningStudio::RunningStudio(const std::string& folder) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    ::close(ends[1]);
    const std::string program = apps_test::program_path();
    ::execl(program.c_str(), "alembert", "studio", folder.c_str(), "--port", "0", "--no-browser", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string said;
  char byte = 0;
  while (said.find("Ctrl-C") == std::string::npos && ::read(ends[0], &byte, 1) == 1) said += byte;
  output_ = ends[0];
  const std::size_t at = said.find("http://127.0.0.1:");
  if (at == std::string::npos) throw std::runtime_error("no address: " + said);
  port_ = static_cast<unsigned short>(std::stoul(said.substr(at + 17)));
  token_ = said.substr(said.find('/', at + 17) + 1, 32);
}

RunningStudio::~RunningStudio() {
  ::close(output_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

bool RunningStudio::alive() const { return pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0; }

int RunningStudio::end(int signal) {
  ::kill(pid_, signal);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string RunningStudio::raw(const std::string& bytes) const {
  const int at = connect_to(port_);
  const timeval limit = {2, 0};
  ::setsockopt(at, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  send_bytes(at, bytes);
  ::shutdown(at, SHUT_WR);
  std::string all;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::recv(at, buffer, sizeof buffer, 0)) > 0;)
    all.append(buffer, static_cast<std::size_t>(count));
  ::close(at);
  return all;
}

int RunningStudio::status(const std::string& first_line, const std::vector<std::string>& headers) const {
  std::string text = first_line + "\r\n";
  for (const std::string& header : headers) text += header + "\r\n";
  const std::string said = raw(text + "\r\n");
  return said.starts_with("HTTP/1.1 ") ? std::stoi(said.substr(9, 3)) : 0;
}

std::pair<int, std::string> RunningStudio::get(const std::string& path) const {
  const std::string said = raw("GET /" + token_ + "/" + path + " HTTP/1.1\r\nHost: " + host() + "\r\n\r\n");
  const std::size_t body = said.find("\r\n\r\n");
  if (body == std::string::npos) return {0, said};
  return {std::stoi(said.substr(9, 3)), said.substr(body + 4)};
}

Page::Page(const RunningStudio& studio) : socket_(connect_to(studio.port())) {
  send_bytes(socket_, "GET /" + studio.token() + "/socket HTTP/1.1\r\nHost: " + studio.host() + "\r\nOrigin: http://" +
                          studio.host() +
                          "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  std::string head;
  while (!head.ends_with("\r\n\r\n")) head += bytes(1);
  if (!head.starts_with("HTTP/1.1 101")) throw std::runtime_error(head);
}

Page::~Page() { ::close(socket_); }

std::string Page::bytes(std::size_t count) {
  while (buffer_.size() < count) {
    char more[65536];
    const ssize_t got = ::recv(socket_, more, sizeof more, 0);
    if (got <= 0) throw std::runtime_error("closed");
    buffer_.append(more, static_cast<std::size_t>(got));
  }
  std::string taken = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return taken;
}

void Page::send(const std::string& text) const {
  std::string frame = "\x81";
  const std::size_t size = text.size();
  const int bytes_of_size = size < 126 ? 0 : size < 65536 ? 2 : 8;
  frame += static_cast<char>(0x80 | (bytes_of_size == 0 ? size : bytes_of_size == 2 ? 126 : 127));
  for (int i = bytes_of_size; i-- > 0;) frame += static_cast<char>(size >> (8 * i) & 0xff);
  frame += std::string(4, '\0');  // a mask that changes nothing
  send_bytes(socket_, frame + text);
}

nlohmann::json Page::receive() {
  std::string text;
  for (;;) {
    const std::string head = bytes(2);
    const auto byte = [&](const std::string& from, std::size_t i) { return static_cast<unsigned char>(from[i]); };
    std::size_t size = byte(head, 1) & 127;
    if (size >= 126) {
      const std::string more = bytes(size == 126 ? 2 : 8);
      size = 0;
      for (std::size_t i = 0; i < more.size(); ++i) size = size << 8 | byte(more, i);
    }
    const std::string part = bytes(size);
    const int kind = byte(head, 0) & 15;
    if (kind == 8) return {};
    if (kind > 8) continue;
    text += part;
    if (byte(head, 0) & 128) return nlohmann::json::parse(text);
  }
}

nlohmann::json Page::answer(long id) {
  for (;;) {
    nlohmann::json said = receive();
    if (said.is_object() && said["kind"] == "error") {
      if (said["text"].get<std::string>().starts_with("the task ended by itself")) ++crashes_;
    }
    if (said.is_null() || (said["id"] == id && said["kind"] != "progress")) return said;
  }
}

nlohmann::json Page::ask(const std::string& what, nlohmann::json fields) {
  const long id = next_id();
  fields["id"] = id;
  fields["do"] = what;
  send(fields.dump());
  return answer(id);
}

}  // namespace alembert::internal::studio_test
