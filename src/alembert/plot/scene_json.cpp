// A scene as a page takes it.

#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/plot/scene.h"

namespace alembert::internal {

namespace {

using Json = nlohmann::json;

Json written(const Ref& ref) { return ref ? Json(*ref) : Json(); }

Json written(const Refs& refs) {
  Json list = Json::array();
  for (const Ref& ref : refs) list.push_back(written(ref));
  return list;
}

Json written(const std::vector<Refs>& places) {
  Json list = Json::array();
  for (const Refs& place : places) list.push_back(written(place));
  return list;
}

Json written(const SceneProgram& program) {
  Json constants = Json::array(), tables = Json::array();
  for (const double value : program.constants) constants.push_back(std::isfinite(value) ? Json(value) : Json());
  for (const SceneProgram::Table& table : program.tables)
    tables.push_back({{"knots", table.knots}, {"pieces", table.pieces}});
  return {{"inputs", program.inputs},
          {"constants", constants},
          {"operators", program.operators},
          {"code", program.code},
          {"tables", tables}};
}

Json written(const SceneBody& b) {
  return {{"name", b.name},          {"position", written(b.position)},
          {"axes", written(b.axes)}, {"omega", written(b.omega)},
          {"mass", written(b.mass)}, {"inertia", written(b.inertia)}};
}

Json written(const SceneJoint& j) {
  return {{"name", j.name},
          {"kind", j.kind},
          {"from", j.from},
          {"to", j.to},
          {"body", j.body},
          {"p", written(j.p)},
          {"q", written(j.q)},
          {"frame", written(j.frame)},
          {"force", written(j.force)},
          {"radius", written(j.radius)},
          {"normal", written(j.normal)},
          {"axle", written(j.axle)}};
}

Json written(const SceneSpring& s) {
  return {{"name", s.name},    {"from", s.from},   {"to", s.to},        {"p", written(s.p)},
          {"q", written(s.q)}, {"stiff", s.stiff}, {"damped", s.damped}};
}

Json written(const SceneLoad& l) {
  return {{"name", l.name}, {"body", l.body}, {"at", written(l.at)}, {"force", written(l.force)}};
}

Json written(const SceneContact& c) {
  return {{"name", c.name},
          {"force", written(c.force)},
          {"body", c.body},
          {"other", c.other},
          {"shape", c.shape},
          {"otherShape", c.other_shape},
          {"centre", written(c.centre)},
          {"base", written(c.base)},
          {"normal", written(c.normal)},
          {"touch", written(c.touch)},
          {"size", written(c.size)},
          {"otherSize", written(c.other_size)},
          {"axle", written(c.axle)}};
}

Json written(const SceneShape& s) {
  Json shape = {{"kind", s.kind},
                {"body", s.body},
                {"colour", s.colour},
                {"label", s.label},
                {"at", written(s.at)},
                {"rotated", written(s.rotated)},
                {"about", written(s.about)},
                {"size", written(s.size)},
                {"radius", written(s.radius)},
                {"length", written(s.length)},
                {"axis", written(s.axis)},
                {"from", written(s.from)},
                {"to", written(s.to)},
                {"scale", written(s.scale)}};
  if (s.kind == "mesh") shape["corners"] = s.corners;
  return shape;
}

Json written(const ScenePoint& p) { return {{"name", p.name}, {"position", written(p.position)}}; }

Json written(const SceneConstraint& c) {
  return {{"name", c.name}, {"value", c.value}, {"points", c.points}, {"moving", c.moving}};
}

Json written(const SceneGap& g) {
  return {{"name", g.name},
          {"value", g.value},
          {"places", written(g.places)},
          {"moving", g.moving},
          {"force", written(g.force)}};
}

template <class Element>
Json all(const std::vector<Element>& elements) {
  Json list = Json::array();
  for (const Element& one : elements) list.push_back(written(one));
  return list;
}

}  // namespace

std::string to_json(const std::optional<Scene>& scene) {
  if (!scene) return "null";
  const Json json = {{"gravity", written(scene->gravity)},
                     {"bodies", all(scene->bodies)},
                     {"joints", all(scene->joints)},
                     {"springs", all(scene->springs)},
                     {"loads", all(scene->loads)},
                     {"contacts", all(scene->contacts)},
                     {"shapes", all(scene->shapes)},
                     {"points", all(scene->points)},
                     {"constraints", all(scene->constraints)},
                     {"gaps", all(scene->gaps)},
                     {"program", written(scene->program)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SceneText scene_text(const Trajectory& trajectory, const std::shared_ptr<const Source>& source) {
  SceneText text;
  text.json = to_json(scene_of(trajectory, source, text.note));
  return text;
}

}  // namespace alembert::internal
