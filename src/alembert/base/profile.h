#pragma once

// Where the time of a run goes. One thread of the process can be looked at, while a Profile lives; as long as there is
// none, what is timed costs a look at one pointer.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <thread>

namespace alembert::internal {

/// What a run is doing. preparing: the equations of the step, their derivatives, the start; compiling: what this thread
/// does of it; evaluation: of equations, with what follows from them by substitution; stepping: the rest of making a
/// step (norms, copies, control of its size); kernel: whole steps of small systems, many at a time, with all of these
/// and the watching in one compiled function; other: reading, deriving, reporting.
enum class Activity {
  preparing,
  compiling,
  kernel,
  evaluation,
  factorisation,
  prediction,
  stepping,
  watching,
  output,
  other
};
inline constexpr std::size_t activity_count = 10;  // of the list above

/// "evaluation", as the report calls it.
std::string_view activity_name(Activity activity);

/// From its making on; of the thread that made it. One at a time.
class Profile {
 public:
  Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  ~Profile();

  /// Time spent in each so far, in seconds: time in one activity inside another counts for the inner one alone.
  std::array<double, activity_count> seconds();

  /// The time since the last change belongs to what was done until now. Gives what that was.
  Activity change(Activity to) noexcept {
    const std::uint64_t now = ticks();
    ticks_[static_cast<std::size_t>(current_)] += now - last_;
    last_ = now;
    const Activity before = current_;
    current_ = to;
    return before;
  }
  bool here() const noexcept { return thread_ == std::this_thread::get_id(); }

  static Profile* active() noexcept { return active_.load(std::memory_order_relaxed); }

 private:
  static std::uint64_t ticks() noexcept {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }

  inline static std::atomic<Profile*> active_{nullptr};
  std::thread::id thread_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::uint64_t first_ = ticks(), last_ = first_;
  Activity current_ = Activity::other;
  std::array<std::uint64_t, activity_count> ticks_{};
};

/// While it lives, this is what the thread is doing.
class During {
 public:
  explicit During(Activity activity) noexcept {
    if (Profile* const profile = Profile::active(); profile && profile->here()) [[unlikely]] {
      profile_ = profile;
      before_ = profile->change(activity);
    }
  }
  During(const During&) = delete;
  During& operator=(const During&) = delete;
  ~During() {
    if (profile_) [[unlikely]]
      profile_->change(before_);
  }

 private:
  Profile* profile_ = nullptr;
  Activity before_ = Activity::other;
};

}  // namespace alembert::internal
