// What acts in joints, between points and on bodies: loads, drives, springs, torsions and limits.

#include <algorithm>

#include "alembert/model/bodies/expand.h"

namespace alembert::internal {

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

/// The words of a drive and what they move; a torque acts in an angle.
struct DrivenBy {
  const char* word;
  const char* motion;
};
const DrivenBy driven_by[] = {{"angle", "angle"},       {"angle1", "angle1"}, {"angle2", "angle2"},
                              {"distance", "distance"}, {"torque", "angle"},  {"torque1", "angle1"},
                              {"torque2", "angle2"},    {"force", "distance"}};

/// Whether something of a joint stands in a term: elbow.angle, elbow.rate, for "elbow.".
bool mentions_part(const Term& term, const std::string& prefix) {
  if (term.form == Term::Form::name && term.text.starts_with(prefix)) return true;
  return std::any_of(term.parts.begin(), term.parts.end(),
                     [&](const Term& part) { return mentions_part(part, prefix); });
}

}  // namespace

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
  std::string hint = known_hint(print(*name), names, "joints");
  if (names.empty())
    hint = "a " + s.keyword + " acts in a joint, and there is none: joint revolute " + print(*name) + " ...";
  if (name->form == Term::Form::name && find(name->text)) hint = "it is a body; " + hint;
  error(name->place, "there is no joint '" + print(*name) + "'", hint);
  return nullptr;
}

const ExpandedBody* Expander::body_named(const Statement& s, const Term& name) {
  const ExpandedBody* body = name.form == Term::Form::name ? find(name.text) : nullptr;
  if (body || (name.form == Term::Form::name && refused(name.text))) return body;
  std::vector<std::string> names;
  for (const ExpandedBody& b : result_.bodies) names.push_back(b.name);
  if (name.form == Term::Form::name && name.text == "ground") {
    error(name.place, "a " + s.keyword + " acts on a body, not on the ground", "what acts there moves nothing");
    return nullptr;
  }
  error(name.place, "there is no body '" + print(name) + "'", known_hint(print(name), names, "bodies"));
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
  std::vector<std::string> given;
  for (const auto& one : driven_by)
    if (value(s, one.word)) given.push_back(one.word);
  const char* const examples = "as in: drive motor joint crank angle 2*pi*t, or: drive motor joint crank torque 5";
  if (given.empty()) {
    error(s.label->place,
          "the drive '" + s.label->text + "' needs an angle, a distance, a torque or a force, one of them", examples);
    return;
  }
  if (given.size() > 1) {
    error(find_item(s, given[1])->target.place,
          "the drive '" + s.label->text + "' has '" + given[0] + "' and '" + given[1] + "', and can have one of them",
          "a motor either moves the joint as you say, or acts with the torque that you say");
    return;
  }
  const std::string& word = given[0];
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
  if (mentions_part(f, x)) {
    error(f.place, "the " + driven + " of '" + j->name + "' is to follow itself",
          "a motor that sets a motion takes a function of the time or of other joints; a controller says torque or "
          "force");
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
  const bool written = range->form == Term::Form::tuple;
  if (range->form == Term::Form::number || (written && range->parts.size() != 2)) {
    error(range->place, "'limits' has a lower and an upper end", "as in: limits (0, pi/2)");
    return;
  }
  const auto end = [&](const char* number) {  // of a vector that has a name
    return Term{Term::Form::index, range->place, "", {*range, Term{Term::Form::number, range->place, number, {}}}};
  };
  const std::string x = "$." + possible[0];
  add_contact(s, ".lower", x + " - N_a", {}, {{"N_a", written ? range->parts[0] : end("1")}});
  add_contact(s, ".upper", "N_b - " + x, {}, {{"N_b", written ? range->parts[1] : end("2")}});
}

}  // namespace alembert::internal
