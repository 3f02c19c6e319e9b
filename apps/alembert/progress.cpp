#include "progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace alembert::internal::app {

ProgressBar::ProgressBar(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO)) {}

std::string progress_line(double done, double elapsed_seconds) {
  constexpr int width = 40;  // with the numbers beside it half of a terminal of 80 columns, so that it never wraps
  const double share = std::isfinite(done) ? std::clamp(done, 0.0, 1.0) : 0.0;
  const int filled = static_cast<int>(share * width);
  std::string line =
      fmt::format(" {:3.0f} % [{}{}]", 100 * share, std::string(filled, '#'), std::string(width - filled, ' '));
  const double left = share > 0 ? elapsed_seconds * (1 - share) / share : HUGE_VAL;
  if (left >= 360000) return line;
  const long seconds = std::lround(left);
  if (seconds >= 3600)
    return line + fmt::format(" {}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return line + fmt::format(" {:02}:{:02} left", seconds / 60, seconds % 60);
}

void ProgressBar::show(double done, const std::string& what) {
  if (!active_) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (elapsed < 0.4) return;
  drawn_ = true;
  // The escape erases what a longer line left behind.
  // A bar that cannot be drawn is no reason to stop.
  const std::string line = fmt::format("\r{}{}{}\x1b[K", progress_line(done, elapsed), what.empty() ? "" : "  ", what);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace alembert::internal::app
