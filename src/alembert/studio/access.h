#pragma once

// Who may speak with the studio: a page that it served itself, on this machine, that knows the token of this start.

#include <string>
#include <string_view>

namespace alembert::internal::studio {

/// 32 hexadecimal digits, 128 bits from the system's source of random numbers. Throws std::runtime_error where it has
/// none.
std::string random_token();

/// Whether two texts are equal, in a time that depends on their lengths alone.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// What is looked at of a request; "" for headers that it does not have.
struct RequestHead {
  std::string_view method, target, host, origin, fetch_site, fetch_mode;
  bool upgrade = false;  // asks for a WebSocket
};

/// The answer to a request: an HTTP status, and for 200 the path behind the token ("studio.js", "" for the page).
struct Access {
  unsigned status = 403;
  std::string path;
};

/// Refused (403) are other hosts than 127.0.0.1 and localhost with this port (names that lead here from outside), other
/// origins, WebSockets without an origin, what pages of others load, and targets without the token; methods other than
/// GET and HEAD are not known (405).
Access judge(const RequestHead& head, unsigned short port, std::string_view token);

}  // namespace alembert::internal::studio
