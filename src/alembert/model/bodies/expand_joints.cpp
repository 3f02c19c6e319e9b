// Joints of all kinds.

#include "alembert/model/bodies/expand.h"

namespace alembert::internal {

std::string perpendicular(const std::string& axis, const std::string& n) {
  const std::string x = axis + "[1]", y = axis + "[2]", z = axis + "[3]", s = n + "_sign", d = n + "_scale";
  return "let " + s + " = sign(" + z + " + 1e-300), " + d + " = -1/(" + s + " + " + z + ")\n" +  //
         "let " + n + "1 = (1 + " + s + "*" + d + "*" + x + "^2, " + s + "*" + d + "*" + x + "*" + y + ", -" + s + "*" +
         x + ")\n" +  //
         "let " + n + "2 = (" + d + "*" + x + "*" + y + ", " + s + " + " + d + "*" + y + "^2, -" + y + ")\n";
}

std::string components(const std::string& let, bool planar) {
  return let + "[1], " + let + "[2]" + (planar ? "" : ", " + let + "[3]");
}

bool turns_in_space(const std::string& kind) { return kind == "revolute" || kind == "cylindrical" || kind == "planar"; }

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
          error(item.value->place, "there is no body '" + item.value->text + "'",
                known_hint(item.value->text, names, "bodies"));
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
    } else if (word == placed_at) {
      side->placed = &*item.value;
    } else if (word == placed_angle) {
      side->turns.emplace_back(&*item.value, nullptr);
    } else if (word == placed_axis) {
      side->turns.back().second = &*item.value;
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

void Expander::place_ground(const Statement& s, const Side& from, const Side& to, bool planar) {
  const Side& ground = from.body ? to : from;
  if (ground.placed) write(s, "let $.ground_at = N_a", {{"N_a", *ground.placed}});
  if (ground.turns.empty()) return;
  Terms values;
  std::string product, angle;
  for (std::size_t i = 0; i < ground.turns.size(); ++i) {
    const std::string a = "N_w" + std::to_string(i), b = "N_b" + std::to_string(i);
    values[a] = *ground.turns[i].first;
    if (!planar) values[b] = *ground.turns[i].second;
    product += (i > 0 ? "*" : "") + ("rotation(" + (planar ? a : b + ", " + a)) + ")";
    angle += (i > 0 ? " + " : "") + a;
  }
  write(s, "let $.ground_turn = " + product + (planar ? ", $.ground_angle = " + angle : ""), values);
}

std::string Expander::point_of(const Side& side, const std::string& let, bool planar) const {
  if (side.body) return side.body->name + ".point(" + components(let, planar) + ")";
  const std::string turned = direction_of(side, let, planar);
  return side.placed ? "($.ground_at + " + turned + ")" : turned;
}

std::string Expander::direction_of(const Side& side, const std::string& let, bool planar) const {
  if (side.body) return side.body->name + ".direction(" + components(let, planar) + ")";
  return side.turns.empty() ? let : "($.ground_turn*" + let + ")";
}

/// $.p and $.q: the two points in the world.
void Expander::points(const Statement& s, const Side& from, const Side& to, bool planar) {
  const std::string origin = planar ? "(0, 0)" : "(0, 0, 0)";
  place_ground(s, from, to, planar);
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
  if (!only("length", "distance") || (!has(s, "friction") && !only("radius", "rolling"))) return;
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
  if (errors_.size() == before) joint_friction(s, j);
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

void Expander::planar_joint(const Statement& s, const Side& from, const Side& to) {
  const std::string& kind = s.string;
  if (kind != "revolute" && kind != "prismatic" && kind != "fixed" && kind != "distance") {
    error(s.label->place, "there is no " + kind + " joint between planar bodies",
          "revolute, prismatic, fixed, distance and rolling are possible");
    return;
  }
  const auto angle_of = [](const Side& side) {
    return side.body ? side.body->name + ".phi" : std::string(side.turns.empty() ? "0" : "$.ground_angle");
  };
  const std::string phi = angle_of(from), other = angle_of(to);
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
        "let $.axis = " + std::string(given ? "N_a/norm(N_a)" : "(1, 0)") + "\nlet $.f1 = " +
            direction_of(owner, "$.axis", true) + "\nlet $.f2 = (-$.f1[2], $.f1[1])\nlet $.frame = ($.f1, $.f2)",
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
  const std::string base = ground.point ? "N_p" : planar ? "(0, 0)" : "(0, 0, 0)";
  place_ground(s, from, to, planar);
  write(s, "let $.radius = N_r, $.upright = " + up + "/norm(" + up + "), $.base = " + base, values);
  write(s, "let $.normal = " + direction_of(ground, "$.upright", planar) +
               ", $.ground = " + point_of(ground, "$.base", planar));
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

}  // namespace alembert::internal
