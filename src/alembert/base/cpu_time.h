#pragma once

#include <ctime>

namespace alembert::internal {

/// CPU time of the calling thread so far, in seconds: what others do meanwhile (compiling, say) does not count.
inline double thread_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU time of the whole process so far.
inline double process_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace alembert::internal
