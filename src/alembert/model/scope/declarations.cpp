#include <quadmath.h>

#include <algorithm>

#include "alembert/model/elaborate.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

void Elaboration::each(const char* keyword, const std::function<void(const Statement&, const Item&)>& visit) const {
  for (const Statement& s : text.statements)
    if (s.keyword == keyword)
      for (const Item& item : s.items) visit(s, item);
}

void Elaboration::each(const char* keyword, const std::function<void(const Statement&)>& visit) const {
  for (const Statement& s : text.statements)
    if (s.keyword == keyword) visit(s);
}

bool Elaboration::has(const char* keyword) const {
  return std::any_of(text.statements.begin(), text.statements.end(),
                     [&](const Statement& s) { return s.keyword == keyword; });
}

Place Elaboration::head() const {
  for (const Statement& s : text.statements)
    if (s.keyword == "model") return s.place;
  return text.statements.empty() ? Place{1, 1, 1} : text.statements.front().place;
}

namespace {

/// f(a, b) declares a function; d[i] over a family a let with members.
void declare_let(Elaboration& e, const Statement& s, const Item& item) {
  Scope& scope = e.scope;
  if (item.target.form == Term::Form::call) {
    Term name = item.target;
    name.form = Term::Form::name;
    name.parts.clear();
    name.place.length = static_cast<int>(name.text.size());
    Declaration* d = scope.declare(Kind::function, name, &item.target);
    if (!d) return;
    d->definition = item.value ? &*item.value : nullptr;
    d->bad = !item.value;
    for (const Term& argument : item.target.parts) {
      if (argument.form != Term::Form::name) {
        scope.error(argument.place, "an argument of a function must be a name");
        d->bad = true;
      } else if (std::find(d->arguments.begin(), d->arguments.end(), argument.text) != d->arguments.end()) {
        scope.error(argument.place, "the argument '" + argument.text + "' appears twice");
        d->bad = true;
      }
      d->arguments.push_back(argument.text);
    }
    return;
  }
  Declaration* d = scope.declare(Kind::let, root_of(item.target), &item.target);
  if (!d) return;
  d->definition = item.value ? &*item.value : nullptr;
  d->bad = !item.value;
  d->statement = &s;
}

void declare_labels(Elaboration& e) {
  // Outside the general form a label makes its multipliers; their shape is known when the constraint is.
  e.each("constraint", [&](const Statement& s) {
    if (s.label && s.label->form == Term::Form::call && e.scope.form != Form::general)
      for (const Term& name : s.label->parts) e.scope.declare(Kind::multiplier, name, &name);
  });
}

bool mentions(const Term& term, const std::string& name) {
  if (term.form == Term::Form::name && term.text == name) return true;
  return std::any_of(term.parts.begin(), term.parts.end(), [&](const Term& part) { return mentions(part, name); });
}

/// auxiliary s: s = EXPR, with an expression that does not contain s.
bool is_closed(const Statement& s, const std::string& name) {
  const bool alone = s.left && s.left->form == Term::Form::name && s.left->text == name;
  return alone && s.right && !mentions(*s.right, name);
}

}  // namespace

void declare_names(Elaboration& e) {
  Scope& scope = e.scope;
  // In the order of the text, so that the later of two is the wrong one.
  for (const Statement& s : e.text.statements) {
    if (s.keyword == "family")
      for (const Range& r : s.ranges)
        if (Declaration* d = scope.declare(Kind::family, r.index, &r.index)) d->statement = &s;
    static const std::pair<const char*, Kind> lists[] = {
        {"parameter", Kind::parameter}, {"coordinate", Kind::coordinate}, {"momentum", Kind::momentum},
        {"variable", Kind::variable},   {"multiplier", Kind::multiplier}, {"quantity", Kind::quantity},
        {"velocity", Kind::variable},   {"state", Kind::state},           {"input", Kind::input},
        {"output", Kind::output}};
    for (const auto& entry : lists) {
      const Kind kind = entry.second;  // a name of its own: clang 14 captures no structured binding
      if (s.keyword != entry.first) continue;
      const auto of_component = [&](const Item& item) {  // input motor.V = ...
        return kind == Kind::input && s.string != from_assembly &&
               root_of(item.target).text.find('.') != std::string::npos;
      };
      for (const Item& item : s.items) {
        if (of_component(item)) continue;
        Declaration* d = scope.declare(kind, root_of(item.target), &item.target);
        if (!d) continue;
        d->statement = &s;
        d->unit = item.unit;
        d->definition = item.value ? &*item.value : nullptr;
        d->is_z = s.keyword == "velocity";
        if (kind == Kind::quantity && !item.value) d->bad = true;
      }
    }
    if (s.keyword == "auxiliary") {
      if (!s.label || s.label->form == Term::Form::call)
        scope.error(s.label ? s.label->place : s.place, "'auxiliary' needs the name of its variable before ':'",
                    "as in: auxiliary s: s^3 + s = x");
      else if (e.model.form != Form::lagrangian && !e.model.multibody)
        scope.error(s.place, "'auxiliary' belongs to the Lagrangian and the multibody form",
                    "write kinetic and potential energy, or kinematics and mass");
      else if (!s.ranges.empty())
        scope.error(s.ranges[0].index.place, "'for' does not go with 'auxiliary'", "write auxiliary s[3]: ... = ...");
      else if (Declaration* d = scope.declare(Kind::coordinate, root_of(*s.label), &*s.label)) {
        d->statement = &s;
        d->auxiliary = true;
        d->closed = is_closed(s, d->name);
        d->definition = s.items.empty() || !s.items[0].value ? nullptr : &*s.items[0].value;
      }
    }
    if (s.keyword == "let")
      for (const Item& item : s.items) declare_let(e, s, item);
    if (s.keyword == "component" && s.label)
      if (Declaration* d = scope.declare(Kind::component, *s.label, &*s.label)) d->statement = &s;
  }
  declare_labels(e);
}

void check_reserved(Elaboration& e) {
  constexpr double digits = 1e-4;  // 0.01745 is a degree as people write it
  Scope& scope = e.scope;
  for (const char* name : {"deg", "rpm"}) {
    Declaration* d = scope.find(name);
    if (!d || d->bad) continue;
    std::optional<Quad> value;
    std::string missing;
    if ((d->kind == Kind::parameter || d->kind == Kind::let) && d->definition) {
      const Value written = scope.evaluate(*d->definition);
      if (written.bad) continue;
      if (written.shape.empty()) value = scope.number(written.entries[0], missing);
    }
    const Quad meant = *constant_named(name);
    if (value && fabsq(*value - meant) <= digits * meant) continue;
    scope.error(d->place, std::string("'") + name + "' cannot be declared",
                std::string(name) == "deg" ? "it is the unit of 30*deg: pi/180" : "it is the unit of 60*rpm: 2*pi/60");
  }
}

namespace {

/// Indices of a let over families; what else stands in its brackets is its size.
void shape_let(Scope& scope, Declaration& d) {
  std::vector<const Term*> brackets;
  for (const Term* at = d.target; at->form == Term::Form::index; at = &at->parts[0])
    brackets.insert(brackets.begin(), &at->parts[1]);
  for (const Term* bracket : brackets) {
    bool index = false;
    if (bracket->form == Term::Form::name && d.shape.empty()) {
      const Declaration* named = scope.find(bracket->text);
      index = named && named->kind == Kind::family;
      for (const Range& r : d.statement->ranges) index |= r.index.text == bracket->text;
    }
    if (index) {
      d.arguments.push_back(bracket->text);
      continue;
    }
    const std::optional<long> size = scope.whole(*bracket, "the size of '" + d.name + "'");
    if (!size || *size < 1 || *size > 1'000'000) {
      if (size)
        scope.error(bracket->place,
                    "the size of '" + d.name + "' must be from 1 to 1,000,000, not " + std::to_string(*size));
      d.bad = true;
      return;
    }
    d.shape.push_back(static_cast<int>(*size));
  }
  for (const Range& r : d.statement->ranges)
    if (std::find(d.arguments.begin(), d.arguments.end(), r.index.text) == d.arguments.end()) {
      scope.error(r.index.place, "'" + r.index.text + "' does not occur on the left of this let",
                  "write let " + d.name + "[" + r.index.text + "] = ...");
      d.bad = true;
    }
}

}  // namespace

Term declared_member(Scope& scope, const Declaration& d) {
  std::vector<const Term*> kept;
  for (const Term* at = d.target; at->form == Term::Form::index; at = &at->parts[0])
    kept.insert(kept.begin(), &at->parts[1]);
  Term name{Term::Form::name, d.place, d.name, {}};
  for (const Term* bracket : kept) {
    const Declaration* family = bracket->form == Term::Form::name ? scope.find(bracket->text) : nullptr;
    if (!family || family->kind != Kind::family) break;
    name = Term{Term::Form::index, d.place, "", {name, *bracket}};
  }
  return name;
}

namespace {

void make_entries(Scope& scope, Declaration& d, Content content, bool with_velocity) {
  const Block block{d.name, d.shape, 0, d.size(), d.place};
  d.start.resize(static_cast<std::size_t>(block.size));
  if (with_velocity) d.start_velocity.resize(static_cast<std::size_t>(block.size));
  for (int i = 0; i < block.size; ++i) {
    const std::string name = entry_name(block, i);
    const Expr symbol = scope.graph().symbol(name);
    d.symbols.push_back(symbol);
    scope.mark(symbol, content);
    scope.owner_of[symbol.id()] = &d;
    if (!with_velocity) continue;
    const Expr velocity = scope.graph().symbol(name + "'");
    d.velocities.push_back(velocity);
    scope.mark(velocity, holds_z);
    scope.owner_of[velocity.id()] = &d;
    scope.velocity_of[symbol.id()] = velocity;
  }
  d.ready = true;
}

void pair_momenta(Elaboration& e) {
  Scope& scope = e.scope;
  bool sound = true;
  e.each("momentum", [&](const Statement&, const Item& item) {
    Declaration* p = scope.find(root_of(item.target).text);
    if (!p || p->kind != Kind::momentum || p->bad) {
      sound = false;
      return;
    }
    if (!item.owner) {
      if (e.complete)
        scope.error(item.target.place, "the momentum '" + p->name + "' belongs to no coordinate",
                    "write momentum " + p->name + " of x");
      p->bad = true;
      sound = false;
      return;
    }
    Declaration* q = item.owner->form == Term::Form::name ? scope.find(item.owner->text) : nullptr;
    // One that names a wrong owner may be the momentum that another coordinate lacks.
    sound &= q && q->kind == Kind::coordinate && !q->partner;
    if (!q && item.owner->form == Term::Form::name) {
      scope.unknown(item.owner->place, item.owner->text);
    } else if (!q || q->kind != Kind::coordinate) {
      scope.error(item.owner->place, "a momentum belongs to a whole coordinate",
                  "write the name of a coordinate, without brackets");
    } else if (q->partner) {
      scope.error(item.owner->place, "the coordinate '" + q->name + "' has two momenta",
                  "the other is '" + q->partner->name + "'");
    } else if (!q->bad && q->shape != p->shape) {
      scope.error(item.target.place, "'" + p->name + "' is " + shape_text(p->shape) + ", but its coordinate '" +
                                         q->name + "' is " + shape_text(q->shape));
      q->partner = p;
    } else {
      q->partner = p;
      p->partner = q;
    }
  });
  for (Declaration& q : scope.declarations())
    if (q.kind == Kind::coordinate && !q.partner && !q.bad && e.complete && sound)
      scope.error(q.place, "the coordinate '" + q.name + "' has no momentum", "add momentum p of " + q.name);
}

}  // namespace

void make_symbols(Elaboration& e) {
  Scope& scope = e.scope;
  for (Declaration& d : scope.declarations())
    if (d.kind == Kind::family) scope.resolve_family(d, d.place);
  for (Declaration& d : scope.declarations()) {
    if (d.kind == Kind::parameter) {
      // A parameter whose line could not be read to its end has no value for that reason.
      if (!d.definition && scope.lost.contains(d.name)) d.bad = true;
      scope.resolve_parameter(d, d.place);
    }
    if (d.kind == Kind::let && !d.bad && !d.imported) shape_let(scope, d);
  }
  const bool lagrangian = e.model.form == Form::lagrangian;
  double total = 0;
  std::vector<std::pair<Declaration*, Content>> wanted;
  for (Declaration& d : scope.declarations()) {
    const bool ports = d.kind == Kind::state || d.kind == Kind::input || d.kind == Kind::output;
    const bool state = d.kind == Kind::coordinate || d.kind == Kind::momentum || d.kind == Kind::variable || ports;
    const bool own_multiplier = d.kind == Kind::multiplier && scope.form == Form::general;
    if (!state && !own_multiplier && d.kind != Kind::quantity) continue;
    if (d.imported) total += d.size();
    if (d.bad || d.imported || !scope.resolve_shape(d)) continue;
    if (d.kind == Kind::quantity) continue;
    total += d.size();
    if (total > 1'000'000) {
      scope.error(d.place, "the model has more than 1,000,000 coordinates");
      d.bad = true;
      break;
    }
    // Variables get their role (y or z) when the rates are known.
    const bool from_outside = d.kind == Kind::input && e.model.form != Form::port_hamiltonian;
    wanted.emplace_back(&d, from_outside                                                  ? holds_time
                            : ports && d.kind != Kind::state                              ? holds_port
                            : own_multiplier                                              ? holds_multiplier
                            : d.kind == Kind::state || d.kind == Kind::momentum || d.is_z ? holds_z
                                                                                          : holds_q);
  }
  for (const auto& [d, content] : wanted) {
    if (total > 1'000'000) d->bad = true;
    else make_entries(scope, *d, content, d->kind == Kind::coordinate && (lagrangian || d->auxiliary));
  }
  scope.sizes_only = false;
  if (e.model.form == Form::hamiltonian) pair_momenta(e);
}

}  // namespace alembert::internal
