#include "run_profile.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "alembert/code/late_code.h"

namespace alembert::internal::app {

std::string profile_text(Profile& profile) {
  const auto seconds = profile.seconds();
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::string text = fmt::format("  {:<12}{:.1f} ms\n", "profile", 1e3 * all);
  for (std::size_t i = 0; i < activity_count; ++i)
    text += fmt::format("  {:<12}{:<14}{:9.1f} ms {:5.1f} %\n", "", activity_name(static_cast<Activity>(i)),
                        1e3 * seconds[i], 100 * seconds[i] / all);
  return text + fmt::format("  {:<12}{:<14}{:9.1f} ms of a second thread, beside\n", "", "compiling",
                            1e3 * detail::background_seconds());
}

std::string with_profile(std::string report, Profile& profile) {
  nlohmann::ordered_json shares;
  const auto seconds = profile.seconds();
  for (std::size_t i = 0; i < activity_count; ++i)
    shares[std::string(activity_name(static_cast<Activity>(i)))] = seconds[i];
  shares["compiling_beside"] = detail::background_seconds();
  report.pop_back();
  return report + ",\"profile\":" + shares.dump() + "}";
}

}  // namespace alembert::internal::app
