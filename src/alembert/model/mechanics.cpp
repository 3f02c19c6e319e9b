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
  constexpr std::size_t few = 100;
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

void make_forces(Elaboration& e) {
  Scope& scope = e.scope;
  // In the multibody form forces act on the velocities' rows.
  const Kind kind = e.model.multibody ? Kind::variable : Kind::coordinate;
  std::map<const Declaration*, std::size_t> first;
  std::size_t size = 0;
  for (const Declaration& d : scope.declarations()) {
    if (d.kind != kind || d.auxiliary) continue;
    first[&d] = size;
    size += d.symbols.size();
  }
  Exprs& force = e.model.force;
  force.assign(size, scope.graph().constant(0));
  e.each("force", [&](const Statement& s, const Item& item) {
    if (!item.value) return;
    scope.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>&) {
      const std::optional<Target> target = scope.reference(item.target, {kind}, "force");
      Value value = scope.evaluate(*item.value);
      if (!target) return false;
      if (target->primed) {
        scope.error(item.target.place, "a force acts on a coordinate, not on its velocity", "leave out the '");
        return false;
      }
      if (target->declaration->auxiliary) {
        scope.error(item.target.place, "no force acts on '" + target->declaration->name + "': it is auxiliary",
                    "let the force act on the coordinates that determine it");
        return false;
      }
      value = scope.fit(std::move(value), target->shape, item.value->place, "'" + print(item.target) + "'");
      if (value.bad) return false;
      for (std::size_t k = 0; k < value.entries.size(); ++k) {
        const Expr on = target->declaration->symbols[static_cast<std::size_t>(target->offset) + k];
        e.sized.push_back({item.value->place, value.entries[k], false, Elaboration::Sized::Fit::force, on});
        Expr& sum = force[first[target->declaration] + static_cast<std::size_t>(target->offset) + k];
        sum = sum + value.entries[k];
      }
      return true;
    });
  });
}

/// Loads and motors: F acts along a velocity V, so that the forces on the coordinates are V_v^T F.
void make_acting_forces(Elaboration& e) {
  Scope& scope = e.scope;
  e.each(acting_statement, [&](const Statement& s) {
    const Value force = scope.evaluate(*s.left), velocity = scope.evaluate(*s.right);
    if (force.bad || velocity.bad) return;
    if (force.shape != velocity.shape) {
      scope.error(s.left->place, "'" + print(*s.left) + "' is " + shape_text(force.shape) + ", but must be " +
                                     shape_text(velocity.shape));
      return;
    }
    const Exprs all = transposed_product(velocity.entries, e.model.v, force.entries);
    for (std::size_t i = 0; i < all.size(); ++i) e.model.force[i] = e.model.force[i] + all[i];
  });
}

/// An auxiliary variable that the user wrote has no inertia, and the potential of the multibody form no velocities.
void check_energies(Elaboration& e) {
  const Model& m = e.model;
  for (const Declaration& d : e.scope.declarations()) {
    if (!d.auxiliary || !d.ready) continue;
    for (const Expr energy : {m.lagrangian})
      if (energy && depends(energy, d.velocities))
        e.scope.error(d.place, "the contact-point variable '" + d.name + "' has a velocity in an energy",
                      "it follows the coordinates without inertia; declare a coordinate and a constraint otherwise");
  }
  if (!m.multibody || !m.potential || !(e.scope.contents(m.potential) & holds_z)) return;
  e.each("potential", [&](const Statement& s) {
    e.scope.error(s.place, "the potential energy contains velocities", "the multibody form takes U(q); use 'force'");
  });
}

}  // namespace

Expr read_energy(Elaboration& e, const char* keyword, const char* what) {
  Exprs terms;
  e.each(keyword, [&](const Statement& s) {
    if (!s.left) return;
    const Value v = e.scope.evaluate_scalar(*s.left, what);
    if (v.bad) return;
    if (e.scope.contents(v) & holds_multiplier) {
      e.scope.error(s.left->place, std::string(what) + " contains a multiplier",
                    "multipliers may stand in forces only");
      return;
    }
    if (e.scope.contents(v) & holds_port) {
      e.scope.error(s.left->place, std::string(what) + " contains an input or an output");
      return;
    }
    terms.push_back(v.entries[0]);
    if (s.string == made_by_element) return;  // its words are checked one by one
    const bool power = std::string_view(keyword) == "rayleigh";
    e.sized.push_back(
        {s.left->place, v.entries[0], !power, power ? Elaboration::Sized::Fit::power : Elaboration::Sized::Fit::none});
  });
  return terms.empty() ? Expr() : sum(e.scope.graph(), terms);
}

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

void make_energies(Elaboration& e) {
  Model& m = e.model;
  Graph& graph = e.scope.graph();
  switch (m.form) {
    case Form::lagrangian:
      m.kinetic = read_energy(e, "kinetic", "the kinetic energy");
      m.potential = read_energy(e, "potential", "the potential energy");
      m.lagrangian = read_energy(e, "lagrangian", "the Lagrangian");
      m.rayleigh = read_energy(e, "rayleigh", "the Rayleigh function");
      if (!m.lagrangian && m.kinetic) m.lagrangian = m.potential ? m.kinetic - m.potential : m.kinetic;
      if (!m.lagrangian) m.lagrangian = graph.constant(0);  // an error has been reported
      break;
    case Form::hamiltonian:
      m.hamiltonian = read_energy(e, "hamiltonian", "the Hamiltonian");
      if (!m.hamiltonian) m.hamiltonian = graph.constant(0);
      break;
    case Form::general:
      if (!m.multibody) return;
      m.potential = read_energy(e, "potential", "the potential energy");
      m.rayleigh = read_energy(e, "rayleigh", "the Rayleigh function");
      break;
    case Form::port_hamiltonian: return;  // make_port has read it
  }
  make_forces(e);
  if (e.model.form == Form::lagrangian) make_acting_forces(e);
  check_energies(e);
}

void make_invariants(Elaboration& e) {
  Scope& scope = e.scope;
  const bool ports = e.model.form == Form::port_hamiltonian;
  std::map<std::string, Place> names;
  int number = 0;
  e.each("conserve", [&](const Statement& s) {
    ++number;
    if (!s.left) return;
    const std::string name = s.label ? s.label->text : "invariant " + std::to_string(number);
    if (s.label) {
      const auto [first, fresh] = names.emplace(name, s.label->place);
      if (!fresh)
        scope.error(s.label->place, "there are two invariants '" + name + "'",
                    "the first is in line " + std::to_string(first->second.line));
    }
    scope.loop(s.ranges, {&*s.left}, [&](const std::vector<long>& index) {
      const Value v = scope.evaluate(*s.left);
      if (v.bad) return false;
      if (scope.contents(v) & (holds_multiplier | holds_port)) {
        scope.error(s.left->place, ports ? "an invariant cannot contain an algebraic state, an input or an output"
                                         : "an invariant cannot contain a multiplier");
        return false;
      }
      for (const Expr entry : v.entries) e.sized.push_back({s.left->place, entry});
      const int first = static_cast<int>(e.model.invariant_values.size());
      e.model.invariants.push_back(
          {name + brackets(index), v.shape, first, static_cast<int>(v.entries.size()), s.left->place});
      e.model.invariant_values.insert(e.model.invariant_values.end(), v.entries.begin(), v.entries.end());
      return true;
    });
  });
}

void make_observed(Elaboration& e) {
  Scope& scope = e.scope;
  scope.contacts_known = true;
  std::map<std::string, Place> names;
  e.each("observe", [&](const Statement& s) {
    if (!s.left || !s.label) return;
    // observe h[i]: ... is the family h, as observe h: ... for i = 1..N.
    std::vector<const Term*> indices;
    const Term* root = &*s.label;
    for (; root->form == Term::Form::index; root = &root->parts[0]) indices.insert(indices.begin(), &root->parts[1]);
    const std::string& name = root->text;
    const auto [first, fresh] = names.emplace(print(*s.label), s.label->place);
    if (!fresh) {
      scope.error(s.label->place, "'" + name + "' is observed twice",
                  "the first is in line " + std::to_string(first->second.line));
      return;
    }
    std::vector<const Term*> terms = indices;
    terms.push_back(&*s.left);
    scope.loop(s.ranges, terms, [&](const std::vector<long>& index) {
      std::vector<long> shown = index;
      if (!indices.empty()) {
        shown.clear();
        for (const Term* bracket : indices) {
          const std::optional<long> number = scope.whole(*bracket, "an index of '" + name + "'");
          if (!number) return false;
          shown.push_back(*number);
        }
      }
      const Value v = scope.evaluate(*s.left);
      if (v.bad) return false;
      for (const Expr entry : v.entries) e.sized.push_back({s.left->place, entry});
      const int from = static_cast<int>(e.model.observed_values.size());
      e.model.observed.push_back(
          {name + brackets(shown), v.shape, from, static_cast<int>(v.entries.size()), s.left->place});
      e.model.observed_values.insert(e.model.observed_values.end(), v.entries.begin(), v.entries.end());
      return true;
    });
  });
  std::map<std::string, const Block*> seen;
  for (const Block& block : e.model.observed)
    if (const auto [other, fresh] = seen.emplace(block.name, &block);
        !fresh && block.place.line != other->second->place.line)
      scope.error(block.place, "'" + block.name + "' is observed twice",
                  "the first is in line " + std::to_string(other->second->place.line));
  scope.contacts_known = false;
}

}  // namespace alembert::internal
