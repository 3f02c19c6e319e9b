#pragma once

// Limits that a user sets for the whole program: time and memory.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace alembert::internal::app {

/// While it lives, a thread looks at the clock and at the memory. Beyond a limit it first asks the run to end, as
/// Ctrl-C does: what was computed is written and reported. Where nothing comes of that, because the program is still
/// reading or deriving, it says so and ends the program with exit code 1.
class Limits {
 public:
  /// 0: no limit. Seconds on the wall, bytes in memory.
  Limits(double seconds, double bytes);
  ~Limits();
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

  /// Looks at once: for the seams of a program that may be done before the thread has looked at all.
  void check();
  /// Which limit was reached, in words; "" where none was.
  std::string reached() const;

 private:
  void watch();
  void look();
  bool wait(double seconds);
  std::string words() const;

  double seconds_, bytes_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<int> reached_{0};  // 1: time, 2: memory
  std::mutex looking_;
  double asked_ = 0;  // seconds after the beginning at which the run was asked to end
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

/// "500M", "2G", "1e9": bytes; throws InputError naming the option.
double read_bytes(const std::string& option, const std::string& text);
/// What --time-limit says, in seconds; 0 where it is not given.
double read_time_limit(const std::string& text);

}  // namespace alembert::internal::app
