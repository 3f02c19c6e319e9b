#pragma once

// Bodies, joints, springs and motors written out in the language itself: coordinates, energies and constraints like
// those that a user could have written. Inside model/ only.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "alembert/text/lookup.h"

namespace alembert::internal {

/// What a joint became: names that the expanded text declares.
struct ExpandedJoint {
  std::string name, kind;
  std::string body;   // on which the reaction is reported
  std::string other;  // "ground" or a body
  Place place;
  const Statement* statement = nullptr;
  bool planar = false;
  std::string position;  // a let: the point of the joint, in the world
  std::string frame;     // a let: the axes of the joint's frame, in the world
};

struct ExpandedBody {
  enum class Turning { quaternion, euler, planar };
  std::string name;
  Turning turning = Turning::quaternion;
  const Statement* statement = nullptr;
  bool planar() const { return turning == Turning::planar; }
};

struct Expansion {
  Text text;
  std::vector<ExpandedBody> bodies;
  std::vector<ExpandedJoint> joints;
  std::vector<const Statement*> others;  // drives, loads, springs, torsions, contacts between bodies
  std::vector<const Statement*> draws;
  const Term* gravity = nullptr;
  Place gravity_place;  // of its statement
};

/// The keyword of what loads and motors become: a force (left) that acts along a velocity (right), scalars or vectors
/// alike, so that left times right is its power. Nobody can write it.
constexpr const char* acting_statement = "acts along";

/// What energies and constraints say that elements were written out to, in the place of a text. Nobody can write it.
constexpr const char* made_by_element = "made by an element";

/// The same for inputs that an assembly has brought: their names have points, as those of ports have.
constexpr const char* from_assembly = "from an assembly";

/// Words of a contact between bodies: the rates that rolling and drilling resistance act on. Nobody can write them.
constexpr const char* rolling_rate = "rolling rate";
constexpr const char* drilling_rate = "drilling rate";

/// The function that makes the whole tensor of 3, 6 or 9 moments of inertia. Nobody can write it.
constexpr const char* whole_tensor = "whole tensor";

/// Words of a body by which an assembly turns it; nobody can write them.
constexpr const char* placed_angle = "placed by";
constexpr const char* placed_axis = "placed about";
/// And where it puts the frame of the ground of a joint, spring or contact: behind `from ground` or `to ground`.
constexpr const char* placed_at = "placed at";

/// Whether a statement with this keyword is expanded.
bool is_element(const std::string& keyword);
/// The same for a statement: contacts between bodies are expanded, those with a gap of the user are not.
bool is_element(const Statement& s);
/// Whether there is anything to expand.
bool has_elements(const Text& text);
/// Appends what is wrong to `errors` (of the text's source) and leaves the element concerned out.
Expansion expand_elements(const Text& text, std::vector<Diagnostic>& errors);

/// Text that declares two unit vectors n1, n2 that make a right-handed system with the unit vector `axis`: a constant
/// choice without a case in which it fails (Duff et al. 2017).
std::string perpendicular(const std::string& axis, const std::string& n);
/// The components of a vector by their names: "v[1], v[2], v[3]", two of them in a plane.
std::string components(const std::string& let, bool planar);
/// Whether bodies with a joint of this kind turn about its axis.
bool turns_in_space(const std::string& kind);

/// The name that was probably meant, else what there is: "the joints are elbow, wrist".
std::string known_hint(const std::string& name, const std::vector<std::string>& known, const char* kind);

/// Shared by the parts of the expansion.
class Expander {
 public:
  Expander(const Text& text, std::vector<Diagnostic>& errors) : text_(text), errors_(errors) {}
  Expansion run();

 private:
  using Terms = std::map<std::string, Term>;
  struct Side {
    const ExpandedBody* body = nullptr;  // none: the ground
    const Term* name = nullptr;
    const Term* point = nullptr;
    const Term* axis = nullptr;
    // The ground of an assembly that is placed: where its frame is, and how it is turned.
    const Term* placed = nullptr;
    std::vector<std::pair<const Term*, const Term*>> turns =
        {};  // angle and axis, the outermost first; planar: no axis
    std::string text() const { return body ? body->name : "ground"; }
  };

  void error(const Place& place, std::string message, std::string hint = {});
  /// Reads statements, in which $ is the name of the element; the names of `values` stand for terms of the user.
  void write(const Statement& from, const std::string& lines, const Terms& values = {}, bool last = false);
  std::vector<Statement> read(const std::string& lines);
  /// A force that acts along a velocity; $ as in write.
  void acts(const Statement& from, const std::string& force, const std::string& velocity);
  static const Term* value(const Statement& s, std::string_view word) { return value_of(s, word); }
  static bool has(const Statement& s, std::string_view word) { return find_item(s, word) != nullptr; }
  bool once(const Statement& s, const std::vector<std::string>& repeated);
  bool names_twice(const Statement& s);

  void body(const Statement& s);
  void body_frame(const Statement& s, const ExpandedBody& b);
  void body_start(const Statement& s, const ExpandedBody& b);
  void placed_orientation(const Statement& s);
  void gravity(const Statement& s);
  /// Angular velocities that are assigned (arm.omega = ...), as velocities of the coordinates.
  void assign_turning(Statement& s) const;
  const ExpandedBody* find(const std::string& name) const;
  /// Whether there is a body of this name about which an error was reported.
  bool refused(const std::string& name) const;
  const ExpandedJoint* joint_of(const Statement& s);
  std::string moved_by(const Statement& s, const ExpandedJoint& joint);

  bool sides(const Statement& s, Side& from, Side& to);
  void points(const Statement& s, const Side& from, const Side& to, bool planar);
  /// $.ground_at and $.ground_turn, where the ground is that of an assembly.
  void place_ground(const Statement& s, const Side& from, const Side& to, bool planar);
  std::string point_of(const Side& side, const std::string& let, bool planar) const;
  std::string direction_of(const Side& side, const std::string& let, bool planar = false) const;
  void joint(const Statement& s);
  void angle(const Statement& s, const std::string& name, const std::string& sine, const std::string& cosine,
             const Term* zero);
  void universal_angles(const Statement& s, const Side& from, const Side& to);
  bool is_used(const std::string& joint, const std::string& angle);
  void find_uses();
  bool has_idle_axis(const Statement& s, const Side& from, const Side& to, bool planar);
  void spatial_joint(const Statement& s, const Side& from, const Side& to);
  void planar_joint(const Statement& s, const Side& from, const Side& to);
  void rolling(const Statement& s, const Side& from, const Side& to, bool planar);
  void drive(const Statement& s);
  void load(const Statement& s);
  /// The body that a word of the statement names; none where an error was reported.
  const ExpandedBody* body_named(const Statement& s, const Term& name);
  void spring(const Statement& s);
  void torsion(const Statement& s);
  void limits(const Statement& s, const ExpandedJoint& joint);
  void joint_friction(const Statement& s, const ExpandedJoint& joint);
  /// A gap of the expanded text as a contact; $ as in write.
  void add_contact(const Statement& from, const std::string& name, const std::string& gap,
                   const std::vector<std::pair<std::string, std::string>>& rates, const Terms& values = {});

  struct Surface {
    Side side;
    std::string shape;  // "point", "sphere", "box", "disk", "ellipsoid", "plane"
    const Term* size = nullptr;
  };
  bool surfaces(const Statement& s, Surface& moving, Surface& fixed);
  void contact(const Statement& s);
  void plane(const Statement& s, const Surface& plane, bool planar);
  void shape_on_plane(const Statement& s, const Surface& shape, const Surface& plane, bool planar);
  void spheres(const Statement& s, const Surface& a, const Surface& b, bool planar);
  void corners(const Statement& s, const Surface& box, const Surface& plane, bool planar);
  std::string velocity_at(const Surface& surface, const std::string& point, bool planar) const;
  void slip(const Statement& s, const Surface& a, const Surface& b, bool planar, const std::string& suffix,
            const std::string& name);

  const Text& text_;
  std::vector<Diagnostic>& errors_;
  Expansion result_;
  std::vector<Statement> at_end_;                       // initial values that need others
  std::map<std::string, std::vector<Statement>> read_;  // by their text, which is the same for many elements
  std::map<std::string, Place> names_;
  std::optional<std::set<std::string>> used_;  // all names that the text mentions, and the angles that springs use
  const Statement* gravity_ = nullptr;
};

}  // namespace alembert::internal
