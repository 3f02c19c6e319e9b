#pragma once

// What the studio allows itself and those who speak with it.

#include <cstddef>

namespace alembert::internal::studio {

inline constexpr std::size_t largest_model = std::size_t(1) << 20;    // bytes; the longest of the gallery has 10,000
inline constexpr std::size_t largest_message = std::size_t(2) << 20;  // of a page: a model as JSON, and some numbers
inline constexpr std::size_t largest_head = 8192;                     // bytes of the head of a request
inline constexpr int most_connections = 64;                           // open at once
inline constexpr int most_sessions = 4;                               // pages at once; each has three workers
inline constexpr std::size_t most_waiting = 16;                       // requests that wait for one worker
inline constexpr std::size_t largest_answer = std::size_t(64) << 20;  // bytes that a worker may answer with
inline constexpr std::size_t most_unsent = std::size_t(128) << 20;    // bytes that wait for a slow page
inline constexpr int head_seconds = 10;                               // for a request to arrive
inline constexpr int quick_seconds = 30;                              // for checks, descriptions, equations, pictures
inline constexpr int run_seconds = 900;                               // for runs and studies
// An interrupted run ends after its step; what does not (compiling, say) is killed after this. Below the 200 ms in
// which people take an answer for immediate.
inline constexpr int patience_milliseconds = 80;
inline constexpr std::size_t worker_memory = std::size_t(4) << 30;  // bytes
inline constexpr std::size_t worker_file = std::size_t(2) << 30;    // bytes of a file that is exported
// Numbers of one result, rows times columns: 16 MB, and less than a tenth of a second on the way to the page.
inline constexpr std::size_t most_numbers = 400'000;
inline constexpr std::size_t most_picture_numbers = 10'000;

}  // namespace alembert::internal::studio
