#pragma once

// Ctrl-C that ends a run after its current step instead of killing it.

#include <signal.h>

#include <atomic>

namespace alembert::internal::app {

/// While it lives, the first Ctrl-C (or SIGTERM) sets interrupted(); the second one kills.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  const std::atomic<bool>& interrupted() const;

 private:
  struct sigaction old_interrupt_ = {}, old_terminate_ = {};
};

}  // namespace alembert::internal::app
