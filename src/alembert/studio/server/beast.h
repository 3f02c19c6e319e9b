#pragma once

// Boost as the sources of the server see it. Included by them alone.

#include <utility>  // Boost 1.74 needs it and does not say so

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>

namespace alembert::internal::studio {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using Code = boost::system::error_code;
using Milliseconds = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

}  // namespace alembert::internal::studio
