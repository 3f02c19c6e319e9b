#pragma once

// What a page draws: bodies, joints, springs and the like as places in the world, and the formulas by which a browser,
// or SceneValues, computes those places from the columns of a trajectory.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

/// The number of a result of the program; nothing where it depends on what is no column.
using Ref = std::optional<int>;
using Refs = std::vector<Ref>;

/// Operations on columns: triples (operator, first, second operand); the result of triple k has the number k. The
/// operators "input", "constant" take the number of one of these, the second operand of "table" that of a table.
struct SceneProgram {
  struct Table {
    std::vector<double> knots;
    std::vector<double> pieces;  // the one before the first knot and those behind each: place and four coefficients
  };
  std::vector<std::string> inputs;  // names of columns
  std::vector<double> constants;
  std::vector<std::string> operators;
  std::vector<int> code;
  std::vector<Table> tables;
};

// As in model/drawing.h, which says what the places mean.
struct SceneBody {
  std::string name;
  Refs position, axes, omega, mass, inertia;
};
struct SceneJoint {
  std::string name, kind, from, to, body;
  Refs p, q, frame, force, radius, normal, axle;
};
struct SceneSpring {
  std::string name, from, to;
  Refs p, q;
  bool stiff = false, damped = false;
};
struct SceneLoad {
  std::string name, body;
  Refs at, force;
};
struct SceneContact {
  std::string name, body, other, shape, other_shape;
  Refs force;  // in the points that may touch, along the normal
  Refs centre, base, normal;
  std::vector<Refs> touch;
  Refs size, other_size, axle;
};
struct SceneShape {
  std::string kind, body, colour, label;
  Refs at, rotated, about, size, radius, length, axis, from, to, scale;
  std::vector<float> corners;  // of a mesh, three numbers each, three corners a triangle
};
struct ScenePoint {
  std::string name;
  Refs position;
};
/// A constraint on the places of one or two points.
struct SceneConstraint {
  std::string name;
  int value = 0;            // the number of its result
  std::vector<int> points;  // of the scene
  bool moving = false;      // it depends on time
};
/// A gap of points likewise: a wall that they may touch. They need not be drawn.
struct SceneGap {
  std::string name;
  int value = 0;
  std::vector<Refs> places;
  bool moving = false;
  Ref force;
};

struct Scene {
  Refs gravity;  // empty where there is none
  std::vector<SceneBody> bodies;
  std::vector<SceneJoint> joints;
  std::vector<SceneSpring> springs;
  std::vector<SceneLoad> loads;
  std::vector<SceneContact> contacts;
  std::vector<SceneShape> shapes;
  std::vector<ScenePoint> points;
  std::vector<SceneConstraint> constraints;
  std::vector<SceneGap> gaps;
  SceneProgram program;
};

/// The scene of a run; nothing where there is nothing to see. The model is read again from `source`, with the
/// parameters of the run; where that is not possible (files of components are not there any more) `note` says why and
/// the scene shows points among the columns alone.
std::optional<Scene> scene_of(const Trajectory& trajectory, const std::shared_ptr<const Source>& source,
                              std::string& note);

/// As a page takes it: one object of JSON, "null" for nothing.
std::string to_json(const std::optional<Scene>& scene);
/// Both.
struct SceneText {
  std::string json, note;
};
SceneText scene_text(const Trajectory& trajectory, const std::shared_ptr<const Source>& source);

}  // namespace alembert::internal
