#include <quadmath.h>

#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

Term named(const std::string& name, const Place& place) {
  Term term;
  term.form = Term::Form::name;
  term.text = name;
  term.place = place;
  return term;
}

const Term* word(const Statement& s, const char* text) {
  for (const Item& item : s.items)
    if (item.target.text == text && item.value) return &*item.value;
  return nullptr;
}

/// The numbers of a constant expression; reports what changes, and gives nothing then.
std::vector<Quad> constants(Scope& scope, const Term& term, const std::string& what) {
  const Value value = scope.evaluate(term);
  if (value.bad) return {};
  std::vector<Quad> numbers;
  for (const Expr entry : value.entries) {
    std::string missing;
    const bool changes = scope.contents(entry) & ~holds_parameter;
    const std::optional<Quad> number = changes ? std::nullopt : scope.number(entry, missing, Use::check);
    if (!number) {
      scope.error(term.place, what + " must not change", "it is made of numbers and parameters");
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::string text_of(Quad x) { return to_text(static_cast<double>(x)); }

/// A number that must be positive (or not negative).
void check_positive(Scope& scope, const Term& term, const std::string& what, bool zero_allowed) {
  const std::optional<Quad> number = scope.number_of(term, what, Use::check);
  if (!number) return;
  if (!finiteq(*number) || *number < 0 || (*number == 0 && !zero_allowed))
    scope.error(term.place, what + " is " + text_of(*number),
                zero_allowed ? "it must not be negative" : "it must be positive");
}

void check_length(Scope& scope, const Term& term, const std::string& what, std::size_t size) {
  const std::vector<Quad> v = constants(scope, term, what);
  if (v.empty()) return;
  if (v.size() != size) {
    scope.error(term.place, what + " has " + std::to_string(v.size()) + " components",
                "here it has " + std::to_string(size));
    return;
  }
  Quad square = 0;
  for (const Quad x : v) square += x * x;
  if (!(square > 0) || !finiteq(square)) scope.error(term.place, what + " has length " + text_of(sqrtq(square)));
}

/// A tensor of inertia: symmetric, positive, and no principal moment larger than the sum of the others.
void check_inertia(Scope& scope, const Term& term, const std::string& body) {
  const std::vector<Quad> v = constants(scope, term, "the inertia of '" + body + "'");
  if (v.empty()) return;
  if (v.size() != 3 && v.size() != 6 && v.size() != 9) {
    scope.error(term.place, "an inertia has 3, 6 or 9 entries, not " + std::to_string(v.size()));
    return;
  }
  Quad a[3][3] = {{v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}};
  if (v.size() == 6) {
    a[0][1] = a[1][0] = v[3];
    a[0][2] = a[2][0] = v[4];
    a[1][2] = a[2][1] = v[5];
  }
  if (v.size() == 9)
    for (int i = 0; i < 9; ++i) a[i / 3][i % 3] = v[static_cast<std::size_t>(i)];
  // What differs by rounding alone is symmetric: the tensor may come from a turned one. Its symmetric part acts.
  const Quad rounding = Quad(1e-12) * (fabsq(a[0][0]) + fabsq(a[1][1]) + fabsq(a[2][2]));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      if (!(fabsq(a[i][j] - a[j][i]) <= rounding)) {
        scope.error(term.place, "the inertia of '" + body + "' is not symmetric");
        return;
      }
  const Quad two = a[0][0] * a[1][1] - a[0][1] * a[0][1];
  const Quad three = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[1][2]) -
                     a[0][1] * (a[0][1] * a[2][2] - a[1][2] * a[0][2]) +
                     a[0][2] * (a[0][1] * a[1][2] - a[1][1] * a[0][2]);
  if (!(a[0][0] > 0 && two > 0 && three > 0) || !finiteq(three))
    scope.error(term.place, "the inertia of '" + body + "' is not positive definite",
                "a thin rod has a small moment about its axis, not none");
  else if (v.size() == 3)
    for (int i = 0; i < 3; ++i) {
      const Quad others = v[static_cast<std::size_t>((i + 1) % 3)] + v[static_cast<std::size_t>((i + 2) % 3)];
      if (v[static_cast<std::size_t>(i)] > others * (1 + Quad(1e-12))) {
        scope.error(term.place, "no body has the inertia of '" + body + "'",
                    "each principal moment is at most the sum of the other two");
        return;
      }
    }
}

}  // namespace

void check_elements(Elaboration& e, const Expansion& expansion) {
  Scope& scope = e.scope;
  for (const ExpandedBody& b : expansion.bodies) {
    const Statement& s = *b.statement;
    check_positive(scope, *word(s, "mass"), "the mass of '" + b.name + "'", false);
    const Term& inertia = *word(s, "inertia");
    if (b.planar()) check_positive(scope, inertia, "the inertia of '" + b.name + "'", false);
    else check_inertia(scope, inertia, b.name);
    if (const Term* about = word(s, "about")) check_length(scope, *about, "the axis of '" + b.name + "'", 3);
  }
  for (const ExpandedJoint& j : expansion.joints) {
    const Statement& s = *j.statement;
    for (const Item& item : s.items) {
      const std::string& text = item.target.text;
      if (text == "axis") check_length(scope, *item.value, "the axis of the joint '" + j.name + "'", j.planar ? 2 : 3);
      if (text == "radius") check_positive(scope, *item.value, "the radius of '" + j.name + "'", false);
      if (text == "length" && !(scope.contents(scope.evaluate(*item.value)) & holds_time))
        check_positive(scope, *item.value, "the length of '" + j.name + "'", false);
    }
  }
}

void make_joints(Elaboration& e, const Expansion& expansion) {
  Scope& scope = e.scope;
  const auto first_of = [&](const std::string& name, int& count) {
    for (const Block& b : e.model.coordinates)
      if (b.name == name) {
        count = b.size;
        return b.first;
      }
    check(false, "a body has its coordinates");
    return 0;
  };
  for (const ExpandedJoint& from : expansion.joints) {
    Joint joint;
    joint.name = from.name;
    joint.kind = from.kind;
    joint.body = from.body;
    joint.other = from.other;
    const std::string prefix = from.name + ".";
    for (std::size_t i = 0; i < e.model.constraints.size(); ++i)
      if (e.model.constraints[i].name.compare(0, prefix.size(), prefix) == 0)
        joint.constraints.push_back(static_cast<int>(i));
    joint.position = scope.evaluate(named(from.position, from.place)).entries;
    joint.frame = scope.evaluate(named(from.frame, from.place)).entries;
    int count = 0;
    joint.place = first_of(from.body + ".r", count);
    for (const ExpandedBody& b : expansion.bodies) {
      if (b.name != from.body) continue;
      const bool euler = b.turning == ExpandedBody::Turning::euler;
      joint.orientation = first_of(b.name + (b.planar() ? ".phi" : euler ? ".angles" : ".e"), joint.turns);
      joint.turning = b.planar() ? Exprs{scope.graph().constant(1)}
                                 : scope.evaluate(named(b.name + ".turning", from.place)).entries;
    }
    e.model.joints.push_back(std::move(joint));
  }
}

}  // namespace alembert::internal
