#pragma once

// What there is to see of a model: bodies and what joins them, as places in the world, which are expressions of the
// coordinates; and what draw statements say. Only a page asks for it: reading a model to run it does not make it.

#include <memory>
#include <string>
#include <vector>

#include "alembert/expr.h"
#include "alembert/model/model.h"

namespace alembert::internal {

struct DrawnBody {
  std::string name;
  Exprs position;  // of its centre of mass: 2 or 3
  Exprs axes;      // its own axes in the world, one after the other: 4 or 9
  Exprs omega;     // in the world; in the plane one number
  Exprs mass;
  Exprs inertia;  // about its own axes: 1 in the plane, 3 in space
};

struct DrawnJoint {
  std::string name, kind, from, to;  // bodies, or "ground"
  Exprs p, q;                        // its points on both sides; of a rolling joint both are the point of contact
  Exprs frame;                       // axes in the world, the axis of the joint last
  Exprs force;                       // the reaction on `body`
  std::string body;
  Exprs radius, normal, axle;  // of a rolling joint; axle: of a disk
};

struct DrawnSpring {
  std::string name, from, to;
  Exprs p, q;
  bool stiff = false, damped = false;
};

struct DrawnLoad {
  std::string name, body;
  Exprs at, force;
};

struct DrawnContact {
  std::string name;
  std::string body, other;  // that with the shape, and that with the plane or the second sphere
  std::string shape, other_shape;
  Exprs centre, base, normal;
  std::vector<Exprs> touch;  // points that may touch
  Exprs size;                // radius, or half axes of an ellipsoid, or edges of a box
  Exprs other_size;          // radius of a second sphere
  Exprs axle;                // of a disk
};

/// A draw statement. Places are in the frame of the body, or in the world for "ground".
struct DrawnShape {
  std::string kind, body, colour, label, file;
  Exprs at, rotated, about, size, radius, length, axis, from, to, scale;
  Place place;
};

struct Drawing {
  Exprs gravity;  // empty where there is none
  std::vector<DrawnBody> bodies;
  std::vector<DrawnJoint> joints;
  std::vector<DrawnSpring> springs;
  std::vector<DrawnLoad> loads;
  std::vector<DrawnContact> contacts;
  std::vector<DrawnShape> shapes;
};

/// A model together with what there is to see of it; the expressions are those of its graph.
struct DrawnModel {
  Model model;
  Drawing drawing;
};
/// As read_model. Throws InputError as that does.
DrawnModel read_drawn_model(const std::shared_ptr<const Source>& source,
                            const std::vector<std::string>& overrides = {});

}  // namespace alembert::internal
