#include "interrupt.h"

namespace alembert::internal::app {
namespace {

std::atomic<bool> set_by_signal{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action = {};
  action.sa_handler = [](int) { set_by_signal.store(true, std::memory_order_relaxed); };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

const std::atomic<bool>& InterruptGuard::interrupted() const { return set_by_signal; }

}  // namespace alembert::internal::app
