// What constraint statements become: equations with their multipliers, and the equations of auxiliary variables.

#include <algorithm>
#include <map>

#include "alembert/expr/derivative.h"
#include "alembert/model/bodies/expand.h"
#include "alembert/model/elaborate.h"

namespace alembert::internal {

std::string brackets(const std::vector<long>& indices) {
  std::string text;
  for (long i : indices) text += "[" + std::to_string(i) + "]";
  return text;
}

namespace {

/// What one constraint statement became: `values` over the members of its ranges, alike in shape.
struct ConstraintGroup {
  const Statement* statement;
  std::string name;
  int number;                            // in the order of the text, from 1
  std::vector<std::vector<long>> index;  // one a member
  std::vector<Value> values;
  bool bad = false;

  bool named() const { return statement->label.has_value(); }
  std::size_t entries() const {
    std::size_t n = 0;
    for (const Value& v : values) n += v.entries.size();
    return n;
  }
  Place place() const { return statement->label ? statement->label->place : statement->left->place; }
};

const Place& label_place(const ConstraintGroup& g) { return g.statement->label->place; }

/// Objects to constraints that restrict nothing; true when this entry is one to keep.
bool check_entry(Scope& scope, const ConstraintGroup& group, bool many, Expr value, const std::string& name) {
  const unsigned holds = scope.contents(value);
  if (holds & holds_multiplier) {
    scope.error(group.place(), "the constraint '" + name + "' contains a multiplier",
                "it may contain coordinates and velocities only");
    return false;
  }
  if (holds & (holds_q | holds_z)) {
    // x = x + 1 contains a coordinate, but none that matters. Members of large families are alike: no need to look at
    // each.
    if (many) return true;
    const Exprs symbols = free_symbols(Exprs{value});
    Exprs free;
    for (Expr s : symbols)
      if (scope.contents(s) & (holds_q | holds_z)) free.push_back(s);
    for (Expr slope : gradient(value, free))
      if (!is_zero(slope)) return true;
    scope.error(group.place(), "the constraint '" + name + "' does not restrict any coordinate",
                "the coordinates in it cancel");
    return false;
  }
  if (is_constant(value))
    scope.error(
        group.place(), "the constraint '" + name + "' " + (is_zero(value) ? "always holds" : "never holds"),
        "both sides are " + std::string(is_zero(value) ? "the same" : "different") + " whatever the coordinates are");
  else scope.error(group.place(), "the constraint '" + name + "' contains no coordinate");
  return false;
}

Value difference(Scope& scope, const Statement& s) {
  Value left = scope.evaluate(*s.left), right = scope.evaluate(*s.right);
  if (left.bad || right.bad) return Value::failed();
  if (left.shape.empty() && is_zero(left.entries[0])) left = scope.fit(std::move(left), right.shape, s.left->place, "");
  else if (right.shape.empty() && is_zero(right.entries[0]))
    right = scope.fit(std::move(right), left.shape, s.right->place, "");
  if (left.shape != right.shape) {
    scope.error(s.right->place, "the left side of this constraint is " + shape_text(left.shape) +
                                    ", but the right side is " + shape_text(right.shape));
    return Value::failed();
  }
  for (std::size_t i = 0; i < left.entries.size(); ++i) left.entries[i] = left.entries[i] - right.entries[i];
  return left;
}

ConstraintGroup read_constraint(Scope& scope, const Statement& s, int number) {
  ConstraintGroup group;
  group.statement = &s;
  group.number = number;
  const Term* label = s.label ? &*s.label : nullptr;
  while (label && label->form == Term::Form::index) label = &label->parts[0];
  group.name = label ? label->text : "constraint " + std::to_string(number);
  if (!s.left || !s.right) {
    group.bad = true;
    return group;
  }
  const std::size_t before = scope.errors.size();
  scope.loop(s.ranges, {&*s.left, &*s.right}, [&](const std::vector<long>& index) {
    Value value = difference(scope, s);
    if (!value.bad && !group.values.empty() && value.shape != group.values[0].shape) {
      scope.error(s.left->place, "the members of the constraint '" + group.name + "' have different shapes");
      value.bad = true;
    }
    if (value.bad) {
      group.bad = true;
      return false;
    }
    group.index.push_back(index);
    group.values.push_back(std::move(value));
    return true;
  });
  if (scope.errors.size() > before) group.bad = true;
  return group;
}

/// Gives the declared multipliers of a label the shape of their constraint: one name for all entries, or one name for
/// each.
void shape_multipliers(Scope& scope, const ConstraintGroup& group) {
  const Term& label = *group.statement->label;
  std::vector<Declaration*> names;
  for (const Term& name : label.parts) {
    Declaration* d = scope.find(name.text);
    if (!d || d->kind != Kind::multiplier || d->target != &name) return;  // declared twice: said already
    names.push_back(d);
  }
  const auto fail = [&] {
    for (Declaration* d : names) d->bad = true;
  };
  if (group.bad) return fail();
  if (names.size() > 1 && names.size() != group.entries()) {
    scope.error(label.place, "the constraint '" + group.name + "' has " + std::to_string(group.entries()) +
                                 " entries, but " + std::to_string(names.size()) + " multipliers");
    return fail();
  }
  if (names.size() == 1) {
    Declaration& d = *names[0];
    const std::size_t depth = group.index.empty() ? 0 : group.index[0].size();
    std::size_t members = 1;
    for (std::size_t k = 0; k < depth; ++k) {
      long low = group.index[0][k], high = low;
      for (const auto& index : group.index) {
        low = std::min(low, index[k]);
        high = std::max(high, index[k]);
      }
      d.origin.push_back(low);
      d.shape.push_back(static_cast<int>(high - low + 1));
      members *= static_cast<std::size_t>(high - low + 1);
    }
    if (members != group.index.size()) {
      scope.error(label.place, "the ranges of the constraint '" + group.name +
                                   "' depend on each other, so its multiplier cannot be named");
      return fail();
    }
    for (int n : group.values[0].shape) {
      d.origin.push_back(1);
      d.shape.push_back(n);
    }
  }
  for (Declaration* d : names) {
    const std::size_t size = static_cast<std::size_t>(d->size());
    d->start.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      std::string text = d->name;
      std::size_t rest = size, at = i;
      for (std::size_t k = 0; k < d->shape.size(); ++k) {
        rest /= static_cast<std::size_t>(d->shape[k]);
        text += "[" + std::to_string(static_cast<long>(at / rest) + d->origin[k]) + "]";
        at %= rest;
      }
      d->symbols.push_back(scope.graph().symbol(text));
      scope.mark(d->symbols.back(), holds_multiplier);
      scope.owner_of[d->symbols.back().id()] = d;
    }
    d->ready = true;
  }
}

/// As many equations as variables, and no velocities in them.
void check_auxiliary(Scope& scope, ConstraintGroup& group) {
  const Declaration* d = scope.find(group.name);
  if (group.bad || !d || !d->auxiliary || !d->ready) return;
  if (group.entries() != static_cast<std::size_t>(d->size())) {
    scope.error(group.place(),
                "the contact-point variable '" + group.name + "' has " + std::to_string(d->size()) +
                    " entries, but its equation " + std::to_string(group.entries()),
                "write auxiliary " + group.name + "[n]: EXPR = EXPR with n entries on each side");
    group.bad = true;
    return;
  }
  for (const Value& value : group.values) {
    if (scope.contents(value) & (holds_z | holds_multiplier)) {
      scope.error(group.place(), "the equation of the contact-point variable '" + group.name + "' contains velocities",
                  "it is c(q, s) = 0");
      group.bad = true;
      return;
    }
  }
  for (std::size_t i = 0; i < d->symbols.size(); ++i) {
    bool found = false;
    for (const Value& value : group.values) found = found || depends(value.entries, Exprs{d->symbols[i]});
    if (found) continue;
    const Block block{d->name, d->shape, 0, d->size(), d->place};
    scope.error(group.place(), "'" + entry_name(block, static_cast<int>(i)) + "' does not occur in its own equation",
                "c(q, s) = 0 must determine s");
    group.bad = true;
    return;
  }
}

/// The symbols and names that the entries of a group get in order.
struct Assigned {
  Exprs symbols;
  std::vector<std::string> names;
};

Assigned label_symbols(Scope& scope, const ConstraintGroup& group) {
  Assigned a;
  for (const Term& name : group.statement->label->parts) {
    const Declaration* d = scope.find(name.text);
    if (!d || !d->ready || d->kind != Kind::multiplier) return {};
    for (Expr s : d->symbols) {
      a.symbols.push_back(s);
      a.names.push_back(scope.graph().name(s.id()));
    }
  }
  return a;
}

/// General form: multipliers claimed by labels first, the others by order.
std::vector<Assigned> assign_general(Elaboration& e, const std::vector<ConstraintGroup>& groups, bool& sound) {
  Scope& scope = e.scope;
  std::vector<Assigned> assigned(groups.size());
  std::map<std::string, const ConstraintGroup*> claimed;
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const ConstraintGroup& g = groups[i];
    if (g.bad) sound = false;
    if (!g.named() || g.statement->label->form != Term::Form::call) {
      wanted += g.entries();
      continue;
    }
    for (const Term& name : g.statement->label->parts) {
      Declaration* d = scope.find(name.text);
      if (!d) {
        scope.unknown(name.place, name.text);
        sound = false;
      } else if (d->kind != Kind::multiplier) {
        scope.error(name.place, "'" + name.text + "' is a " + kind_name(d->kind) + ", not a multiplier");
        sound = false;
      } else if (!claimed.emplace(name.text, &g).second) {
        scope.error(name.place, "the multiplier '" + name.text + "' belongs to two constraints",
                    "the other is '" + claimed[name.text]->name + "'");
        sound = false;
      } else if (!d->ready) {
        sound = false;
      }
    }
    assigned[i] = label_symbols(scope, g);
    if (sound && assigned[i].symbols.size() != g.entries()) {
      scope.error(label_place(g), "the constraint '" + g.name + "' has " + std::to_string(g.entries()) +
                                      " entries, but its multipliers have " +
                                      std::to_string(assigned[i].symbols.size()));
      sound = false;
    }
  }
  if (!sound) return assigned;

  Exprs pool;
  const Declaration* first = nullptr;
  for (const Declaration& d : scope.declarations()) {
    if (d.kind != Kind::multiplier || claimed.contains(d.name)) continue;
    if (!d.ready) {
      sound = false;
      return assigned;
    }
    if (!first) first = &d;
    pool.insert(pool.end(), d.symbols.begin(), d.symbols.end());
  }
  if (pool.size() != wanted) {
    if (e.complete) {
      const auto count = [](std::size_t n, const char* what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
      };
      const Place place = first ? first->place : groups.empty() ? e.head() : groups[0].place();
      scope.error(place,
                  count(wanted, "constraint") + " without a named multiplier, but " + count(pool.size(), "multiplier"),
                  "each constraint needs one multiplier: constraint surface(psi): ...");
    }
    sound = false;
    return assigned;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!assigned[i].symbols.empty()) continue;
    const std::size_t count = groups[i].entries();
    for (std::size_t k = 0; k < count; ++k, ++next) {
      assigned[i].symbols.push_back(pool[next]);
      assigned[i].names.push_back(scope.graph().name(pool[next].id()));
    }
  }
  return assigned;
}

/// lambda_rod; lambdas_rod where the model has a name lambda_rod of its own.
std::string multiplier_stem(Scope& scope, std::string letter, const std::string& constraint) {
  while (scope.find(letter + "_" + constraint) != nullptr) letter += "s";
  return letter + "_" + constraint;
}

void append_constraints(Elaboration& e, const ConstraintGroup& group, const Assigned& assigned) {
  Scope& scope = e.scope;
  constexpr std::size_t few = 100;  // of which each is looked at by itself
  const bool many = group.entries() > few;
  std::size_t at = 0;
  for (std::size_t m = 0; m < group.values.size(); ++m) {
    const Value& value = group.values[m];
    const Block block{"", value.shape, 0, static_cast<int>(value.entries.size()), {}};
    for (int i = 0; i < block.size; ++i, ++at) {
      Constraint c;
      const std::string suffix = brackets(group.index[m]) + entry_name(block, i);
      c.name = group.name + suffix;
      c.value = value.entries[static_cast<std::size_t>(i)];
      c.place = group.place();
      if (!check_entry(scope, group, many, c.value, c.name)) return;
      if (group.statement->string != made_by_element) e.sized.push_back({c.place, c.value});
      c.nonholonomic = scope.contents(c.value) & holds_z;
      if (!assigned.symbols.empty()) {
        c.multiplier = assigned.symbols[at];
        c.multiplier_name = assigned.names[at];
      } else {
        const std::string stem = group.named() ? group.name : std::to_string(group.number);
        c.multiplier = scope.graph().symbol(multiplier_stem(scope, c.nonholonomic ? "psi" : "lambda", stem) + suffix);
        scope.mark(c.multiplier, holds_multiplier);
      }
      e.model.constraints.push_back(std::move(c));
    }
  }
}

/// What the equations of auxiliary variables say, in the order of the variables in Model::q.
void make_auxiliaries(Elaboration& e) {
  std::map<std::string, ConstraintGroup> groups;
  for (const Statement& s : e.text.statements) {
    if (s.keyword != "auxiliary" || !s.label) continue;
    ConstraintGroup group = read_constraint(e.scope, s, 0);
    check_auxiliary(e.scope, group);
    groups.emplace(group.name, std::move(group));
  }
  for (const Declaration* d : auxiliaries(e.scope)) {
    const auto found = groups.find(d->name);
    if (found == groups.end() || found->second.bad) continue;
    const Value value = d->closed ? e.scope.evaluate(*d->statement->right) : Value();
    const Block block{d->name, d->shape, 0, d->size(), d->place};
    const Exprs& equations = found->second.values[0].entries;
    for (std::size_t i = 0; i < equations.size(); ++i)
      e.model.auxiliary.push_back({entry_name(block, static_cast<int>(i)), equations[i],
                                   d->closed ? value.entries[i] : Expr(), d->velocities[i], found->second.place()});
  }
}

}  // namespace

void make_constraints(Elaboration& e) {
  Scope& scope = e.scope;
  std::vector<ConstraintGroup> groups;
  std::map<std::string, Place> names;
  int number = 0;
  bool sound = true;
  make_auxiliaries(e);
  for (const Statement& s : e.text.statements) {
    if (s.keyword != "constraint") continue;
    groups.push_back(read_constraint(scope, s, ++number));
    const ConstraintGroup& g = groups.back();
    if (s.label) {
      const auto [first, fresh] = names.emplace(g.name, s.label->place);
      if (!fresh)
        scope.error(s.label->place, "there are two constraints '" + g.name + "'",
                    "the first is in line " + std::to_string(first->second.line));
    }
  }
  std::vector<Assigned> assigned(groups.size());
  if (scope.form == Form::general) {
    assigned = assign_general(e, groups, sound);
  } else {
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i].named() && groups[i].statement->label->form == Term::Form::call) {
        shape_multipliers(scope, groups[i]);
        assigned[i] = label_symbols(scope, groups[i]);
        if (assigned[i].symbols.size() != groups[i].entries()) groups[i].bad = true;
      }
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!groups[i].bad) append_constraints(e, groups[i], sound ? assigned[i] : Assigned{});
}

}  // namespace alembert::internal
