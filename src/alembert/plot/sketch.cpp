#include "alembert/plot/sketch.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "alembert/plot/paper.h"
#include "alembert/plot/scene_values.h"

namespace alembert::internal {
namespace {

constexpr const char* palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7a3c"};
constexpr const char* dark = "#3b4048";
constexpr const char* grey = "#7d828a";

const char* colour_of(std::size_t i) { return palette[i % std::size(palette)]; }

Paper::Look solid(const std::string& colour) { return {colour, dark, 0.6}; }

/// Draws a scene at a row of its run, in the order in which a page builds it.
class Sketch {
 public:
  Sketch(const Scene& scene, const Trajectory& trajectory, std::size_t row)
      : scene_(scene),
        trajectory_(trajectory),
        row_(row),
        at_(scene.program, trajectory),
        spatial_(is_spatial()),
        paper_(spatial_, up(row)) {
    at_.go(row);
  }

  std::string svg() {
    std::size_t index = 0;
    for (const SceneBody& body : scene_.bodies) add_body(body, colour_of(index++));
    for (const SceneJoint& joint : scene_.joints) add_joint(joint);
    for (const SceneSpring& spring : scene_.springs)
      add_strut(spring.stiff, spring.damped, at_.spot(spring.p), at_.spot(spring.q));
    index = 0;
    for (const SceneShape& shape : scene_.shapes) add_shape(shape, colour_of(index++));
    add_points();
    add_walls();
    add_trails();
    return paper_.svg(240, 170);
  }

 private:
  struct Pose {
    Spot place, x, y, z;
    Spot world(const Spot& p) const { return place + p[0] * x + p[1] * y + p[2] * z; }
  };

  bool is_spatial() const {
    const auto in_space = [](const Refs& refs) { return refs.size() == 3; };
    for (const SceneBody& body : scene_.bodies)
      if (in_space(body.position)) return true;
    for (const ScenePoint& point : scene_.points)
      if (in_space(point.position)) return true;
    for (const SceneShape& shape : scene_.shapes)
      if (in_space(shape.at) || in_space(shape.from) || in_space(shape.size)) return true;
    return false;
  }

  Spot up(std::size_t row) {
    at_.go(row);
    const Spot g = at_.spot(scene_.gravity);
    const double l = length(g);
    return spatial_ && scene_.gravity.size() == 3 && l > 0 ? -1 / l * g : Spot{0, 0, 1};
  }

  Pose pose_of(const SceneBody& body) const {
    std::vector<double> a;
    for (const Ref& ref : body.axes) a.push_back(at_.number(ref));
    if (a.size() == 4) return {at_.spot(body.position), {a[0], a[1], 0}, {a[2], a[3], 0}, {0, 0, 1}};
    return {at_.spot(body.position), {a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
  }

  const SceneBody* body_named(const std::string& name) const {
    for (const SceneBody& body : scene_.bodies)
      if (body.name == name) return &body;
    return nullptr;
  }

  // Bodies

  /// Where joints and springs take hold of a body, each place once.
  std::vector<Spot> anchors_of(const std::string& name) const {
    std::vector<Spot> places;
    const auto add = [&](const auto& one) {
      for (const auto& [side, refs] : {std::pair{&one.from, &one.p}, {&one.to, &one.q}}) {
        if (*side != name) continue;
        const Spot p = at_.spot(*refs);
        if (std::none_of(places.begin(), places.end(), [&](const Spot& q) { return length(p - q) < 1e-9; }))
          places.push_back(p);
      }
    };
    for (const SceneJoint& joint : scene_.joints)
      if (joint.kind != "rolling") add(joint);
    for (const SceneSpring& spring : scene_.springs) add(spring);
    return places;
  }

  void add_body(const SceneBody& body, const char* colour) {
    const std::string name = body.name;
    for (const SceneShape& shape : scene_.shapes)
      if (shape.body == name && (shape.kind == "box" || shape.kind == "mesh")) return;
    if (add_given(name, colour)) return;
    const Pose pose = pose_of(body);
    const std::vector<Spot> places = anchors_of(name);
    const double far = [&] {
      double most = 0;
      for (const Spot& p : places) most = std::max(most, length(p - pose.place));
      return most;
    }();
    if (places.empty() || far < 1e-9) add_central(body, pose, colour);
    else if (places.size() == 1) add_hanging(body, pose, places[0], colour);
    else if (places.size() == 2) paper_.line(places, {"none", colour, 5});
    else paper_.hull(places, {colour, colour, 5, 0.85});
  }

  /// Shapes that joints and contacts name.
  bool add_given(const std::string& name, const char* colour) {
    bool found = false;
    for (const SceneJoint& joint : scene_.joints) {
      if (joint.kind != "rolling" || (joint.from != name && joint.to != name)) continue;
      const Spot centre = pose_of(*body_named(name)).place;
      const double radius = at_.number(joint.radius[0]);
      if (spatial_ && joint.axle.empty()) paper_.ball(centre, radius, solid(colour));
      else paper_.disk(centre, spatial_ ? at_.spot(joint.axle) : Spot{0, 0, 1}, radius, solid(colour));
      found = true;
    }
    for (const SceneContact& contact : scene_.contacts) {
      if (contact.body != name || found) continue;
      const Spot centre = at_.spot(contact.centre);
      const std::string shape = contact.shape;
      const Spot size = at_.spot(contact.size);
      const Pose pose = pose_of(*body_named(name));
      if (shape == "sphere") paper_.ball(centre, size[0], solid(colour));
      else if (shape == "disk") paper_.disk(centre, at_.spot(contact.axle), size[0], solid(colour));
      else if (shape == "box" || shape == "ellipsoid")
        add_box({centre, pose.x, pose.y, pose.z}, (shape == "box" ? 1 : 2) * size, colour);
      else continue;
      found = true;
    }
    return found;
  }

  void add_box(const Pose& pose, const Spot& size, const std::string& colour) {
    std::vector<Spot> corners;
    for (int c = 0; c < 8; ++c)
      corners.push_back(pose.world({(c & 1 ? 0.5 : -0.5) * size[0], (c & 2 ? 0.5 : -0.5) * size[1],
                                    (c & 4 ? 0.5 : -0.5) * (spatial_ ? size[2] : 0)}));
    paper_.hull(corners, solid(colour));
    if (!spatial_) return;
    for (int c = 0; c < 8; ++c)
      for (const int bit : {1, 2, 4})
        if (!(c & bit)) paper_.line({corners[c], corners[c | bit]}, {"none", dark, 0.5, 0.5});
  }

  Spot moments_of(const SceneBody& body) const {
    const Refs& inertia = body.inertia;
    if (inertia.size() == 1) return {at_.number(inertia[0]) / 2, at_.number(inertia[0]) / 2, at_.number(inertia[0])};
    if (inertia.size() == 9) return {at_.number(inertia[0]), at_.number(inertia[4]), at_.number(inertia[8])};
    return at_.spot(inertia);
  }

  /// The axis of a ring: a body that turns in one pin and carries another that crosses it, as in a gimbal.
  std::optional<Spot> ring_of(const std::string& name) const {
    std::vector<Spot> axes;
    for (const SceneJoint& joint : scene_.joints) {
      if ((joint.from != name && joint.to != name) || joint.frame.size() != 9) continue;
      const Refs& f = joint.frame;
      axes.push_back({at_.number(f[6]), at_.number(f[7]), at_.number(f[8])});
      if (length(cross(axes[0], axes.back())) > 0.5) return cross(axes[0], axes.back());
    }
    return std::nullopt;
  }

  /// What its inertia says: a disk in the plane, the box of even density in space.
  void add_central(const SceneBody& body, const Pose& pose, const char* colour) {
    for (const SceneJoint& joint : scene_.joints)
      if (joint.kind == "prismatic" && (joint.from == body.name || joint.to == body.name)) return;
    const double mass = at_.number(body.mass[0]);
    const Spot i = moments_of(body);
    if (!spatial_) {
      paper_.disk(pose.place, {0, 0, 1}, std::sqrt(2 * i[2] / mass), solid(colour));
      return;
    }
    if (const std::optional<Spot> normal = ring_of(body.name)) {
      paper_.disk(pose.place, *normal, 1.15 * std::sqrt(std::max({i[0], i[1], i[2]}) / mass), {"none", colour, 4});
      return;
    }
    const auto edge = [&](double x) { return std::sqrt(std::max(6 * x / mass, 0.0)); };
    if (std::abs(i[0] - i[1]) < 0.02 * i[0] && i[2] > 1.05 * i[0])
      paper_.disk(pose.place, pose.z, std::sqrt(2 * i[2] / mass), solid(colour));
    else add_box(pose, {edge(i[1] + i[2] - i[0]), edge(i[0] + i[2] - i[1]), edge(i[0] + i[1] - i[2])}, colour);
  }

  /// A rod as long again behind its centre, or what is round about the axis to the point where it hangs: a top.
  void add_hanging(const SceneBody& body, const Pose& pose, const Spot& from, const char* colour) {
    const Spot arm = pose.place - from;
    const double mass = at_.number(body.mass[0]), l = length(arm);
    const Spot i = moments_of(body);
    for (const auto& [k, axis] : {std::pair{0, pose.x}, {1, pose.y}, {2, pose.z}}) {
      const double along = i[k], across = std::max(i[(k + 1) % 3], i[(k + 2) % 3]);
      if (!spatial_ || std::abs(dot(axis, arm)) < 0.99 * l || along < 0.3 * across) continue;
      paper_.line({from, pose.place + 0.35 * arm}, {"none", colour, 3});
      paper_.disk(pose.place, axis, std::clamp(std::sqrt(2 * along / mass), 0.25 * l, 0.9 * l), solid(colour));
      return;
    }
    paper_.line({from, pose.place + arm}, {"none", colour, 5});
  }

  // Joints, springs and what the model says itself

  void add_joint(const SceneJoint& joint) {
    const std::string kind = joint.kind;
    const Spot p = at_.spot(joint.p), q = at_.spot(joint.q);
    const bool grounded = joint.from == "ground" || joint.to == "ground";
    if (kind == "distance") paper_.line({p, q}, {"none", "#5b6270", 3});
    if (kind == "prismatic") paper_.line({p, q}, {"none", dark, grounded ? 2.0 : 3.0});
    if (kind == "rolling") return;
    if (grounded && kind != "prismatic" && kind != "cylindrical" && kind != "planar") {
      const SceneBody* body = body_named(joint.body);
      const Spot at = joint.from == "ground" ? p : q;
      const bool hangs = body && !spatial_ && scene_.gravity.size() > 1 && at_.spot(body->position)[1] < at[1];
      paper_.sign(at, hangs ? Paper::Sign::hanging : Paper::Sign::support, {grey, grey, 1.5});
    }
    paper_.sign(joint.from == joint.body ? p : q, Paper::Sign::dot, {dark, "none", kind == "prismatic" ? 5.0 : 3.0});
  }

  void add_strut(bool stiff, bool damped, const Spot& p, const Spot& q, const std::string& colour = "") {
    if (damped) {
      paper_.line({p, q}, {"none", "#9aa1ab", 1.5});
      paper_.line({p, p + 0.5 * (q - p)}, {"none", colour.empty() ? "#6a7080" : colour, 5});
    }
    if (stiff) paper_.zigzag(p, q, {"none", colour.empty() ? "#b8862b" : colour, 1.4});
  }

  void add_shape(const SceneShape& shape, const char* usual) {
    const SceneBody* body = body_named(shape.body);
    Pose frame = body ? pose_of(*body) : Pose{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::string kind = shape.kind;
    const std::string colour = shape.colour.empty() ? usual : shape.colour;
    const Spot from = frame.world(at_.spot(shape.from)), to = frame.world(at_.spot(shape.to));
    if (kind == "line") paper_.line({from, to}, {"none", colour, 3});
    if (kind == "spring" || kind == "damper") add_strut(kind == "spring", kind == "damper", from, to, shape.colour);
    frame.place = frame.world(at_.spot(shape.at));
    const double radius = shape.radius.empty() ? 1 : at_.number(shape.radius[0]);
    if (kind == "sphere") paper_.ball(frame.place, radius, solid(colour));
    if (kind == "cylinder") {
      const Spot own = shape.axis.empty() ? Spot{0, 0, 1} : at_.spot(shape.axis);
      const Spot axis = own[0] * frame.x + own[1] * frame.y + own[2] * frame.z;
      const Spot half = 0.5 * at_.number(shape.length[0]) / std::max(length(axis), 1e-300) * axis;
      paper_.disk(frame.place - half, axis, radius, solid(colour));
      paper_.disk(frame.place + half, axis, radius, solid(colour));
    }
    if (kind == "box" || kind == "mesh") {
      if (!shape.rotated.empty()) {
        const Spot about = shape.about.empty() ? Spot{0, 0, 1} : at_.spot(shape.about);
        turn(frame, 1 / std::max(length(about), 1e-300) * about, at_.number(shape.rotated[0]));
      }
      if (kind == "box") add_box(frame, at_.spot(shape.size), colour);
      else add_mesh(frame, shape, colour);
    }
  }

  /// Rodrigues, about an axis in the frame itself.
  static void turn(Pose& frame, const Spot& axis, double angle) {
    const Pose before = frame;
    const auto turned = [&](const Spot& v) {
      const Spot r =
          std::cos(angle) * v + std::sin(angle) * cross(axis, v) + (1 - std::cos(angle)) * dot(axis, v) * axis;
      return r[0] * before.x + r[1] * before.y + r[2] * before.z;
    };
    frame.x = turned({1, 0, 0});
    frame.y = turned({0, 1, 0});
    frame.z = turned({0, 0, 1});
  }

  void add_mesh(const Pose& frame, const SceneShape& shape, const std::string& colour) {
    const double scale = shape.scale.empty() ? 1 : at_.number(shape.scale[0]);
    const std::vector<float>& c = shape.corners;
    std::vector<Spot> corners;
    for (std::size_t i = 0; i + 2 < c.size(); i += 3)
      corners.push_back(frame.world(scale * Spot{c[i], c[i + 1], c[i + 2]}));
    constexpr std::size_t most = 900;  // triangles of a small picture; of more one sees the outline
    if (corners.size() > 3 * most) {
      paper_.hull(corners, solid(colour));
      return;
    }
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
      paper_.polygon({corners[i], corners[i + 1], corners[i + 2]}, {colour, dark, 0.2});
  }

  // Points

  /// The centre about which a constraint on one point depends on the distance alone, as constraints.ts finds it.
  std::optional<Spot> centre_of(const SceneConstraint& constraint) {
    const Refs& refs = place_of(constraint, 0);
    const Spot near = at_.spot(refs);
    const double size = std::max(reach(), 1e-9), h = 1e-5 * size;
    const auto gradient = [&](const Spot& p) {
      Spot g = {0, 0, 0};
      for (std::size_t k = 0; k < refs.size(); ++k) {
        Spot step = {0, 0, 0};
        step[k] = h;
        g[k] = (at_.with(constraint.value, refs, p + step) - at_.with(constraint.value, refs, p - step)) / (2 * h);
      }
      return 1 / length(g) * g;
    };
    const Spot first = near + size * Spot{0.3, 0.1, spatial_ ? 0.17 : 0};
    const Spot second = near + size * Spot{-0.21, 0.37, spatial_ ? -0.11 : 0};
    const Spot third = near + size * Spot{0.13, -0.29, spatial_ ? 0.33 : 0};
    const Spot a = gradient(first), b = gradient(second);
    const double c = dot(a, b), bottom = 1 - c * c;
    if (!(bottom > 1e-8)) return std::nullopt;
    const Spot between = second - first;
    const Spot centre = first + (dot(between, a) - c * dot(between, b)) / bottom * a;
    for (const auto& [p, direction] : {std::pair{second, b}, {third, gradient(third)}}) {
      const Spot d = centre - p;
      if (!(length(d - dot(d, direction) * direction) < 1e-4 * size)) return std::nullopt;
    }
    return centre;
  }

  const Refs& place_of(const SceneConstraint& constraint, std::size_t k) const {
    return scene_.points[static_cast<std::size_t>(constraint.points[k])].position;
  }

  /// How far points are from one another and from the origin.
  double reach() const {
    double most = 0;
    for (const ScenePoint& point : scene_.points) most = std::max(most, length(at_.spot(point.position)));
    return most;
  }

  double distance(const SceneConstraint& constraint, std::size_t row) {
    at_.go(row);
    return length(at_.spot(place_of(constraint, 0)) - at_.spot(place_of(constraint, 1)));
  }

  void add_points() {
    std::vector<std::pair<Spot, Spot>> held;  // centre, and the point about it
    for (const SceneConstraint& constraint : scene_.constraints) {
      const Spot first = at_.spot(place_of(constraint, 0));
      if (constraint.points.size() == 1) {
        if (const std::optional<Spot> centre = centre_of(constraint)) held.push_back({*centre, first});
        continue;
      }
      const double now = distance(constraint, row_), then = distance(constraint, 0);
      const double later = distance(constraint, trajectory_.rows() - 1);
      at_.go(row_);
      const bool kept = std::abs(now - then) + std::abs(now - later) < 1e-4 * now;
      const Spot second = at_.spot(place_of(constraint, 1));
      if (kept) paper_.line({first, second}, {"none", "#5b6270", 3});
    }
    // Many about one centre are on a sphere; one or two hang on rods.
    for (const auto& [centre, point] : held) {
      const auto about = std::count_if(held.begin(), held.end(),
                                       [&, c = centre](const auto& other) { return length(other.first - c) < 1e-6; });
      if (about > 2) {
        if (&point == &held[0].second) paper_.ball(centre, length(point - centre), {"#8fa3b8", "none", 0, 0.3});
        continue;
      }
      paper_.line({centre, point}, {"none", "#5b6270", 3});
      paper_.sign(centre,
                  spatial_               ? Paper::Sign::dot
                  : centre[1] > point[1] ? Paper::Sign::hanging
                                         : Paper::Sign::support,
                  {grey, grey, spatial_ ? 3.0 : 1.5});
    }
    std::size_t index = 0;
    const bool many = scene_.points.size() > 12;
    for (const ScenePoint& point : scene_.points)
      paper_.sign(at_.spot(point.position), Paper::Sign::dot, {colour_of(index++), "none", many ? 3.5 : 5.5});
  }

  /// Planes that are touched or rolled on, in the plane.
  void add_walls() {
    if (spatial_) return;
    const double l = 0.7 * std::max(paper_.size(), 1e-9);
    const auto add = [&](const Refs& normal, const Refs& base) {
      const Spot n = at_.spot(normal), at = at_.spot(base);
      const Spot along = {n[1], -n[0], 0};
      if (length(n) > 0) paper_.line({at - l * along, at + l * along}, {"none", grey, 1});
    };
    for (const SceneContact& contact : scene_.contacts) add(contact.normal, contact.base);
    for (const SceneJoint& joint : scene_.joints)
      if (joint.kind == "rolling") add(joint.normal, joint.p);
  }

  /// The way that points came, where it does not make everything else small.
  void add_trails() {
    std::vector<const Refs*> places;
    for (const ScenePoint& point : scene_.points) places.push_back(&point.position);
    for (const SceneBody& body : scene_.bodies) places.push_back(&body.position);
    for (const SceneShape& shape : scene_.shapes)
      if (shape.body == "ground" && shape.kind == "sphere") places.push_back(&shape.at);
    // More trails hide the motion, and a small picture shows no more of one.
    constexpr std::size_t most_trails = 12, samples = 120;
    if (places.size() > most_trails || row_ < 2) return;
    std::vector<std::vector<Spot>> trails(places.size());
    for (std::size_t i = 0; i <= samples; ++i) {
      at_.go(i * row_ / samples);
      for (std::size_t k = 0; k < places.size(); ++k) trails[k].push_back(at_.spot(*places[k]));
    }
    at_.go(row_);
    const double size = paper_.size();
    for (std::size_t k = 0; k < trails.size(); ++k) {
      double far = 0;
      for (const Spot& p : trails[k]) far = std::max(far, length(p - trails[k].back()));
      const bool alone = scene_.bodies.empty() && scene_.shapes.empty();
      if (far > 0.02 * size && (alone || far < 4 * size)) paper_.line(trails[k], {"none", colour_of(k), 1, 0.7});
    }
  }

  const Scene& scene_;
  const Trajectory& trajectory_;
  std::size_t row_;
  SceneValues at_;
  bool spatial_;
  Paper paper_;
};

}  // namespace

std::string sketch_of(const Trajectory& trajectory, const std::shared_ptr<const Source>& source) {
  if (trajectory.rows() == 0) return "";
  std::string note;
  const std::optional<Scene> scene = scene_of(trajectory, source, note);
  if (!scene) return "";
  constexpr double share = 0.35;  // of the run: something has happened by then
  const auto row = static_cast<std::size_t>(share * static_cast<double>(trajectory.rows() - 1));
  return Sketch(*scene, trajectory, row).svg();
}

}  // namespace alembert::internal
