#include <quadmath.h>

#include "alembert/expr/derivative.h"
#include "alembert/model/elaborate.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace {

/// What is looked at here for the values that parameters have now must also hold for others that they are given later:
/// as a test for zero such values are refused, or read again, without reading the model for each.
void stays_positive(Scope& scope, Expr margin, bool zero_allowed) {
  if (!(scope.contents(margin) & holds_parameter)) return;
  const Expr zero = scope.graph().constant(0);
  const Expr test = zero_allowed ? min(margin, zero) : max(margin, zero);
  // The members of a family ask the same thing one after the other.
  if (scope.zero_tests.empty() || scope.zero_tests.back().id() != test.id()) scope.zero_tests.push_back(test);
}

/// The numbers of a constant expression; reports what changes, and gives nothing then.
std::vector<Quad> constants(Scope& scope, const Value& value, const Term& term, const std::string& what) {
  if (value.bad) return {};
  std::vector<Quad> numbers;
  for (const Expr entry : value.entries) {
    std::string missing;
    const bool changes = scope.contents(entry) & ~holds_parameter;
    const std::optional<Quad> number = changes ? std::nullopt : scope.number(entry, missing, Use::value);
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
  const std::optional<Quad> number = scope.number_of(term, what, Use::value);
  if (!number) return;
  if (term.form != Term::Form::number) stays_positive(scope, scope.evaluate(term).entries[0], zero_allowed);
  if (!finiteq(*number) || *number < 0 || (*number == 0 && !zero_allowed))
    scope.error(term.place, what + " is " + text_of(*number),
                zero_allowed ? "it must not be negative" : "it must be positive");
}

void check_length(Scope& scope, const Term& term, const std::string& what, std::size_t size) {
  const Value value = scope.evaluate(term);
  const std::vector<Quad> v = constants(scope, value, term, what);
  if (v.empty()) return;
  Expr length = scope.graph().constant(0);
  for (const Expr entry : value.entries) length = length + entry * entry;
  stays_positive(scope, length, false);
  if (v.size() != size) {
    scope.error(term.place, what + " has " + std::to_string(v.size()) + " components",
                "here it has " + std::to_string(size));
    return;
  }
  Quad square = 0;
  for (const Quad x : v) square += x * x;
  if (!(square > 0) || !finiteq(square)) scope.error(term.place, what + " has length " + text_of(sqrtq(square)));
}

/// A spring that is unstretched at a length below 0 is none; what moves, or comes from outside, is not known here.
void check_rest_length(Scope& scope, const Term& term, const std::string& spring) {
  const Value value = scope.evaluate(term);
  if (value.bad || value.entries.size() != 1 || (scope.contents(value) & ~holds_parameter)) return;
  std::string missing;
  const std::optional<Quad> number = scope.number(value.entries[0], missing, Use::value);
  stays_positive(scope, value.entries[0], true);
  if (number && *number < 0)
    scope.error(term.place, "the length of '" + spring + "' is " + text_of(*number), "it must not be negative");
}

/// What check_inertia() asks for, for values that parameters are given later.
void inertia_stays(Scope& scope, const Exprs& v) {
  const auto at = [&](std::size_t i, std::size_t j) -> Expr {
    if (v.size() == 9) return v[3 * i + j];
    if (i == j) return v[i];
    return v.size() == 6 ? v[2 + i + j] : scope.graph().constant(0);
  };
  const Quad rounding = 1e-12;
  const Expr size = abs(at(0, 0)) + abs(at(1, 1)) + abs(at(2, 2));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i && v.size() == 9; ++j)
      stays_positive(scope, rounding * size - abs(at(i, j) - at(j, i)), true);
  const Expr two = at(0, 0) * at(1, 1) - at(0, 1) * at(0, 1);
  const Expr three = at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(1, 2)) -
                     at(0, 1) * (at(0, 1) * at(2, 2) - at(1, 2) * at(0, 2)) +
                     at(0, 2) * (at(0, 1) * at(1, 2) - at(1, 1) * at(0, 2));
  for (const Expr minor : {at(0, 0), two, three}) stays_positive(scope, minor, false);
  for (std::size_t i = 0; i < 3 && v.size() == 3; ++i)
    stays_positive(scope, (1 + rounding) * (at((i + 1) % 3, (i + 1) % 3) + at((i + 2) % 3, (i + 2) % 3)) - at(i, i),
                   true);
}

/// A tensor of inertia: symmetric, positive, and no principal moment larger than the sum of the others.
void check_inertia(Scope& scope, const Term& term, const std::string& body) {
  const Value value = scope.evaluate(term);
  const std::vector<Quad> v = constants(scope, value, term, "the inertia of '" + body + "'");
  if (v.empty()) return;
  if (v.size() != 3 && v.size() != 6 && v.size() != 9) return;  // which its tensor has said
  inertia_stays(scope, value.entries);
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
  check_shapes(e, expansion);
  for (const ExpandedBody& b : expansion.bodies) {
    const Statement& s = *b.statement;
    check_positive(scope, *value_of(s, "mass"), "the mass of '" + b.name + "'", false);
    const Term& inertia = *value_of(s, "inertia");
    if (b.planar()) check_positive(scope, inertia, "the inertia of '" + b.name + "'", false);
    else check_inertia(scope, inertia, b.name);
    if (const Term* about = value_of(s, "about")) check_length(scope, *about, "the axis of '" + b.name + "'", 3);
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
  for (const Statement* s : expansion.others)
    if (const Term* length = s->keyword == "spring" ? value_of(*s, "length") : nullptr)
      check_rest_length(scope, *length, print(*s->label));
}

namespace {

Exprs part_of(const Exprs& list, int first, int count) { return {list.begin() + first, list.begin() + first + count}; }

/// F = -g_r^T lambda - k_r'^T psi and, with Q the same for the orientation, the moment turning^T Q - (p - r) x F about
/// the joint's point p.
void make_reaction(const Model& model, Joint& joint) {
  Graph& graph = *model.graph;
  const int n = static_cast<int>(joint.position.size());
  const auto reaction = [&](int first, int count) {
    Exprs total(static_cast<std::size_t>(count), graph.constant(0));
    const auto add = [&](bool nonholonomic, const Exprs& variables) {
      Exprs functions, multipliers;
      for (const int c : joint.constraints)
        if (model.constraints[c].nonholonomic == nonholonomic) {
          functions.push_back(model.constraints[c].value);
          multipliers.push_back(model.constraints[c].multiplier);
        }
      if (functions.empty()) return;
      const Exprs sums = transposed_product(functions, variables, multipliers);
      for (std::size_t i = 0; i < total.size(); ++i) total[i] = total[i] - sums[i];
    };
    add(false, part_of(model.q, first, count));
    add(true, part_of(model.v, first, count));
    return total;
  };
  joint.force = reaction(joint.place, n);
  const Exprs Q = reaction(joint.orientation, joint.turns);
  const int axes = n == 2 ? 1 : 3;
  const Exprs& F = joint.force;
  Exprs arm;
  for (int i = 0; i < n; ++i) arm.push_back(joint.position[i] - model.q[joint.place + i]);
  const Exprs lever =
      n == 2 ? Exprs{arm[0] * F[1] - arm[1] * F[0]}
             : Exprs{arm[1] * F[2] - arm[2] * F[1], arm[2] * F[0] - arm[0] * F[2], arm[0] * F[1] - arm[1] * F[0]};
  for (int a = 0; a < axes; ++a) {
    Exprs terms;
    for (int i = 0; i < joint.turns; ++i) terms.push_back(joint.turning[i * axes + a] * Q[i]);
    joint.moment.push_back(sum(graph, terms) - lever[a]);
  }
}

/// The reaction on the second body, which may be the ground.
Value reaction_value(Elaboration& e, const ExpandedJoint& from, bool force, const Place& use) {
  for (const Joint& joint : e.model.joints) {
    if (joint.name != from.name) continue;
    Value value;
    value.entries = force ? joint.force : joint.moment;
    if (value.entries.size() > 1) value.shape = {static_cast<int>(value.entries.size())};
    const Term* to = value_of(*from.statement, "to");
    if (to && to->text == "ground")
      for (Expr& entry : value.entries) entry = -entry;
    return value;
  }
  if (e.complete && e.scope.errors.empty())
    e.scope.error(use, "the reactions of the joint '" + from.name + "' are not known here",
                  "they follow from the constraints, and may stand in forces, rates, loads and 'observe'");
  return Value::failed();
}

}  // namespace

void declare_reactions(Elaboration& e, const Expansion& expansion) {
  for (const ExpandedJoint& joint : expansion.joints)
    for (const bool force : {true, false}) {
      Declaration* d =
          e.scope.declare(Kind::let, name_term(joint.name + (force ? ".force" : ".moment"), joint.place), nullptr);
      if (!d) continue;
      d->imported = true;
      d->made = [&e, &joint, force](const Place& use) { return reaction_value(e, joint, force, use); };
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
    joint.position = scope.evaluate(name_term(from.position, from.place)).entries;
    joint.frame = scope.evaluate(name_term(from.frame, from.place)).entries;
    int count = 0;
    joint.place = first_of(from.body + ".r", count);
    for (const ExpandedBody& b : expansion.bodies) {
      if (b.name != from.body) continue;
      const bool euler = b.turning == ExpandedBody::Turning::euler;
      joint.orientation = first_of(b.name + (b.planar() ? ".phi" : euler ? ".angles" : ".e"), joint.turns);
      joint.turning = b.planar() ? Exprs{scope.graph().constant(1)}
                                 : scope.evaluate(name_term(b.name + ".turning", from.place)).entries;
    }
    make_reaction(e.model, joint);
    e.model.joints.push_back(std::move(joint));
  }
}

}  // namespace alembert::internal
