#include "alembert/studio/access.h"

#include <sys/random.h>

#include <array>
#include <stdexcept>

namespace alembert::internal::studio {
namespace {

bool is_own_place(std::string_view place, unsigned short port) {
  const std::string behind = ":" + std::to_string(port);
  return place == "127.0.0.1" + behind || place == "localhost" + behind;
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 16> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the system gives no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(i < b.size() ? b[i] : 0);
  return different == 0;
}

Access judge(const RequestHead& head, unsigned short port, std::string_view token) {
  if (!is_own_place(head.host, port)) return {403, {}};
  constexpr std::string_view scheme = "http://";
  const bool own_origin =
      head.origin.substr(0, scheme.size()) == scheme && head.origin.substr(scheme.size()) == head.host;
  if ((!head.origin.empty() || head.upgrade) && !own_origin) return {403, {}};
  // A link to the studio may stand anywhere; what a page of others loads in the background may not.
  const bool of_others = head.fetch_site == "cross-site" || head.fetch_site == "same-site";
  if (of_others && head.fetch_mode != "navigate") return {403, {}};
  // "/TOKEN/PATH"
  const std::size_t end = head.target.find('/', 1);
  const std::string_view given = head.target.substr(0, 1) == "/" && end != std::string_view::npos
                                     ? head.target.substr(1, end - 1)
                                     : std::string_view();
  if (!equal_in_constant_time(given, token)) return {403, {}};
  if (head.method != "GET" && head.method != "HEAD") return {405, {}};
  return {200, std::string(head.target.substr(end + 1))};
}

}  // namespace alembert::internal::studio
