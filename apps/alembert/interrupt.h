#pragma once

// Ctrl-C, and other signals that ask a program to end: a run ends after its current step.

#include <signal.h>

#include <atomic>

namespace alembert::internal::app {

/// While it lives, the first Ctrl-C (or SIGTERM, or SIGHUP where nohup does not hold it back) sets interrupted(); the
/// second one kills.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  const std::atomic<bool>& interrupted() const;
  /// The same from inside the program.
  static void interrupt();

 private:
  struct sigaction old_[3] = {};  // as of the signals in interrupt.cpp
};

}  // namespace alembert::internal::app
