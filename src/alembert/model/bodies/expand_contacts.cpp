// Contacts between bodies: gaps and slips written out.

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/model/bodies/expand.h"
#include "alembert/model/bodies/families.h"

namespace alembert::internal {

namespace {

const char* const shapes[] = {"sphere", "box", "disk", "ellipsoid", "plane"};

}  // namespace

void Expander::add_contact(const Statement& from, const std::string& name, const std::string& gap,
                           const std::vector<std::pair<std::string, std::string>>& rates, const Terms& values) {
  Statement s;
  s.keyword = "contact";
  s.place = from.place;
  s.label = Term{Term::Form::name, from.label->place, from.label->text + name, {}};
  s.string = ">=";
  const std::string lets = "$.made" + std::to_string(result_.text.statements.size());
  write(from, "let " + lets + " = " + gap, values);
  const auto term = [&](const std::string& text) {
    std::string named = text;
    if (named.starts_with("$.")) named = from.label->text + named.substr(1);
    return Term{Term::Form::name, from.label->place, named, {}};
  };
  s.left = term(lets);
  s.right = Term{Term::Form::number, from.label->place, "0", {}};
  // The friction of a joint is that of its pin or guide, not of its ends.
  std::vector<std::string> words = {"restitution", "law", "limits"};
  if (from.keyword == "contact")
    append(words, std::vector<std::string>{"friction", "static", "rolling", "drilling", "sphere", "disk", "axis"});
  for (const Item& item : from.items)
    if (std::find(words.begin(), words.end(), item.target.text) != words.end()) s.items.push_back(item);
  for (const auto& [word, let] : rates) {
    Term target{Term::Form::name, from.label->place, word, {}};
    s.items.push_back({std::move(target), {}, term(let)});
  }
  result_.text.statements.push_back(std::move(s));
}

/// friction mu: the contact NAME.friction, loaded by the force in the joint. On the pin of a revolute joint it acts at
/// a radius, in a guide along the motion, in a cylindrical joint along both.
void Expander::joint_friction(const Statement& s, const ExpandedJoint& j) {
  const Term *mu = value(s, "friction"), *at_rest = value(s, "static"), *radius = value(s, "radius");
  if (!mu) {
    if (at_rest) error(at_rest->place, "'static' belongs to 'friction'", "as in: friction 0.3 static 0.4");
    return;
  }
  const bool turns = j.kind == "revolute" || j.kind == "cylindrical", slides = j.kind != "revolute";
  if (!turns && j.kind != "prismatic") {
    error(mu->place, "a " + j.kind + " joint has no 'friction'",
          "revolute, prismatic and cylindrical ones have; or write: contact c load norm(" + j.name +
              ".force) friction 0.2 along ...");
    return;
  }
  if (turns != (radius != nullptr)) {
    error(mu->place,
          turns ? "the friction of '" + j.name + "' has no radius at which it acts" : "a prismatic joint has no radius",
          turns ? "as in: friction 0.2 radius 0.01" : "leave 'radius' out");
    return;
  }
  Terms values{{"N_mu", *mu}};
  if (at_rest) values["N_rest"] = *at_rest;
  if (radius) values["N_r"] = *radius;
  const std::string along =
      std::string(slides ? "$.speed" : "") + (slides && turns ? ", " : "") + (turns ? "N_r*$.rate" : "");
  write(s,
        std::string("contact made load norm($.force) friction N_mu") + (at_rest ? " static N_rest" : "") + " along " +
            along,
        values);
  result_.text.statements.back().label->text = s.label->text + ".friction";
}

/// The two sides, that which has the plane as the second.
bool Expander::surfaces(const Statement& s, Surface& a, Surface& b) {
  if (!once(s, {"point", "axis", "sphere", "box", "disk", "ellipsoid", "plane"}) || !sides(s, a.side, b.side))
    return false;
  Surface* at = nullptr;
  for (const Item& item : s.items) {
    const std::string& word = item.target.text;
    if (word == "from" || word == "to") at = word == "from" ? &a : &b;
    if (std::none_of(std::begin(shapes), std::end(shapes), [&](const char* shape) { return word == shape; })) continue;
    if (!at || !at->shape.empty()) {
      error(item.target.place,
            at ? "'" + print(*at->side.name) + "' has two shapes"
               : "'" + word + "' stands before the body to which it belongs",
            "as in: from ball sphere 0.1 to ground plane");
      return false;
    }
    at->shape = word;
    if (item.value) at->size = &*item.value;
  }
  for (Surface* one : {&a, &b})
    if (one->shape.empty()) one->shape = one->side.body || one->side.point ? "point" : "plane";
  if (a.shape == "plane") std::swap(a, b);
  const bool on_plane = b.shape == "plane" && a.shape != "plane";
  if (!on_plane && !(a.shape == "sphere" && b.shape == "sphere")) {
    error(s.label->place, "there is no contact between a " + a.shape + " and a " + b.shape,
          "sphere, point, box, disk and ellipsoid touch a plane, and a sphere a sphere");
    return false;
  }
  if (has(s, "along")) {
    error(value(s, "along")->place, "the slip between bodies is found by itself", "leave out 'along'");
    return false;
  }
  for (const Surface* one : {&a, &b})
    if (one->side.axis && one->shape != "plane" && one->shape != "disk") {
      error(one->side.axis->place, "a " + one->shape + " has no axis");
      return false;
    }
  return true;
}

void Expander::contact(const Statement& s) {
  Surface a, b;
  if (!surfaces(s, a, b)) return;
  const bool planar = (a.side.body ? a.side.body : b.side.body)->planar();
  for (const char* word : {"disk", "drilling"})
    if (planar && (a.shape == word || has(s, word))) {
      error(s.label->place, std::string("there is no '") + word + "' in the plane",
            word[1] == 'i' ? "a disk in the plane is a sphere" : "");
      return;
    }
  const std::string origin = planar ? "(0, 0)" : "(0, 0, 0)";
  Terms values;
  if (a.side.point) values["N_a"] = *a.side.point;
  if (b.side.point) values["N_b"] = *b.side.point;
  write(s, "let $.from = " + (a.side.point ? "N_a" : origin) + ", $.to = " + (b.side.point ? "N_b" : origin), values);
  place_ground(s, a.side, b.side, planar);
  write(s, "let $.centre = " + point_of(a.side, "$.from", planar) + ", $.base = " + point_of(b.side, "$.to", planar));
  if (b.shape == "sphere") return spheres(s, a, b, planar);
  plane(s, b, planar);
  if (a.shape == "box") return corners(s, a, b, planar);
  shape_on_plane(s, a, b, planar);
}

/// $.normal of a plane, and directions in it.
void Expander::plane(const Statement& s, const Surface& plane, bool planar) {
  Terms values;
  if (plane.side.axis) values["N_n"] = *plane.side.axis;
  const std::string up = plane.side.axis ? "N_n" : planar ? "(0, 1)" : "(0, 0, 1)";
  write(s, "let $.axis = " + up + "/norm(" + up + ")", values);
  const auto turned = [&](const std::string& let) { return direction_of(plane.side, let, planar); };
  write(s, "let $.normal = " + turned("$.axis"));
  if (planar) write(s, "let $.t1 = ($.normal[2], -$.normal[1])");
  else write(s, perpendicular("$.axis", "$.n") + "let $.t1 = " + turned("$.n1") + ", $.t2 = " + turned("$.n2"));
}

/// The velocity of the material of a body at a point of the world.
std::string Expander::velocity_at(const Surface& surface, const std::string& point, bool planar) const {
  if (!surface.side.body) return surface.shape == "plane" ? "$.base'" : planar ? "(0, 0)" : "(0, 0, 0)";
  const std::string name = surface.side.body->name, arm = "(" + point + " - " + name + ".r)", w = name + ".omega";
  if (!planar) return name + ".r' + cross(" + w + ", " + arm + ")";
  return name + ".r' + " + w + "*(-" + arm + "[2], " + arm + "[1])";
}

/// $.slip, $.rolls and $.drills at $.touch; then the contact with the gap $.gap, each with a suffix.
void Expander::slip(const Statement& s, const Surface& a, const Surface& b, bool planar, const std::string& suffix,
                    const std::string& name) {
  std::vector<std::pair<std::string, std::string>> rates;
  const std::string touch = "$.touch" + suffix, relative = "$.relative" + suffix;
  const std::vector<std::string> along =
      planar ? std::vector<std::string>{"$.t1"} : std::vector<std::string>{"$.t1", "$.t2"};
  if (has(s, "friction")) {
    write(s, "let " + touch + "_p = " + touch);
    write(s, "let " + relative + " = " + velocity_at(a, touch + "_p", planar) + " - (" +
                 velocity_at(b, touch + "_p", planar) + ")");
    for (std::size_t k = 0; k < along.size(); ++k) {
      const std::string let = "$.slip" + suffix + "_" + std::to_string(k + 1);
      write(s, "let " + let + " = dot(" + along[k] + ", " + relative + ")");
      rates.emplace_back("along", let);
    }
  }
  const auto turning = [&](const Surface& one) {
    return one.side.body ? one.side.body->name + ".omega" : std::string(planar ? "0" : "(0, 0, 0)");
  };
  if (has(s, "rolling") || has(s, "drilling"))
    write(s, "let $.turning" + suffix + " = " + turning(a) + " - " + turning(b));
  if (has(s, "rolling"))
    for (std::size_t k = 0; k < along.size(); ++k) {
      const std::string let = "$.rolls" + suffix + "_" + std::to_string(k + 1);
      write(s, "let " + let + " = " + (planar ? "" : "dot(" + along[k] + ", ") + "$.turning" + suffix +
                   (planar ? "" : ")"));
      rates.emplace_back(rolling_rate, let);
    }
  if (has(s, "drilling")) {
    write(s, "let $.drills" + suffix + " = dot($.normal, $.turning" + suffix + ")");
    rates.emplace_back(drilling_rate, "$.drills" + suffix);
  }
  add_contact(s, name, "$.gap" + suffix, rates);
}

void Expander::shape_on_plane(const Statement& s, const Surface& a, const Surface& b, bool planar) {
  Terms values;
  if (a.size) values["N_s"] = *a.size;
  const auto direction = [&](const std::string& entries) { return a.side.body->name + ".direction(" + entries + ")"; };
  if (!a.side.body && a.shape != "sphere" && a.shape != "point") {
    error(a.side.name->place, "a " + a.shape + " of the ground touches no plane", "give it to a body");
    return;
  }
  std::string text = "let $.height = dot($.normal, $.centre - $.base)\n";
  if (a.shape == "point") text += "let $.gap = $.height, $.touch = $.centre";
  if (a.shape == "sphere")
    text += "let $.radius = N_s\nlet $.gap = $.height - $.radius, $.touch = $.centre - $.radius*$.normal";
  if (a.shape == "disk") {
    if (a.side.axis) values["N_x"] = *a.side.axis;
    const std::string axle = a.side.axis ? "N_x" : "(0, 0, 1)";
    text += "let $.radius = N_s, $.own_axis = " + axle + "/norm(" + axle +
            ")\nlet $.axle = " + direction("$.own_axis[1], $.own_axis[2], $.own_axis[3]") +
            "\nlet $.lean = dot($.normal, $.axle)\nlet $.down = ($.lean*$.axle - $.normal)/sqrt(1 - $.lean^2)\n"
            "let $.gap = $.height - $.radius*sqrt(1 - $.lean^2), $.touch = $.centre + $.radius*$.down";
  }
  if (a.shape == "ellipsoid") {
    text += "let $.size = N_s\n";
    std::string reach, squares;
    for (int k = 1; k <= (planar ? 2 : 3); ++k) {
      const std::string n = std::to_string(k);
      const std::string unit = planar   ? (k == 1 ? "1, 0" : "0, 1")
                               : k == 1 ? "1, 0, 0"
                               : k == 2 ? "0, 1, 0"
                                        : "0, 0, 1";
      text += "let $.e" + n + " = " + direction(unit) + "\nlet $.c" + n + " = dot($.normal, $.e" + n + ")\n";
      reach += (k > 1 ? " + " : "") + std::string("$.size[") + n + "]^2*$.c" + n + "*$.e" + n;
      squares += (k > 1 ? " + " : "") + std::string("($.size[") + n + "]*$.c" + n + ")^2";
    }
    text += "let $.reach = sqrt(" + squares + ")\nlet $.gap = $.height - $.reach, $.touch = $.centre - (" + reach +
            ")/$.reach";
  }
  write(s, text, values);
  slip(s, a, b, planar, "", "");
}

/// A box touches with its corners: as many contacts.
void Expander::corners(const Statement& s, const Surface& box, const Surface& plane, bool planar) {
  if (!box.side.body) {
    error(box.side.name->place, "a box of the ground touches no plane", "give it to a body");
    return;
  }
  write(s, "let $.size = N_s", {{"N_s", *box.size}});
  Surface corner = box;
  corner.shape = "point";
  for (int k = 0; k < (planar ? 4 : 8); ++k) {
    const std::string n = std::to_string(k + 1);
    std::string entries;
    for (int j = 0; j < (planar ? 2 : 3); ++j) {
      const std::string i = std::to_string(j + 1);
      entries +=
          (j > 0 ? ", " : "") + std::string("$.from[") + i + "] " + (k >> j & 1 ? "+" : "-") + " $.size[" + i + "]/2";
    }
    write(s, "let $.touch" + n + " = " + box.side.body->name + ".point(" + entries + ")");
    write(s, "let $.gap" + n + " = dot($.normal, $.touch" + n + " - $.base)");
    slip(s, corner, plane, planar, n, "[" + n + "]");
  }
}

void Expander::spheres(const Statement& s, const Surface& a, const Surface& b, bool planar) {
  write(s, "let $.radius = N_a, $.radius2 = N_b", {{"N_a", *a.size}, {"N_b", *b.size}});
  write(s,
        "let $.distance = norm($.centre - $.base)\nlet $.normal = ($.centre - $.base)/$.distance\n"
        "let $.gap = $.distance - $.radius - $.radius2\nlet $.touch = $.centre - $.radius*$.normal");
  if (planar) write(s, "let $.t1 = ($.normal[2], -$.normal[1])");
  else write(s, perpendicular("$.normal", "$.t"));
  slip(s, a, b, planar, "", "");
}

}  // namespace alembert::internal
