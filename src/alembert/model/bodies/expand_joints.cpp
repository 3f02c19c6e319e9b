#include <algorithm>

#include "alembert/model/bodies/expand.h"

namespace alembert::internal {

namespace {

/// Two unit vectors n1, n2 that make a right-handed system with the unit vector a: a constant choice without a case in
/// which it fails (Duff et al. 2017).
std::string perpendicular(const std::string& axis, const std::string& n) {
  const std::string x = axis + "[1]", y = axis + "[2]", z = axis + "[3]", s = axis + "_sign", d = axis + "_scale";
  return "let " + s + " = sign(" + z + " + 1e-300), " + d + " = -1/(" + s + " + " + z + ")\n" +  //
         "let " + n + "1 = (1 + " + s + "*" + d + "*" + x + "^2, " + s + "*" + d + "*" + x + "*" + y + ", -" + s + "*" +
         x + ")\n" +  //
         "let " + n + "2 = (" + d + "*" + x + "*" + y + ", " + s + " + " + d + "*" + y + "^2, -" + y + ")\n";
}

std::string components(const std::string& let, bool planar) {
  return let + "[1], " + let + "[2]" + (planar ? "" : ", " + let + "[3]");
}

}  // namespace

namespace {

bool turns_in_space(const std::string& kind) { return kind == "revolute" || kind == "cylindrical" || kind == "planar"; }

}  // namespace

bool Expander::sides(const Statement& s, Side& from, Side& to) {
  Side* side = nullptr;
  bool sound = true;
  for (const Item& item : s.items) {
    const std::string& word = item.target.text;
    if (word == "from" || word == "to") {
      side = word == "from" ? &from : &to;
      side->name = &*item.value;
      if (item.value->form != Term::Form::name) {
        error(item.value->place, "a " + s.keyword + " joins bodies by their names",
              "as in: from arm point (0, 0, 1) to ground");
        sound = false;
      } else if (item.value->text != "ground") {
        side->body = find(item.value->text);
        if (!side->body && refused(item.value->text)) {
          sound = false;
        } else if (!side->body) {
          std::vector<std::string> names{"ground"};
          for (const ExpandedBody& b : result_.bodies) names.push_back(b.name);
          const std::string near = nearest_name(item.value->text, names);
          error(item.value->place, "there is no body '" + item.value->text + "'",
                near.empty() ? "a joint connects bodies, or a body with the ground" : "did you mean '" + near + "'?");
          sound = false;
        }
      }
    } else if (word == "point" || word == "axis") {
      const Term*& place = word == "point" ? (side ? side->point : from.point) : (side ? side->axis : from.axis);
      if (!side || place) {
        error(item.target.place,
              side ? "'" + word + "' is given twice for '" + print(*side->name) + "'"
                   : "'" + word + "' stands before the body to which it belongs",
              "as in: from arm point (0, 0, 1) to ground point (0, 0, 0)");
        sound = false;
      } else {
        place = &*item.value;
      }
    }
  }
  if (!sound) return false;
  for (const char* word : {"from", "to"})
    if (!has(s, word)) {
      error(s.label->place, "the " + s.keyword + " '" + s.label->text + "' lacks '" + word + "'",
            "it goes from a body to another, or to the ground");
      return false;
    }
  if (!from.body && !to.body) {
    error(to.name->place, "the ground is joined to itself", "one of the two must be a body");
    return false;
  }
  if (from.body == to.body) {
    error(to.name->place, "the body '" + from.body->name + "' is joined to itself");
    return false;
  }
  if (from.body && to.body && from.body->planar() != to.body->planar()) {
    error(to.name->place, "'" + from.body->name + "' and '" + to.body->name + "' are not both planar");
    return false;
  }
  return true;
}

std::string Expander::point_of(const Side& side, const std::string& let, bool planar) const {
  return side.body ? side.body->name + ".point(" + components(let, planar) + ")" : let;
}

std::string Expander::direction_of(const Side& side, const std::string& let) const {
  return side.body ? side.body->name + ".direction(" + components(let, false) + ")" : let;
}

/// $.p and $.q: the two points in the world.
void Expander::points(const Statement& s, const Side& from, const Side& to, bool planar) {
  const std::string origin = planar ? "(0, 0)" : "(0, 0, 0)";
  Terms values;
  if (from.point) values["N_p"] = *from.point;
  if (to.point) values["N_q"] = *to.point;
  write(s,
        "let $.from = " + std::string(from.point ? "N_p" : origin) + ", $.to = " + (to.point ? "N_q" : origin) +
            "\nlet $.p = " + point_of(from, "$.from", planar) + ", $.q = " + point_of(to, "$.to", planar),
        values);
}

void Expander::joint(const Statement& s) {
  if (!once(s, {"point", "axis"})) return;
  Side from, to;
  if (!sides(s, from, to)) return;
  const std::string& kind = s.string;
  const auto only = [&](const char* word, const char* for_kind) {
    if (kind == for_kind || !has(s, word)) return true;
    error(value(s, word)->place, "a " + kind + " joint has no " + word);
    return false;
  };
  if (!only("length", "distance") || !only("radius", "rolling")) return;
  const bool planar = (from.body ? from.body : to.body)->planar();
  if (has_idle_axis(s, from, to, planar)) return;
  if (has(s, "zero") && !(planar ? kind == "revolute" : turns_in_space(kind) || kind == "universal")) {
    error(value(s, "zero")->place, "a " + kind + " joint has no angle whose zero could be chosen");
    return;
  }
  if (kind != "rolling") points(s, from, to, planar);
  ExpandedJoint j;
  j.name = s.label->text;
  j.kind = kind;
  j.place = s.label->place;
  j.statement = &s;
  j.planar = planar;
  const bool on_to = to.body != nullptr;
  j.body = on_to ? to.body->name : from.body->name;
  j.other = on_to ? from.text() : to.text();
  j.position = j.name + (kind == "rolling" ? ".contact" : on_to ? ".q" : ".p");
  j.frame = j.name + ".frame";
  const std::size_t before = errors_.size();
  if (kind == "rolling") rolling(s, from, to, planar);
  else if (planar) planar_joint(s, from, to);
  else spatial_joint(s, from, to);
  if (errors_.size() == before) limits(s, j);
  if (errors_.size() == before) result_.joints.push_back(std::move(j));
}

/// An axis that nothing would be made of.
bool Expander::has_idle_axis(const Statement& s, const Side& from, const Side& to, bool planar) {
  const std::string& kind = s.string;
  const Side& wheel = from.body ? from : to;
  const Term* idle = nullptr;
  if (kind == "distance" || (planar && (kind == "revolute" || kind == "fixed"))) idle = from.axis ? from.axis : to.axis;
  if (planar && kind == "prismatic" && from.axis) idle = to.axis;
  if (planar && kind == "rolling") idle = wheel.axis;
  if (!idle) return false;
  const std::string of = planar ? " joint of planar bodies has no " : " joint has no ";
  error(idle->place, "a " + kind + of + (from.axis && to.axis ? "second axis" : "axis"));
  return true;
}

void Expander::spatial_joint(const Statement& s, const Side& from, const Side& to) {
  const std::string& kind = s.string;
  const bool needs_axis = kind != "spherical" && kind != "distance" && kind != "fixed";
  if (needs_axis && !from.axis && !to.axis) {
    error(s.label->place, "the " + kind + " joint '" + s.label->text + "' has no axis",
          "as in: from arm axis (0, 0, 1)");
    return;
  }
  if (kind == "universal" && (!from.axis || !to.axis)) {
    error(s.label->place, "a universal joint has an axis on each side",
          "as in: from shaft axis (1, 0, 0) to fork axis (0, 1, 0)");
    return;
  }
  if (kind == "distance") {
    if (!value(s, "length")) {
      error(s.label->place, "the distance joint '" + s.label->text + "' has no length", "as in: length 2");
      return;
    }
    // The frame of a rod: along it.
    write(s, "let $.axis = ($.q - $.p)/norm($.q - $.p)\n" + perpendicular("$.axis", "$.n") +
                 "let $.frame = ($.n1, $.n2, $.axis)");
    write(s, "constraint $.length: norm2($.q - $.p) = N_l^2", {{"N_l", *value(s, "length")}});
    return;
  }
  // Axes in the frames of the bodies, and the right-handed systems that they carry along: f with the first, g with the
  // second. Where one side names no axis, it is the same in both frames.
  Terms values;
  const auto axis = [&](const Side& side, const Side& other, const char* name) {
    const Term* given = side.axis ? side.axis : kind == "universal" ? nullptr : other.axis;
    if (given) values[name] = *given;
    return std::string(given ? name : "(0, 0, 1)");
  };
  const std::string a = axis(from, to, "N_a"), b = axis(to, from, "N_b");
  write(s, "let $.axis = " + a + "/norm(" + a + "), $.axis2 = " + b + "/norm(" + b + ")", values);
  write(s, perpendicular("$.axis", "$.n") + perpendicular("$.axis2", "$.m"));
  const auto carried = [&](const Side& side, const std::string& let) { return direction_of(side, let); };
  write(s, "let $.f1 = " + carried(from, "$.n1") + ", $.f2 = " + carried(from, "$.n2") + ", $.f3 = " +
               carried(from, "$.axis") + "\nlet $.g1 = " + carried(to, "$.m1") + ", $.g2 = " + carried(to, "$.m2") +
               ", $.g3 = " + carried(to, "$.axis2") + "\nlet $.frame = ($.f1, $.f2, $.f3)");
  const std::string meet = "constraint $.point: $.p = $.q\n";
  const std::string parallel = "constraint $.parallel: (dot($.f1, $.g3), dot($.f2, $.g3)) = (0, 0)\n";
  const std::string locked = "constraint $.locked: (dot($.f1, $.g3), dot($.f2, $.g3), dot($.f1, $.g2)) = (0, 0, 0)\n";
  const std::string on_axis = "constraint $.line: (dot($.f1, $.q - $.p), dot($.f2, $.q - $.p)) = (0, 0)\n";
  const std::string distance = "let $.distance = dot($.f3, $.q - $.p)\nlet $.speed = $.distance'\n";
  std::string text;
  if (kind == "spherical") text = meet;
  if (kind == "revolute") text = meet + parallel;
  if (kind == "prismatic") text = on_axis + locked + distance + "let $.rate = $.speed\n";
  if (kind == "cylindrical") text = on_axis + parallel + distance;
  if (kind == "universal") text = meet + "constraint $.cross: dot($.f3, $.g3) = 0";
  if (kind == "fixed") text = meet + locked;
  if (kind == "planar") text = "constraint $.plane: dot($.f3, $.q - $.p) = 0\n" + parallel;
  write(s, text);
  if (kind == "universal") universal_angles(s, from, to);
  else if (turns_in_space(kind)) angle(s, "", "dot($.f2, $.g1)", "dot($.f1, $.g1)", value(s, "zero"));
}

/// Of the cross between the two bodies: it turns about the first axis with the second one, and the second body turns
/// about the second axis, which the first one sees turn backwards.
void Expander::universal_angles(const Statement& s, const Side& from, const Side& to) {
  const Term* zero = value(s, "zero");
  const bool pair = zero && zero->form == Term::Form::tuple && zero->parts.size() == 2;
  if (zero && !pair) {
    error(zero->place, "a universal joint has two angles", "as in: zero (0, pi/2)");
    return;
  }
  // Both angles are 0 where the frames of the bodies are parallel: there each axis points as far as it can along the
  // direction that the other's angle is counted from. Axes with the same components have no such position.
  write(s,
        "let $.across = cross($.axis, $.axis2)\nlet $.apart = (1 + sign(dot($.across, $.across) - 1e-12))/2\n"
        "let $.u = $.apart*cross($.across, $.axis) + (1 - $.apart)*$.n1\n"
        "let $.w = $.apart*cross($.axis2, $.across) + (1 - $.apart)*$.m1\n"
        "let $.u1 = $.u/norm($.u), $.w1 = $.w/norm($.w)\n"
        "let $.u2 = cross($.axis, $.u1), $.w2 = cross($.axis2, $.w1)\n"
        "let $.h1 = " +
            direction_of(from, "$.u1") + ", $.h2 = " + direction_of(from, "$.u2") +
            ", $.k1 = " + direction_of(to, "$.w1") + ", $.k2 = " + direction_of(to, "$.w2"));
  angle(s, "1", "dot($.h2, $.g3)", "dot($.h1, $.g3)", pair ? &zero->parts[0] : nullptr);
  angle(s, "2", "-dot($.k2, $.f3)", "dot($.k1, $.f3)", pair ? &zero->parts[1] : nullptr);
}

/// An angle that anything uses is an auxiliary variable, so that it goes on through any number of turns; for rates the
/// jumps of the function do not matter.
void Expander::angle(const Statement& s, const std::string& number, const std::string& sine, const std::string& cosine,
                     const Term* zero) {
  const std::string S = "$.sine" + number, C = "$.cosine" + number, a = "$.angle" + number, z = "$.zero" + number;
  Terms values;
  if (zero) values["N_z"] = *zero;
  if (zero)
    write(s,
          "let " + z + " = N_z\nlet " + S + " = (" + sine + ")*cos(" + z + ") - " + cosine + "*sin(" + z + "), " + C +
              " = " + cosine + "*cos(" + z + ") + (" + sine + ")*sin(" + z + ")",
          values);
  else write(s, "let " + S + " = " + sine + ", " + C + " = " + cosine);
  const std::string value = "atan2(" + S + ", " + C + ")";
  const bool used = is_used(s.label->text, "angle" + number);
  write(s, (used ? "auxiliary " + a + ": " + a : "let " + a) + " = " + value);
  write(s, "let $.rate" + number + " = (" + value + ")'");
}

namespace {

/// "link[2].r" as a text with an index that is worked out later has it: "link[].r".
std::string without_numbers(const std::string& name) {
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == ']') --depth;
    if (depth == 0) out += c;
    if (c == '[') ++depth;
  }
  return out;
}

void find_names(const Term& term, std::set<std::string>& names) {
  if (term.form == Term::Form::name) names.insert(term.text);
  for (const Term& part : term.parts) find_names(part, names);
}

/// Stands for all angles of a joint.
constexpr const char* all_angles = ".*";

}  // namespace

void Expander::find_uses() {
  used_.emplace();
  for (const Statement& s : text_.statements) {
    for (const std::optional<Term>* term : {&s.left, &s.right})
      if (*term) find_names(**term, *used_);
    for (const Item& item : s.items) {
      find_names(item.target, *used_);
      if (item.value) find_names(*item.value, *used_);
    }
    if (s.keyword == "joint" && s.label && has(s, "limits")) used_->insert(s.label->text + all_angles);
    const Term* of = s.keyword == "torsion" ? value(s, "joint") : nullptr;
    if (!of || !has(s, "stiffness") || has(s, "distance")) continue;
    for (const char* angle : {"angle", "angle1", "angle2"})
      if (angle == std::string("angle") || has(s, angle)) used_->insert(of->text + "." + angle);
  }
}

/// Somewhere in the text, or by a spring.
bool Expander::is_used(const std::string& joint, const std::string& angle) {
  if (!used_) find_uses();
  const std::string name = joint + "." + angle;
  return used_->contains(name) || used_->contains(without_numbers(name)) || used_->contains(joint + all_angles);
}

void Expander::planar_joint(const Statement& s, const Side& from, const Side& to) {
  const std::string& kind = s.string;
  if (kind != "revolute" && kind != "prismatic" && kind != "fixed" && kind != "distance") {
    error(s.label->place, "there is no " + kind + " joint between planar bodies",
          "revolute, prismatic, fixed, distance and rolling are possible");
    return;
  }
  const std::string phi = from.body ? from.body->name + ".phi" : "0", other = to.body ? to.body->name + ".phi" : "0";
  Terms zero;
  if (const Term* given = value(s, "zero")) zero["N_z"] = *given;
  write(s, "let $.angle = " + other + " - " + phi + (zero.empty() ? "" : " - N_z") + "\nlet $.rate = $.angle'", zero);
  if (kind == "distance") {
    if (!value(s, "length")) {
      error(s.label->place, "the distance joint '" + s.label->text + "' has no length", "as in: length 2");
      return;
    }
    write(s,
          "let $.axis = ($.q - $.p)/norm($.q - $.p)\nlet $.frame = ($.axis, (-$.axis[2], $.axis[1]))\n"
          "constraint $.length: norm2($.q - $.p) = N_l^2",
          {{"N_l", *value(s, "length")}});
    return;
  }
  const Term* given = from.axis ? from.axis : to.axis;
  const Side& owner = from.axis || !to.axis ? from : to;
  if (kind == "prismatic" && !given) {
    error(s.label->place, "the prismatic joint '" + s.label->text + "' has no axis", "as in: from ground axis (1, 0)");
    return;
  }
  Terms values;
  if (given) values["N_a"] = *given;
  write(s,
        "let $.axis = " + std::string(given ? "N_a/norm(N_a)" : "(1, 0)") +
            "\nlet $.f1 = " + (owner.body ? owner.body->name + ".direction($.axis[1], $.axis[2])" : "$.axis") +
            "\nlet $.f2 = (-$.f1[2], $.f1[1])\nlet $.frame = ($.f1, $.f2)",
        values);
  if (kind == "revolute") write(s, "constraint $.point: $.p = $.q");
  if (kind == "fixed") write(s, "constraint $.point: $.p = $.q\nconstraint $.locked: $.angle = 0");
  if (kind == "prismatic")
    write(s,
          "let $.distance = dot($.f1, $.q - $.p)\nlet $.speed = $.distance'\n"
          "constraint $.line: dot($.f2, $.q - $.p) = 0\nconstraint $.locked: $.angle = 0");
}

/// A ball, or where the body has an axis a disk, on a plane of the ground.
void Expander::rolling(const Statement& s, const Side& from, const Side& to, bool planar) {
  const Side& ground = from.body ? to : from;
  const Side& wheel = from.body ? from : to;
  if (ground.body) {
    error(s.label->place, "a body rolls on the ground only",
          "as in: joint rolling contact from ground axis (0, 0, 1) to ball radius 1");
    return;
  }
  if (!value(s, "radius")) {
    error(s.label->place, "the rolling joint '" + s.label->text + "' has no radius", "as in: radius 1");
    return;
  }
  if (wheel.point) {
    error(wheel.point->place, "a body rolls about its centre of mass", "leave out the point on the body");
    return;
  }
  const std::string name = wheel.body->name, r = name + ".r", w = name + ".omega";
  Terms values{{"N_r", *value(s, "radius")}};
  if (ground.point) values["N_p"] = *ground.point;
  if (ground.axis) values["N_n"] = *ground.axis;
  const std::string up = ground.axis ? "N_n" : planar ? "(0, 1)" : "(0, 0, 1)";
  write(s,
        "let $.radius = N_r, $.normal = " + up + "/norm(" + up + "), $.ground = " +
            (ground.point ? "N_p"
             : planar     ? "(0, 0)"
                          : "(0, 0, 0)"),
        values);
  if (planar) {
    write(s, "let $.along = ($.normal[2], -$.normal[1])\nlet $.contact = " + r +
                 " - $.radius*$.normal\nlet $.frame = ($.along, $.normal)\n"
                 "constraint $.height: dot($.normal, " +
                 r +
                 " - $.ground) = $.radius\n"
                 "constraint $.rolls: dot($.along, " +
                 r + "') + $.radius*" + w + " = 0");
    return;
  }
  write(s, perpendicular("$.normal", "$.t"));
  if (wheel.axis) {
    // Down in the plane of the disk.
    write(s,
          "let $.disk = N_a/norm(N_a)\nlet $.axle = " + name + ".direction($.disk[1], $.disk[2], $.disk[3])\n" +
              "let $.lean = dot($.normal, $.axle)\nlet $.down = ($.lean*$.axle - $.normal)/sqrt(1 - $.lean^2)\n"
              "let $.contact = " +
              r +
              " + $.radius*$.down\n"
              "constraint $.height: dot($.normal, " +
              r + " - $.ground) = $.radius*sqrt(1 - $.lean^2)",
          {{"N_a", *wheel.axis}});
  } else {
    write(s, "let $.down = -$.normal\nlet $.contact = " + r +
                 " + $.radius*$.down\n"
                 "constraint $.height: dot($.normal, " +
                 r + " - $.ground) = $.radius");
  }
  write(s, "let $.frame = ($.t1, $.t2, $.normal)\nlet $.slip = " + r + "' + $.radius*cross(" + w +
               ", $.down)\nconstraint $.rolls: (dot($.t1, $.slip), dot($.t2, $.slip)) = (0, 0)");
}

// What acts in joints and between points
// ---------------------------------------------------------------------------------

const ExpandedJoint* Expander::joint_of(const Statement& s) {
  const Term* name = value(s, "joint");
  if (!name) {
    error(s.label->place, "the " + s.keyword + " '" + s.label->text + "' names no joint", "as in: joint elbow");
    return nullptr;
  }
  std::vector<std::string> names;
  for (const ExpandedJoint& j : result_.joints) {
    if (name->form == Term::Form::name && j.name == name->text) return &j;
    names.push_back(j.name);
  }
  // A joint that could not be made has said why.
  if (name->form == Term::Form::name && names_.contains(name->text) && !errors_.empty()) return nullptr;
  const std::string near = nearest_name(print(*name), names);
  error(name->place, "there is no joint '" + print(*name) + "'", near.empty() ? "" : "did you mean '" + near + "'?");
  return nullptr;
}

namespace {

/// What moves in a joint: its angle, its distance, both, or the two angles of a universal joint.
std::vector<std::string> motions_of(const ExpandedJoint& j) {
  if (!j.planar && j.kind == "universal") return {"angle1", "angle2"};
  if (j.kind == "prismatic") return {"distance"};
  if (j.kind == "cylindrical") return {"angle", "distance"};
  if (j.planar ? j.kind == "revolute" : turns_in_space(j.kind)) return {"angle"};
  return {};
}

bool moves(const ExpandedJoint& j, const std::string& motion) {
  const std::vector<std::string> all = motions_of(j);
  return std::find(all.begin(), all.end(), motion) != all.end();
}

const char* const motions[] = {"angle", "angle1", "angle2", "distance"};

}  // namespace

namespace {

/// The words of a drive and what they move; a torque acts in an angle.
struct DrivenBy {
  const char* word;
  const char* motion;
};
const DrivenBy driven_by[] = {{"angle", "angle"},       {"angle1", "angle1"}, {"angle2", "angle2"},
                              {"distance", "distance"}, {"torque", "angle"},  {"torque1", "angle1"},
                              {"torque2", "angle2"},    {"force", "distance"}};

}  // namespace

const ExpandedBody* Expander::body_named(const Statement& s, const Term& name) {
  const ExpandedBody* body = name.form == Term::Form::name ? find(name.text) : nullptr;
  if (body || (name.form == Term::Form::name && refused(name.text))) return body;
  std::vector<std::string> names;
  for (const ExpandedBody& b : result_.bodies) names.push_back(b.name);
  const std::string near = nearest_name(print(name), names);
  error(name.place, "there is no body '" + print(name) + "'",
        near.empty() ? "a " + s.keyword + " acts on a body" : "did you mean '" + near + "'?");
  return nullptr;
}

/// F at a point p and M: their power is F p' + M omega.
void Expander::load(const Statement& s) {
  if (!once(s, {})) return;
  const Term *on = value(s, "on"), *point = value(s, "point"), *force = value(s, "force"), *torque = value(s, "torque"),
             *frame = value(s, "frame");
  if (!on) {
    error(s.label->place, "the load '" + s.label->text + "' lacks 'on'", "as in: load wind on arm force (1, 0, 0)");
    return;
  }
  const ExpandedBody* body = body_named(s, *on);
  if (!body) return;
  if (!force && !torque) {
    error(s.label->place, "the load '" + s.label->text + "' has neither a force nor a torque",
          "as in: load wind on arm force (1, 0, 0)");
    return;
  }
  if (point && !force) {
    error(point->place, "a torque has no point", "leave it out, or give a force that acts there");
    return;
  }
  const bool world = !frame || (frame->form == Term::Form::name && frame->text == "ground");
  const ExpandedBody* turned = world ? nullptr : body_named(s, *frame);
  if (!world && !turned) return;
  if (turned && turned->planar() != body->planar()) {
    error(frame->place, "'" + turned->name + "' and '" + body->name + "' are not both planar");
    return;
  }
  const bool planar = body->planar();
  const auto in_world = [&](const std::string& let) {
    return turned ? turned->name + ".direction(" + components(let, planar) + ")" : let;
  };
  if (force) {
    Terms values{{"N_f", *force}};
    if (point) values["N_p"] = *point;
    write(s,
          "let $.from = " +
              std::string(point    ? "N_p"
                          : planar ? "(0, 0)"
                                   : "(0, 0, 0)") +
              "\nlet $.given_force = N_f\nlet $.at = " + body->name + ".point(" + components("$.from", planar) +
              ")\nlet $.force = " + in_world("$.given_force"),
          values);
    acts(s, "$.force", "$.at'");
  }
  if (torque) {
    write(s, "let $.given_torque = N_t\nlet $.torque = " + (planar ? "$.given_torque" : in_world("$.given_torque")),
          {{"N_t", *torque}});
    acts(s, "$.torque", body->name + ".omega");
  }
}

void Expander::drive(const Statement& s) {
  if (!once(s, {})) return;
  const ExpandedJoint* j = joint_of(s);
  if (!j) return;
  std::string word;
  int given = 0;
  for (const auto& one : driven_by)
    if (value(s, one.word)) {
      word = one.word;
      ++given;
    }
  if (given != 1) {
    error(s.label->place,
          "the drive '" + s.label->text + "' needs an angle, a distance, a torque or a force, one of them",
          "as in: drive motor joint crank angle 2*pi*t, or: drive motor joint crank torque 5");
    return;
  }
  const Term& f = *value(s, word.c_str());
  std::string driven = word;
  for (const auto& one : driven_by)
    if (word == one.word) driven = one.motion;
  if (!moves(*j, driven)) {
    const std::vector<std::string> possible = motions_of(*j);
    const bool two = j->kind == "universal";
    error(f.place,
          "the " + j->kind + " joint '" + j->name + "' has no " + driven +
              (word == driven ? " to drive" : " for a " + word + " to act in"),
          two                ? "it has angle1 and angle2: say torque1 or torque2"
          : possible.empty() ? ""
                             : "it has " + possible[0]);
    return;
  }
  const std::string x = j->name + ".";
  if (word != driven) {
    const std::string rate = driven == "distance" ? "speed" : "rate" + driven.substr(5);
    write(s, "let $." + word + " = N_f", {{"N_f", f}});
    acts(s, "$." + word, x + rate);
    return;
  }
  // What the motor does to the second body: the reaction of its constraint, whose derivative by the motion is 1.
  const std::string number = driven == "distance" ? "" : driven.substr(5);
  write(s, "let $." + std::string(driven == "distance" ? "force" : "torque") + number + " = -$.multiplier");
  if (driven == "distance" || j->planar) {
    write(s, "constraint $.drive($.multiplier): " + x + driven + " = N_f", {{"N_f", f}});
    return;
  }
  // sin(angle - f) = 0, which has no jump.
  write(
      s,
      "constraint $.drive($.multiplier): " + x + "sine" + number + "*cos(N_f) = " + x + "cosine" + number + "*sin(N_f)",
      {{"N_f", f}});
}

void Expander::spring(const Statement& s) {
  if (!once(s, {"point"})) return;
  Side from, to;
  if (!sides(s, from, to)) return;
  if (!has(s, "stiffness") && !has(s, "damping")) {
    error(s.label->place, "the spring '" + s.label->text + "' has neither stiffness nor damping",
          "as in: stiffness 100");
    return;
  }
  if (has(s, "length") && !has(s, "stiffness")) {
    error(value(s, "length")->place, "the length at rest says nothing without a stiffness",
          "give a stiffness, or leave the length out");
    return;
  }
  points(s, from, to, (from.body ? from.body : to.body)->planar());
  Terms values;
  for (const char* word : {"stiffness", "length", "damping"})
    if (const Term* given = value(s, word)) values[std::string("N_") + word] = *given;
  const std::string rest = value(s, "length") ? "N_length" : "0";
  // How far the points are apart, and with how much force they are pulled together.
  std::string pull;
  if (has(s, "stiffness")) pull = "N_stiffness*($.length - " + rest + ")";
  if (has(s, "damping")) pull += (pull.empty() ? "" : " + ") + std::string("N_damping*$.length'");
  write(s, "let $.length = norm($.q - $.p)\nlet $.force = " + pull, values);
  // Without a length the square is a polynomial, also where the points meet.
  if (has(s, "stiffness"))
    write(s,
          rest == "0" ? "potential N_stiffness/2*norm2($.q - $.p)"
                      : "potential N_stiffness/2*(norm($.q - $.p) - N_length)^2",
          values);
  if (has(s, "damping")) write(s, "rayleigh N_damping/2*dot($.q - $.p, ($.q - $.p)')^2/norm2($.q - $.p)", values);
}

/// What a spring or damper in a joint is about; "" where it cannot be told, which is said.
std::string Expander::moved_by(const Statement& s, const ExpandedJoint& j) {
  std::vector<std::string> named;
  for (const char* motion : motions)
    if (has(s, motion)) named.push_back(motion);
  const std::vector<std::string> possible = motions_of(j);
  if (possible.empty()) {
    error(s.label->place,
          "a " + j.kind + " joint has neither an angle nor a distance for the torsion '" + s.label->text + "'");
    return "";
  }
  if (named.size() > 1 || (named.empty() && j.kind == "universal")) {
    error(s.label->place,
          "the torsion '" + s.label->text + "' acts in one of " + possible[0] + " and " +
              (possible.size() > 1 ? possible[1] : possible[0]) + " of '" + j.name + "'",
          "as in: torsion hinge joint " + j.name + " " + possible[0] + " stiffness 100");
    return "";
  }
  if (!named.empty() && !moves(j, named[0])) {
    error(s.label->place, "the " + j.kind + " joint '" + j.name + "' has no " + named[0], "it has " + possible[0]);
    return "";
  }
  return named.empty() ? possible[0] : named[0];
}

void Expander::torsion(const Statement& s) {
  if (!once(s, {})) return;
  const ExpandedJoint* j = joint_of(s);
  if (!j) return;
  const std::string motion = moved_by(s, *j);
  if (motion.empty()) return;
  if (!has(s, "stiffness") && !has(s, "damping")) {
    error(s.label->place, "the torsion '" + s.label->text + "' has neither stiffness nor damping",
          "as in: stiffness 100");
    return;
  }
  if (has(s, "rest") && !has(s, "stiffness")) {
    error(value(s, "rest")->place, "where it rests says nothing without a stiffness",
          "give a stiffness, or leave 'rest' out");
    return;
  }
  Terms values;
  for (const char* word : {"stiffness", "rest", "damping"})
    if (const Term* given = value(s, word)) values[std::string("N_") + word] = *given;
  const std::string rest = value(s, "rest") ? "N_rest" : "0", x = j->name + ".";
  const std::string rate = motion == "distance" ? "speed" : "rate" + motion.substr(5);
  // What acts on the second body: a torque in an angle, a force in a distance.
  std::string effort;
  if (has(s, "stiffness")) effort = "-N_stiffness*(" + x + motion + " - " + rest + ")";
  if (has(s, "damping")) effort += " - N_damping*" + x + rate;
  write(s, "let $." + std::string(motion == "distance" ? "force" : "torque") + " = " + effort, values);
  if (has(s, "stiffness")) write(s, "potential N_stiffness/2*(" + x + motion + " - " + rest + ")^2", values);
  if (has(s, "damping")) write(s, "rayleigh N_damping/2*" + x + rate + "^2", values);
}

/// limits (a, b): the contacts NAME.lower and NAME.upper.
void Expander::limits(const Statement& s, const ExpandedJoint& j) {
  const Term *range = value(s, "limits"), *restitution = value(s, "restitution");
  if (!range && !restitution) return;
  if (!range) {
    error(restitution->place, "'restitution' belongs to 'limits'", "as in: limits (0, pi/2) restitution 0.2");
    return;
  }
  const std::vector<std::string> possible = motions_of(j);
  if (possible.size() != 1) {
    error(range->place,
          "the " + j.kind + " joint '" + j.name + "' has " + (possible.empty() ? "no angle" : "two motions") +
              " for 'limits'",
          "write contacts: contact stop: " + j.name + "." + (possible.empty() ? "angle" : possible[0]) + " <= pi/2");
    return;
  }
  if (range->form != Term::Form::tuple || range->parts.size() != 2) {
    error(range->place, "'limits' has a lower and an upper end", "as in: limits (0, pi/2)");
    return;
  }
  const std::string x = "$." + possible[0];
  add_contact(s, ".lower", x + " - N_a", {}, {{"N_a", range->parts[0]}});
  add_contact(s, ".upper", "N_b - " + x, {}, {{"N_b", range->parts[1]}});
}

}  // namespace alembert::internal
