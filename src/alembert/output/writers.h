#pragma once

// The writers behind make_writer, one a format.

#include <memory>
#include <string>

#include "alembert/trajectory.h"

namespace alembert::internal {

std::unique_ptr<Observer> make_csv_writer(const std::string& path);
std::unique_ptr<Observer> make_json_writer(const std::string& path);
std::unique_ptr<Observer> make_hdf5_writer(const std::string& path);

/// The path's ending says no format that is known.
[[noreturn]] void refuse_ending(const std::string& path);

}  // namespace alembert::internal
