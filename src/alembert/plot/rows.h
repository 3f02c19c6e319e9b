#pragma once

// The numbers of a trajectory for a page: few enough to open at once, and without losing an extreme value of a plot.

#include <string>

#include "alembert/trajectory.h"

namespace alembert::internal {

/// A text in quotes, as JSON writes it.
std::string json_string(const std::string& text);

/// A run as JSON: {"title", "rows": how many the run has, "shown": numbers of rows at even distances, "columns":
/// [{"name", "kind", "unit", "values": at those rows, "extremeRows", "extremes": the least and the largest value
/// between two of them where they lie beyond both}], "events": [{"name", "values"}]}. Lists of numbers are the bytes of
/// doubles (rows: of 32-bit numbers) in base64, in the order of little-endian machines. Together at most about 8 MB.
std::string run_json(const Trajectory& trajectory, const std::string& title);

}  // namespace alembert::internal
