#pragma once

// A word with whoever waits for a long computation: to tell how far it is, or to end it.

#include <chrono>
#include <functional>
#include <utility>

namespace alembert::internal {

/// While it lives, `call` is called some times a second by what this thread computes; what it throws ends that. One at
/// a time in a thread: an inner one takes the place of an outer one for its life.
class Pulse {
 public:
  explicit Pulse(std::function<void()> call) : call_(std::move(call)), outer_(std::exchange(current, this)) {}
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;
  ~Pulse() { current = outer_; }

  /// In the loops of long computations: costs a look at the clock, and nothing where nobody waits.
  static void beat() {
    if (!current) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - current->last_ < between_calls) return;
    current->last_ = now;
    if (current->call_) current->call_();
  }

 private:
  // A person notices a delay of a tenth of a second.
  static constexpr auto between_calls = std::chrono::milliseconds(50);

  static inline thread_local Pulse* current = nullptr;
  std::function<void()> call_;
  Pulse* outer_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace alembert::internal
