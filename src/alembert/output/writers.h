#pragma once

// Trajectories on disk: .csv, .h5, .json by the ending of the name. Numbers round-trip.

#include <memory>
#include <string>

#include "alembert/run/simulate.h"

namespace alembert::internal {

/// Throws InputError for an unknown ending or a file that cannot be written.
std::unique_ptr<Observer> make_writer(const std::string& path);

}  // namespace alembert::internal
