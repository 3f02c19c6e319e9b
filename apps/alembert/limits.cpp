#include "limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "alembert/error.h"
#include "commands.h"
#include "interrupt.h"

namespace alembert::internal::app {
namespace {

constexpr double between_looks = 0.02;  // seconds: in that time a program can take 100 MB, no more
constexpr double patience = 2;          // seconds that a run has to end by itself
constexpr double beyond = 1.25;         // of the memory: then it ends at once

/// Bytes that are in memory now.
double resident() {
  std::ifstream file("/proc/self/statm");
  double total = 0, pages = 0;
  file >> total >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Limits::Limits(double seconds, double bytes) : seconds_(seconds), bytes_(bytes) {
  if (seconds > 0 || bytes > 0) thread_ = std::thread([this] { watch(); });
}

Limits::~Limits() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Limits::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; });
}

void Limits::watch() {
  while (!wait(between_looks)) look();
}

void Limits::check() {
  if (seconds_ > 0 || bytes_ > 0) look();
}

void Limits::look() {
  const std::lock_guard lock(looking_);
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const double memory = bytes_ > 0 ? resident() : 0;
  if (reached_ == 0 && seconds_ > 0 && passed > seconds_) reached_ = 1;
  if (reached_ == 0 && bytes_ > 0 && memory > bytes_) reached_ = 2;
  if (reached_ == 0) return;
  if (asked_ == 0) {
    InterruptGuard::interrupt();
    asked_ = passed;
  }
  if (passed - asked_ < patience && !(bytes_ > 0 && memory > beyond * bytes_)) return;
  say(words() + " before there was a result");
  ::_exit(failed);
}

std::string Limits::words() const {
  return reached_ == 1 ? fmt::format("the time limit of {} s was reached", seconds_)
                       : fmt::format("the memory limit of {:g} MB was reached", bytes_ / 1e6);
}

std::string Limits::reached() const { return reached_ == 0 ? "" : words(); }

double read_bytes(const std::string& option, const std::string& text) {
  const std::string endings = "kMGT";
  std::string number = text;
  if (number.ends_with("B")) number.pop_back();  // 500MB as 500M
  const std::size_t power = number.empty() ? std::string::npos : endings.find(number.back());
  if (power != std::string::npos) number.pop_back();
  const double bytes = read_real(option, number) * (power == std::string::npos ? 1 : std::pow(1e3, power + 1.0));
  if (!(bytes > 0)) throw InputError(option + " wants a size above 0, not '" + text + "'", "such as 500M or 2G");
  return bytes;
}

double read_time_limit(const std::string& text) {
  if (text.empty()) return 0;
  const double seconds = read_real("--time-limit", text);
  if (!(seconds > 0)) throw InputError("--time-limit wants a time above 0, not " + text);
  return seconds;
}

}  // namespace alembert::internal::app
