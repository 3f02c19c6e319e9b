#pragma once

// A progress bar on standard error, for long work on a terminal; silent otherwise.

#include <chrono>
#include <string>

namespace alembert::internal::app {

class ProgressBar {
 public:
  /// Draws only where `wanted` and standard error is a terminal.
  explicit ProgressBar(bool wanted);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool active() const { return active_; }
  /// Fraction in [0, 1]; nothing is drawn in the first moments, so that short work leaves no flicker.
  /// `what` is being done, where that is worth saying.
  void show(double done, const std::string& what = {});
  /// Removes the bar; later calls of show() draw it again.
  void clear();

 private:
  bool active_, drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "  12 % [####                        ] 00:42 left", without the carriage return.
std::string progress_line(double done, double elapsed_seconds);

}  // namespace alembert::internal::app
