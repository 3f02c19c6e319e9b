// How many components the words of elements have: said at the value itself, in the words of the user.

#include <algorithm>

#include "alembert/model/bodies/expand.h"
#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

/// In space and in the plane: a number; a point or a force; a rotation or a torque; an axis with its direction in
/// space.
enum class Components { one, place, turn, space };

struct WordShape {
  const char* keyword;
  const char* word;
  Components components;
};
using enum Components;
const WordShape word_shapes[] = {
    {"body", "mass", one},        {"body", "at", place},       {"body", "velocity", place},
    {"body", "spin", turn},       {"body", "omega", turn},     {"body", "angle", one},
    {"body", "angles", space},    {"body", "rotated", one},    {"body", "turned", one},
    {"body", "about", space},     {"joint", "point", place},   {"joint", "axis", place},
    {"joint", "length", one},     {"joint", "radius", one},    {"joint", "restitution", one},
    {"joint", "friction", one},   {"joint", "static", one},    {"drive", "angle", one},
    {"drive", "angle1", one},     {"drive", "angle2", one},    {"drive", "distance", one},
    {"drive", "torque", one},     {"drive", "torque1", one},   {"drive", "torque2", one},
    {"drive", "force", one},      {"load", "point", place},    {"load", "force", place},
    {"load", "torque", turn},     {"spring", "point", place},  {"spring", "length", one},
    {"spring", "stiffness", one}, {"spring", "damping", one},  {"torsion", "stiffness", one},
    {"torsion", "rest", one},     {"torsion", "damping", one}, {"contact", "point", place},
    {"contact", "axis", place},   {"contact", "sphere", one},  {"contact", "disk", one},
    {"contact", "rolling", one},  {"contact", "drilling", one}};

ArrayShape wanted(Components components, bool planar) {
  if (components == one || (components == turn && planar)) return {};
  return {planar && components == place ? 2 : 3};
}

/// Whether what a statement names lies in the plane; bodies that do not go together have been refused.
bool is_planar(const Expansion& expansion, const Statement& s) {
  for (const ExpandedBody& b : expansion.bodies) {
    if (b.statement == &s) return b.planar();
    for (const char* word : {"on", "from", "to"})
      if (const Term* name = value_of(s, word); name && name->text == b.name) return b.planar();
  }
  return false;
}

class ShapeCheck {
 public:
  ShapeCheck(Elaboration& e, const Expansion& expansion) : scope_(e.scope), expansion_(expansion) {}

  void check(const Statement& s) {
    const bool planar = is_planar(expansion_, s);
    for (const Item& item : s.items)
      for (const WordShape& known : word_shapes) {
        if (!item.value || s.keyword != known.keyword || item.target.text != known.word) continue;
        const std::string what = std::string("'") + known.word + "' of the " + s.keyword + " '" + s.label->text + "'";
        check(*item.value, what, wanted(known.components, planar), planar, s.label->place);
      }
    if (s.keyword == "body" && planar)
      if (const Term* inertia = value_of(s, "inertia"))
        check(*inertia, "'inertia' of the body '" + s.label->text + "'", {}, planar, s.label->place);
    if (s.keyword == "joint" && s.string != "universal")
      if (const Term* zero = value_of(s, "zero"))
        check(*zero, "'zero' of the joint '" + s.label->text + "'", {}, planar, s.label->place);
  }

  void check(const Term& term, const std::string& what, const ArrayShape& shape, bool planar, const Place& element) {
    const Value value = scope_.evaluate(term);
    if (value.bad || value.shape == shape) return;
    scope_.silence(element);
    scope_.silence(term.place, false);
    std::string hint;
    if (!shape.empty()) hint = shape[0] == 2 ? "in the plane it is (x, y)" : "in space it is (x, y, z)";
    else if (planar && !value.shape.empty()) hint = "in the plane it is a number";
    scope_.error(term.place, what + " must be " + shape_text(shape) + ", not " + shape_text(value.shape), hint);
  }

 private:
  Scope& scope_;
  const Expansion& expansion_;
};

}  // namespace

void check_shapes(Elaboration& e, const Expansion& expansion) {
  ShapeCheck shapes(e, expansion);
  for (const ExpandedBody& b : expansion.bodies) shapes.check(*b.statement);
  for (const ExpandedJoint& j : expansion.joints) shapes.check(*j.statement);
  for (const Statement* other : expansion.others) shapes.check(*other);
  if (!expansion.gravity || expansion.bodies.empty()) return;
  const bool planar = expansion.bodies[0].planar();
  const bool alike = std::all_of(expansion.bodies.begin(), expansion.bodies.end(),
                                 [&](const ExpandedBody& b) { return b.planar() == planar; });
  if (alike) shapes.check(*expansion.gravity, "'gravity'", {planar ? 2 : 3}, planar, expansion.gravity_place);
}

}  // namespace alembert::internal
