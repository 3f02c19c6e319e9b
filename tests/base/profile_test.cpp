#include "alembert/base/profile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

namespace alembert::internal {
namespace {

void wait_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {}
}

double of(const std::array<double, activity_count>& seconds, Activity activity) {
  return seconds[static_cast<std::size_t>(activity)];
}

TEST(Profile, time_belongs_to_the_innermost_activity) {
  Profile profile;
  {
    const During stepping(Activity::stepping);
    wait_for(0.02);
    {
      const During evaluating(Activity::evaluation);
      wait_for(0.03);
    }
    wait_for(0.01);
  }
  const auto seconds = profile.seconds();
  // A busy machine makes things longer, never shorter.
  EXPECT_GE(of(seconds, Activity::stepping), 0.0299);
  EXPECT_GE(of(seconds, Activity::evaluation), 0.0299);
  EXPECT_EQ(of(seconds, Activity::output), 0);
}

TEST(Profile, the_parts_make_the_whole) {
  const auto begin = std::chrono::steady_clock::now();
  Profile profile;
  for (int i = 0; i < 100; ++i) {
    const During watching(Activity::watching);
    wait_for(1e-4);
  }
  const auto seconds = profile.seconds();
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  EXPECT_LE(all, passed);
  EXPECT_GE(of(seconds, Activity::watching), 0.0099);
}

TEST(Profile, other_threads_and_times_without_it_do_not_count) {
  {
    const During outside(Activity::output);  // nobody looks
    Profile profile;
    std::thread([] {
      const During elsewhere(Activity::output);
      wait_for(0.01);
    }).join();
    EXPECT_EQ(of(profile.seconds(), Activity::output), 0);
    EXPECT_THROW(Profile(), std::logic_error);
  }
  EXPECT_EQ(Profile::active(), nullptr);
}

}  // namespace
}  // namespace alembert::internal
