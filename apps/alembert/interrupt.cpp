#include "interrupt.h"

namespace alembert::internal::app {
namespace {

constexpr int signals[3] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> set_by_signal{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action = {};
  action.sa_handler = [](int) { set_by_signal.store(true, std::memory_order_relaxed); };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (int i = 0; i < 3; ++i) {
    ::sigaction(signals[i], &action, &old_[i]);
    // What was ignored when the program began stays so: nohup asks for that.
    if (signals[i] == SIGHUP && old_[i].sa_handler == SIG_IGN) ::sigaction(signals[i], &old_[i], nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (int i = 0; i < 3; ++i) ::sigaction(signals[i], &old_[i], nullptr);
}

const std::atomic<bool>& InterruptGuard::interrupted() const { return set_by_signal; }

void InterruptGuard::interrupt() { set_by_signal.store(true, std::memory_order_relaxed); }

}  // namespace alembert::internal::app
