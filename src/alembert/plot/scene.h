#pragma once

// What a page draws: bodies, joints, springs and the like as places in the world, and the formulas by which a browser
// computes those places from the columns of a trajectory.

#include <memory>
#include <string>

#include "alembert/error.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

/// The scene as JSON, "null" where there is nothing to see. The model is read again from `source`, with the parameters
/// of the run; where that is not possible (files of components are not there any more) `note` says why and the scene
/// shows points among the columns alone.
///
/// Places are numbers of results of "program": {"inputs": names of columns, "constants": numbers, "operators": names,
/// "code": triples (operator, first, second operand), "tables": cubics between knots}; the result of triple k has the
/// number k. The second operand of the operator "table" is the number of one of these.
struct SceneText {
  std::string json = "null";
  std::string note;
};
SceneText scene_of(const Trajectory& trajectory, const std::shared_ptr<const Source>& source);

}  // namespace alembert::internal
