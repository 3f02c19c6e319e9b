// Angles of joints, and which of them anything uses; angular velocities that are assigned.

#include <algorithm>

#include "alembert/model/bodies/expand.h"

namespace alembert::internal {

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

/// The same term with another name at its root; its indices stay.
Term renamed(Term term, const std::string& name) {
  Term* root = &term;
  while (root->form == Term::Form::index) root = &root->parts[0];
  root->text = name;
  return term;
}

}  // namespace

void Expander::assign_turning(Statement& s) const {
  for (Item& item : s.items) {
    const std::string& name = root_of(item.target).text;
    const bool own = name.ends_with(".spin");
    if (!item.value || (!own && !name.ends_with(".omega"))) continue;
    const std::string body = name.substr(0, name.rfind('.'));
    const auto same = [&](const ExpandedBody& b) { return b.name == body || without_numbers(b.name) == body; };
    const auto found = std::find_if(result_.bodies.begin(), result_.bodies.end(), same);
    if (found == result_.bodies.end()) continue;
    const Place place = item.value->place;
    const Term target = item.target;
    const auto velocity = [&](const char* of) {
      item.target = Term{Term::Form::prime, target.place, "", {renamed(target, body + of)}};
    };
    if (found->planar()) {
      velocity(".phi");
      continue;
    }
    const bool euler = found->turning == ExpandedBody::Turning::euler;
    Term turned = *item.value;
    if (own) {
      // x_axis w1 + y_axis w2 + z_axis w3
      Term sum{Term::Form::chain, place, "++", {}};
      for (const char* axis : {".x_axis", ".y_axis", ".z_axis"}) {
        const Term number{Term::Form::number, place, std::to_string(sum.parts.size() + 1), {}};
        Term entry{Term::Form::index, place, "", {*item.value, number}};
        sum.parts.push_back(Term{Term::Form::chain, place, "*", {renamed(target, body + axis), std::move(entry)}});
      }
      turned = std::move(sum);
    }
    item.value = Term{Term::Form::chain, place, "*", {renamed(target, body + ".turning"), std::move(turned)}};
    velocity(euler ? ".angles" : ".e");
  }
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
    if (s.keyword == "joint" && s.label && (has(s, "limits") || has(s, "friction")))
      used_->insert(s.label->text + all_angles);
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

}  // namespace alembert::internal
