#include "alembert/base/profile.h"

#include "alembert/error.h"

namespace alembert::internal {

std::string_view activity_name(Activity activity) {
  constexpr std::array<std::string_view, activity_count> names = {
      "preparing",  "compiling", "kernel",   "evaluation", "factorisation",
      "prediction", "stepping",  "watching", "output",     "other"};
  return names[static_cast<std::size_t>(activity)];
}

Profile::Profile() {
  Profile* none = nullptr;
  check(active_.compare_exchange_strong(none, this), "one profile at a time");
}

Profile::~Profile() { active_ = nullptr; }

std::array<double, activity_count> Profile::seconds() {
  change(current_);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
  const double tick = last_ > first_ ? passed.count() / static_cast<double>(last_ - first_) : 0;
  std::array<double, activity_count> result{};
  for (std::size_t i = 0; i < activity_count; ++i) result[i] = tick * static_cast<double>(ticks_[i]);
  return result;
}

}  // namespace alembert::internal
