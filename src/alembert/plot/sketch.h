#pragma once

// A still picture of a mechanism: what a page would show (scene.h), seen from one side and in few lines.

#include <memory>
#include <string>

#include "alembert/error.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

/// SVG text; "" where there is no mechanism to be seen. `source` is the model, as scene_of takes it.
std::string sketch_of(const Trajectory& trajectory, const std::shared_ptr<const Source>& source);

}  // namespace alembert::internal
