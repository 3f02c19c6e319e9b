#pragma once

// What run --profile says: where the time went.

#include <string>

#include "alembert/base/profile.h"

namespace alembert::internal::app {

/// A table below the report.
std::string profile_text(Profile& profile);

/// The JSON object of a report with one more entry, "profile": seconds by activity.
std::string with_profile(std::string report, Profile& profile);

}  // namespace alembert::internal::app
