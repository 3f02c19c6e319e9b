#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"
#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

/// A rate as plain + reaction; nothing where a part does not occur.
struct Split {
  std::optional<Value> plain, reaction;
  bool bad = false;
};

std::optional<Value> negated(std::optional<Value> v) {
  if (v)
    for (Expr& x : v->entries) x = -x;
  return v;
}

bool contains_reaction(const Term& term) {
  if (term.form == Term::Form::call && term.text == "reaction") return true;
  return std::any_of(term.parts.begin(), term.parts.end(), contains_reaction);
}

class RateReader {
 public:
  explicit RateReader(Scope& scope) : scope_(scope), own_(scope.find("reaction") != nullptr) {}

  /// Looks for reaction(...) among the terms of a sum and the entries of a vector; elsewhere evaluate() objects.
  Split read(const Term& term) {
    if (own_ || !contains_reaction(term)) return plain(scope_.evaluate(term));
    switch (term.form) {
      case Term::Form::call:
        if (term.text == "reaction") return reaction(term);
        break;
      case Term::Form::negate: {
        Split s = read(term.parts[0]);
        return {negated(std::move(s.plain)), negated(std::move(s.reaction)), s.bad};
      }
      case Term::Form::chain:
        if (term.text[0] == '+' || term.text[0] == '-') return sum(term);
        break;
      case Term::Form::tuple: return tuple(term);
      default: break;
    }
    return plain(scope_.evaluate(term));
  }

 private:
  static Split plain(Value v) {
    Split s;
    s.bad = v.bad;
    s.plain = std::move(v);
    return s;
  }

  Split reaction(const Term& term) {
    Split s;
    if (term.parts.size() != 1) {
      scope_.error(term.place, "'reaction' takes one expression", "write reaction((a, b)) for a vector");
      s.bad = true;
      return s;
    }
    s.reaction = scope_.evaluate(term.parts[0]);
    s.bad = s.reaction->bad;
    return s;
  }

  bool add(std::optional<Value>& to, const std::optional<Value>& part, const Place& place) {
    if (!part) return true;
    if (!to) {
      to = part;
      return true;
    }
    if (to->shape != part->shape) {
      scope_.error(place, "cannot add " + shape_text(part->shape) + " to " + shape_text(to->shape));
      return false;
    }
    for (std::size_t i = 0; i < to->entries.size(); ++i) to->entries[i] = to->entries[i] + part->entries[i];
    return true;
  }

  Split sum(const Term& term) {
    Split all;
    for (std::size_t i = 0; i < term.parts.size(); ++i) {
      Split s = read(term.parts[i]);
      if (s.bad || all.bad) {
        all.bad = true;
        continue;
      }
      if (i > 0 && term.text[i - 1] == '-') s = {negated(std::move(s.plain)), negated(std::move(s.reaction)), false};
      if (!add(all.plain, s.plain, term.parts[i].place) || !add(all.reaction, s.reaction, term.parts[i].place))
        all.bad = true;
    }
    return all;
  }

  /// Scalars, or scalars and vectors together, which are joined into one.
  Split tuple(const Term& term) {
    std::vector<Split> parts;
    Split all;
    bool scalars = false;
    for (const Term& part : term.parts) {
      parts.push_back(read(part));
      all.bad |= parts.back().bad;
      scalars |= !all.bad && shape_of(parts.back()).empty();
    }
    all.plain = all.reaction = Value{};
    for (std::size_t i = 0; i < parts.size() && !all.bad; ++i) {
      const Split& s = parts[i];
      const ArrayShape& shape = shape_of(s);
      if (shape.size() > 1 || (!scalars && !shape.empty()) || (s.plain && s.reaction && s.plain->shape != shape)) {
        scope_.error(term.parts[i].place, "an entry of this vector must be a scalar, not " + shape_text(shape));
        all.bad = true;
        continue;
      }
      const Exprs none(static_cast<std::size_t>(shape_size(shape)), scope_.graph().constant(0));
      const Exprs& plain = s.plain ? s.plain->entries : none;
      const Exprs& reaction = s.reaction ? s.reaction->entries : none;
      all.plain->entries.insert(all.plain->entries.end(), plain.begin(), plain.end());
      all.reaction->entries.insert(all.reaction->entries.end(), reaction.begin(), reaction.end());
    }
    if (!all.bad) all.plain->shape = all.reaction->shape = {static_cast<int>(all.plain->entries.size())};
    return all;
  }

  static const ArrayShape& shape_of(const Split& s) { return s.reaction ? s.reaction->shape : s.plain->shape; }

  Scope& scope_;
  bool own_;  // the user has a function of that name
};

void read_rate(Elaboration& e, const Item& item) {
  Scope& scope = e.scope;
  const std::optional<Target> target = scope.reference(item.target, {Kind::variable, Kind::quantity}, "rate");
  if (!target) return;
  Declaration& d = *target->declaration;
  if (!target->primed) {
    scope.error(item.target.place, "a rate needs a derivative on its left",
                "write rate " + print(item.target) + "' = ...");
    d.bad = true;
    return;
  }
  const std::size_t size = static_cast<std::size_t>(d.size());
  d.rate.resize(size);
  d.reaction.resize(size);
  Split value = RateReader(scope).read(*item.value);
  const std::string what = "the rate of '" + print(item.target) + "'";
  if (!value.bad && value.plain) {
    value.plain = scope.fit(std::move(*value.plain), target->shape, item.value->place, what);
    value.bad |= value.plain->bad;
  }
  if (!value.bad && value.reaction) {
    value.reaction = scope.fit(std::move(*value.reaction), target->shape, item.value->place, what);
    value.bad |= value.reaction->bad;
  }
  if (value.bad) {
    d.bad = true;
    return;
  }
  if (value.plain && scope.contents(*value.plain) & holds_multiplier) {
    scope.error(item.value->place, "a multiplier stands outside reaction(...)",
                "write + reaction(...) around the terms that contain it");
    d.bad = true;
    return;
  }
  if (value.reaction) d.is_z = true;
  const Expr zero = scope.graph().constant(0);
  for (int k = 0; k < shape_size(target->shape); ++k) {
    const int at = target->offset + k;
    const std::size_t from = static_cast<std::size_t>(k);
    if (d.rate[at]) {
      scope.error(item.target.place, "the rate of '" + print(item.target) + "' is given twice");
      return;
    }
    if (value.plain && d.kind == Kind::variable)
      e.sized.push_back({item.value->place, value.plain->entries[from], false, Elaboration::Sized::Fit::rate,
                         d.symbols[static_cast<std::size_t>(at)]});
    d.rate[at] = value.plain ? value.plain->entries[from] : zero;
    d.reaction[at] = value.reaction ? value.reaction->entries[from] : zero;
  }
}

bool all_given(Scope& scope, Declaration& d) {
  const Block block{d.name, d.shape, 0, d.size(), d.place};
  for (int i = 0; i < block.size; ++i)
    if (!d.rate[static_cast<std::size_t>(i)]) {
      scope.error(d.place, "'" + entry_name(block, i) + "' has no rate",
                  "add rate " + entry_name(block, i) + "' = ...");
      d.bad = true;
      return false;
    }
  return true;
}

/// The roles of variables and quantities.
struct Roles {
  std::vector<Declaration*> quantities;  // with a rate
  std::vector<Declaration*> standing;    // the variables that they stand for: they have no rate of their own
  bool sound = true;                     // nothing was wrong so far
};

void read_rates(Elaboration& e) {
  Scope& scope = e.scope;
  e.each("rate", [&](const Statement& s, const Item& item) {
    if (!item.value) return;
    scope.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>&) {
      const std::size_t before = scope.errors.size();
      read_rate(e, item);
      return scope.errors.size() == before;
    });
  });
}

/// Finds the variables that a quantity stands for: those in it that have no rate of their own.
void find_standing(Scope& scope, Declaration& quantity, const Value& value, Roles& roles) {
  bool stands = false;
  for (Expr s : free_symbols(value.entries)) {
    const auto found = scope.owner_of.find(s.id());
    Declaration* owner = found == scope.owner_of.end() ? nullptr : found->second;
    if (owner && owner->kind == Kind::multiplier) {
      scope.error(quantity.definition->place, "a quantity cannot contain the multiplier '" + owner->name + "'");
      roles.sound = false;
    }
    if (!owner || owner->kind != Kind::variable || !owner->rate.empty()) continue;
    stands = true;
    owner->is_z = true;
    if (std::find(roles.standing.begin(), roles.standing.end(), owner) == roles.standing.end())
      roles.standing.push_back(owner);
  }
  if (stands) return;
  scope.error(quantity.place, "the quantity '" + quantity.name + "' stands for no variable",
              "it must contain a variable that has no rate of its own");
  roles.sound = false;
}

void take_quantity(Elaboration& e, Declaration& d, Roles& roles) {
  Scope& scope = e.scope;
  if (d.bad || d.rate.empty()) {
    if (!d.bad && e.complete)
      scope.error(d.place, "the quantity '" + d.name + "' has no rate", "add rate " + d.name + "' = ...");
    roles.sound = false;
    return;
  }
  roles.sound &= all_given(scope, d);
  const Value value = scope.let_value(d, d.place);
  if (value.bad) {
    roles.sound = false;
    return;
  }
  roles.quantities.push_back(&d);
  find_standing(scope, d, value, roles);
}

void take_variable(Elaboration& e, Declaration& d, Roles& roles) {
  Scope& scope = e.scope;
  if (d.bad) {
    roles.sound = false;
    return;
  }
  const bool stands = std::find(roles.standing.begin(), roles.standing.end(), &d) != roles.standing.end();
  if (!stands && d.rate.empty()) {
    // Where another variable or quantity failed, this one may be meant to follow from it.
    if (e.complete && roles.sound)
      scope.error(d.place, "the variable '" + d.name + "' has no rate", "add rate " + d.name + "' = ...");
    d.bad = true;
  } else if (!stands) {
    roles.sound &= all_given(scope, d);
  }
  if (!d.is_z) return;
  for (Expr s : d.symbols) scope.mark(s, holds_z);
}

/// The quantities must have as many entries as the variables they stand for.
void check_entries(Scope& scope, Roles& roles) {
  if (!roles.sound) return;
  int room = 0;
  int entries = 0;
  std::string names;
  for (const Declaration* d : roles.standing) {
    room += d->size();
    names += (names.empty() ? "'" : ", '") + d->name + "'";
  }
  for (const Declaration* d : roles.quantities) entries += d->size();
  if (room == entries) return;
  scope.error(roles.quantities[0]->place, "the quantities have " + std::to_string(entries) +
                                              " entries, but the variables they stand for (" + names + ") have " +
                                              std::to_string(room));
  roles.sound = false;
}

/// y' = v for variables with a rate, d/dt p = f + r for those that are z: p is the variable itself, or, entry by entry
/// in the order of declaration, the quantities.
void fill_model(Elaboration& e, const Roles& roles) {
  Exprs p, f, r;  // of the quantities
  for (const Declaration* d : roles.quantities) {
    append(p, d->value.entries);
    append(f, d->rate);
    append(r, d->reaction);
  }
  Model& m = e.model;
  std::size_t next = 0;
  for (const Declaration& d : e.scope.declarations()) {
    if (d.kind != Kind::variable || d.bad) continue;
    if (!d.is_z) {
      append(m.coordinate_rate, d.rate);
      continue;
    }
    const bool own = !d.rate.empty();
    for (std::size_t i = 0; i < d.symbols.size(); ++i) {
      m.quantity.push_back(own ? d.symbols[i] : p[next]);
      m.quantity_rate.push_back(own ? d.rate[i] : f[next]);
      m.reaction.push_back(own ? d.reaction[i] : r[next]);
      if (!own) ++next;
    }
  }
}

}  // namespace

namespace {

/// x' = rate beside mechanics: every variable has one, without reactions.
void make_first_order(Elaboration& e) {
  Scope& scope = e.scope;
  read_rates(e);
  for (Declaration& d : scope.declarations()) {
    if (d.kind != Kind::variable || d.statement->keyword != "variable" || d.bad) continue;
    d.is_z = false;
    if (d.rate.empty()) {
      if (e.complete)
        scope.error(d.place, "the variable '" + d.name + "' has no rate", "add rate " + d.name + "' = ...");
      d.bad = true;
      continue;
    }
    if (!all_given(scope, d)) continue;
    for (const Expr r : d.reaction)
      if (!is_zero(r)) {
        scope.error(d.place, "no reaction acts on the first-order state '" + d.name + "'",
                    "reaction(...) belongs to the general form");
        d.bad = true;
        break;
      }
    append(e.model.first_order, d.rate);
  }
}

}  // namespace

namespace {

struct ReadInput {
  const Declaration* declaration;
  Exprs values;
};

/// The entries that input part.F = ... gives to what an assembly has declared; the others are empty.
std::map<const Declaration*, Exprs> given_from_outside(Elaboration& e) {
  Scope& scope = e.scope;
  std::map<const Declaration*, Exprs> all;
  const auto give = [&](const Item& item) {
    const std::optional<Target> target = scope.reference(item.target, {Kind::input}, "input");
    if (!target) return false;
    if (!item.value) {
      scope.error(item.target.place, "the input '" + print(item.target) + "' belongs to an assembly already",
                  "give it a value: input " + print(item.target) + " = ...");
      return false;
    }
    const Value value =
        scope.fit(scope.evaluate(*item.value), target->shape, item.value->place, "'" + print(item.target) + "'");
    if (value.bad) return false;
    if (scope.contents(value) & holds_multiplier) {
      scope.error(item.value->place, "the input '" + print(item.target) + "' contains a multiplier");
      return false;
    }
    const Declaration& d = *target->declaration;
    Exprs& given = all[&d];
    given.resize(d.symbols.size());
    for (std::size_t k = 0; k < value.entries.size(); ++k) {
      const std::size_t entry = static_cast<std::size_t>(target->offset) + k;
      if (given[entry]) {
        scope.error(item.target.place, "the input '" + print(item.target) + "' is given twice");
        return false;
      }
      given[entry] = value.entries[k];
      e.sized.push_back({item.value->place, value.entries[k], false, Elaboration::Sized::Fit::same, d.symbols[entry]});
    }
    return true;
  };
  e.each("input", [&](const Statement& s) {
    if (s.string == from_assembly) return;
    for (const Item& item : s.items) {
      if (root_of(item.target).text.find('.') == std::string::npos) continue;
      std::vector<const Term*> terms = {&item.target};
      if (item.value) terms.push_back(&*item.value);
      scope.loop(s.ranges, terms, [&](const std::vector<long>&) { return give(item); });
    }
  });
  return all;
}

/// Inputs may be made of others, whatever their order in the text: in the model each stands behind those in it.
void put_in_order(Elaboration& e, std::vector<ReadInput> left) {
  Model& m = e.model;
  while (!left.empty()) {
    Exprs waiting;
    for (const ReadInput& one : left) append(waiting, one.declaration->symbols);
    const auto next =
        std::find_if(left.begin(), left.end(), [&](const ReadInput& one) { return !depends(one.values, waiting); });
    if (next == left.end()) {
      const Declaration& d = *left[0].declaration;
      e.scope.error(d.definition ? d.definition->place : d.place, "the input '" + d.name + "' is made of itself",
                    "its value is one of the time, of states and of other inputs");
      return;
    }
    const Declaration& d = *next->declaration;
    m.inputs.push_back({d.name, d.shape, static_cast<int>(m.input_symbols.size()), d.size(), d.place, d.unit});
    append(m.input_symbols, d.symbols);
    append(m.input_values, next->values);
    left.erase(next);
  }
}

}  // namespace

void make_inputs(Elaboration& e) {
  if (e.model.form == Form::port_hamiltonian) return;
  Scope& scope = e.scope;
  std::vector<ReadInput> read;
  const std::map<const Declaration*, Exprs> outside = given_from_outside(e);
  for (Declaration& d : scope.declarations()) {
    if (d.kind != Kind::input || !d.ready || d.bad) continue;
    const auto given = outside.find(&d);
    const auto is_given = [&](std::size_t k) { return given != outside.end() && given->second[k]; };
    bool whole = true;
    for (std::size_t k = 0; k < d.symbols.size(); ++k) whole &= is_given(k);
    if (whole) {
      read.push_back({&d, given->second});
      continue;
    }
    if (!d.definition) {
      if (e.complete) scope.error(d.place, "the input '" + d.name + "' has no value", "write input " + d.name + " = 0");
      d.bad = true;
      continue;
    }
    Exprs values(d.symbols.size(), scope.graph().constant(0));
    const Term name = declared_member(scope, d);
    bool sound = true;
    scope.loop({}, {&name, d.definition}, [&](const std::vector<long>&) {
      const std::optional<Target> target = scope.reference(name, {Kind::input}, "input");
      const Value value = scope.evaluate(*d.definition);
      // One value for all, or one for each member.
      const ArrayShape& shape = target && value.shape != d.shape ? target->shape : d.shape;
      const Value fitted = scope.fit(value, shape, d.definition->place, "'" + d.name + "'");
      if (!target || fitted.bad) return sound = false;
      if (scope.contents(fitted) & holds_multiplier) {
        scope.error(d.definition->place, "the input '" + d.name + "' contains a multiplier");
        return sound = false;
      }
      const std::size_t first = fitted.shape == d.shape ? 0 : static_cast<std::size_t>(target->offset);
      std::copy(fitted.entries.begin(), fitted.entries.end(), values.begin() + static_cast<std::ptrdiff_t>(first));
      for (std::size_t k = 0; k < fitted.entries.size(); ++k)
        e.sized.push_back(
            {d.definition->place, fitted.entries[k], false, Elaboration::Sized::Fit::same, d.symbols[first + k]});
      return true;
    });
    for (std::size_t k = 0; k < values.size(); ++k)
      if (is_given(k)) values[k] = given->second[k];
    if (sound) read.push_back({&d, std::move(values)});
  }
  put_in_order(e, std::move(read));
}

void make_rates(Elaboration& e) {
  if (e.model.form == Form::port_hamiltonian) return;
  if (e.model.form != Form::general || e.model.multibody) return make_first_order(e);
  read_rates(e);
  Roles roles;
  for (Declaration& d : e.scope.declarations())
    if (d.kind == Kind::quantity) take_quantity(e, d, roles);
  for (Declaration& d : e.scope.declarations())
    if (d.kind == Kind::variable) take_variable(e, d, roles);
  check_entries(e.scope, roles);
  if (roles.sound) fill_model(e, roles);
}

}  // namespace alembert::internal
