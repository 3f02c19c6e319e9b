#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/default_methods.h"
#include "alembert/expr/derivative.h"
#include "alembert/model/elaborate.h"
#include "alembert/model/ports/port.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace {

const std::vector<Kind> startable = {Kind::coordinate, Kind::momentum, Kind::variable, Kind::multiplier, Kind::state};

std::vector<Start>* slots(Elaboration& e, const Target& r, const Term& target) {
  Declaration& d = *r.declaration;
  if (!r.primed) return &d.start;
  if (d.kind == Kind::coordinate && e.model.form == Form::lagrangian && !d.auxiliary) return &d.start_velocity;
  std::string hint = "only coordinates of the Lagrangian form have velocities";
  if (d.auxiliary) hint = "its rate follows from its equation";
  else if (e.model.multibody) hint = "it follows from the velocities of the multibody form: give those";
  else if (d.kind == Kind::coordinate)
    hint = "give the momentum" + (d.partner ? " '" + d.partner->name + "'" : std::string()) + " instead";
  e.scope.error(target.place, "'" + print(target) + "' has no initial value", hint);
  return nullptr;
}

/// An initial value with others in it as an expression of parameters alone.
Expr in_parameters(const Elaboration& e, Expr value) {
  if (!(e.scope.contents(value) & ~unsigned(holds_parameter))) return value;
  Exprs from, to;
  for (const Expr s : free_symbols(ExprSpan(&value, 1)))
    if (const auto known = e.started.find(s.id()); known != e.started.end()) {
      from.push_back(s);
      to.push_back(known->second);
    }
  return substitute(value, from, to, e.scope.graph());
}

/// The number of an initial value; nothing where an error was reported.
std::optional<Quad> start_number(Scope& scope, Expr value, const Term& target, const Term& term) {
  std::string missing;
  const std::optional<Quad> number = scope.number(value, missing, Use::value);
  if (!number) {
    scope.error(term.place, "this initial value needs '" + missing + "', which has none before this line",
                "give an initial value of '" + missing + "' first");
    return {};
  }
  if (std::isfinite(static_cast<double>(*number))) return number;
  scope.error(term.place, "the initial value of '" + print(target) + "' is not finite (" +
                              to_text(static_cast<double>(*number)) + ")");
  return {};
}

/// Puts a value into the entries it is meant for. Where the options have given one, the model's is not even looked at.
bool assign(Elaboration& e, const Target& r, const Term& target, const Term& term, bool overriding) {
  Scope& scope = e.scope;
  std::vector<Start>* start = slots(e, r, target);
  if (!start) return false;
  const std::size_t size = static_cast<std::size_t>(shape_size(r.shape)), offset = static_cast<std::size_t>(r.offset);
  bool needed = false;
  for (std::size_t k = 0; k < size; ++k) {
    Start& s = (*start)[offset + k];
    if (s.given && !overriding && !std::exchange(s.inherited, false)) {
      scope.error(target.place, "the initial value of '" + print(target) + "' is given twice");
      return false;
    }
    if (!overriding) s.given = true;
    needed |= overriding || !s.overridden;
  }
  if (!needed) return true;
  Value value = scope.fit(scope.evaluate(term), r.shape, term.place, "'" + print(target) + "'");
  if (value.bad) return false;
  const Exprs& symbols = r.primed ? r.declaration->velocities : r.declaration->symbols;
  for (std::size_t k = 0; k < size; ++k) {
    Start& s = (*start)[offset + k];
    if (s.overridden && !overriding) continue;
    const std::optional<Quad> number = start_number(scope, value.entries[k], target, term);
    if (!number) return false;
    if (!overriding)
      e.sized.push_back({term.place, value.entries[k], false, Elaboration::Sized::Fit::same, symbols[offset + k]});
    s.value = *number;
    s.expression = in_parameters(e, value.entries[k]);
    e.started[symbols[offset + k].id()] = s.expression;
    s.overridden |= overriding;
    scope.know(symbols[offset + k], *number);
  }
  return true;
}

/// The same for what follows from states; the options come first, and what they gave stays.
bool assign_let(Elaboration& e, const Term& target, const Term& term, bool overriding) {
  Scope& scope = e.scope;
  const std::vector<int> entries = prescribe(e, target);
  if (entries.empty()) return false;
  const ArrayShape shape = scope.evaluate(target).shape;
  const Value value = scope.fit(scope.evaluate(term), shape, term.place, "'" + print(target) + "'");
  if (value.bad) return false;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Prescribed& one = e.model.prescribed[static_cast<std::size_t>(entries[k])];
    if (one.start && !overriding) {
      if (one.overridden) continue;
      scope.error(target.place, "the initial value of '" + one.name + "' is given twice");
      return false;
    }
    const std::optional<Quad> number = start_number(scope, value.entries[k], target, term);
    if (!number) return false;
    if (!overriding) e.sized.push_back({term.place, value.entries[k], false, Elaboration::Sized::Fit::same, one.value});
    one.start = *number;
    one.overridden = overriding;
    one.start_expression = in_parameters(e, value.entries[k]);
  }
  return true;
}

void read_initial(Elaboration& e) {
  Scope& scope = e.scope;
  // Values at the declaration count as given before all others.
  for (Declaration& d : scope.declarations()) {
    const bool state = d.kind == Kind::coordinate || d.kind == Kind::momentum || d.kind == Kind::variable ||
                       d.kind == Kind::multiplier || d.kind == Kind::state;
    if (!state || !d.ready || d.bad || !d.definition || d.imported) continue;
    const Term name = declared_member(scope, d);  // for r[i][3] = EXPR the value is that of one member
    scope.loop({}, {&name, d.definition}, [&](const std::vector<long>&) {
      const std::optional<Target> r = scope.reference(name, startable, "initial");
      return r && assign(e, *r, name, *d.definition, false);
    });
  }
  e.each("initial", [&](const Statement& s, const Item& item) {
    if (!item.value) return;
    scope.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>&) {
      if (names_let(scope, item.target)) return assign_let(e, item.target, *item.value, false);
      const std::optional<Target> r = scope.reference(item.target, startable, "initial");
      return r && assign(e, *r, item.target, *item.value, false);
    });
  });
}

void read_pins(Elaboration& e) {
  e.each("pin", [&](const Statement& s, const Item& item) {
    e.scope.loop(s.ranges, {&item.target}, [&](const std::vector<long>&) {
      const std::optional<Target> r =
          e.scope.reference(item.target, {Kind::coordinate, Kind::momentum, Kind::variable, Kind::state}, "pin");
      if (!r) return false;
      std::vector<Start>* start = slots(e, *r, item.target);
      if (!start) return false;
      for (int k = 0; k < shape_size(r->shape); ++k) (*start)[r->offset + k].pinned = true;
      return true;
    });
  });
}

/// Port-Hamiltonian form: the differential states; an algebraic one follows from the others.
void append_states(Elaboration& e) {
  Model& m = e.model;
  std::unordered_map<std::uint32_t, Start> starts;
  for (const Declaration& d : e.scope.declarations())
    for (std::size_t k = 0; k < d.start.size() && d.kind == Kind::state; ++k) starts[d.symbols[k].id()] = d.start[k];
  for (const int i : m.port->differential) {
    const Start& s = starts[m.port->x[i].id()];
    m.z0.push_back(s.value);
    m.z_start.push_back(s.expression ? s.expression : e.scope.graph().constant(s.value));
    m.z_given.push_back(s.given || s.overridden);
    m.z_pinned.push_back(s.pinned);
  }
  for (const int i : m.port->algebraic)
    if (starts[m.port->x[i].id()].pinned)
      e.scope.error(flat_place(m.port->states, i),
                    "the algebraic state '" + flat_name(m.port->states, i) + "' cannot be pinned",
                    "its column of the flow matrix is 0, so it follows from the other states");
}

}  // namespace

void make_start(Elaboration& e, const std::vector<const Assignment*>& overrides) {
  Scope& scope = e.scope;
  const std::shared_ptr<const Source> text = scope.source;
  for (const Assignment* one : overrides) {
    const Item* item = &one->item;
    scope.source = one->source;
    const Term* root = &item->target;
    while (root->form == Term::Form::index || root->form == Term::Form::prime) root = &root->parts[0];
    if (const Declaration* d = root->form == Term::Form::name ? scope.find(root->text) : nullptr;
        d && d->kind == Kind::parameter) {
      scope.error(item->target.place, "'" + d->name + "' is a parameter and has no velocity");
      continue;
    }
    if (names_let(scope, item->target)) {
      assign_let(e, item->target, *item->value, true);
      continue;
    }
    const std::optional<Target> r = scope.reference(item->target, startable, one->purpose);
    if (r) assign(e, *r, item->target, *item->value, true);
  }
  scope.source = text;
  read_initial(e);
  read_pins(e);

  Model& m = e.model;
  const auto append = [&](const std::vector<Start>& from, std::vector<Quad>& value, std::vector<bool>& given,
                          std::vector<bool>& pinned) {
    for (const Start& s : from) {
      value.push_back(s.value);
      (&value == &m.q0 ? m.q_start : m.z_start)
          .push_back(s.expression ? s.expression : scope.graph().constant(s.value));
      given.push_back(s.given || s.overridden);
      pinned.push_back(s.pinned);
    }
  };
  for (const Declaration& d : scope.declarations()) {
    if (d.auxiliary) continue;
    const bool general = m.form == Form::general && !m.multibody;
    if (d.kind == Kind::coordinate || (d.kind == Kind::variable && !d.is_z && general))
      append(d.start, m.q0, m.q_given, m.q_pinned);
    if (d.kind == Kind::variable && d.is_z) append(d.start, m.z0, m.z_given, m.z_pinned);
    if (d.kind == Kind::coordinate && m.form == Form::lagrangian) append(d.start_velocity, m.z0, m.z_given, m.z_pinned);
    if (d.kind == Kind::coordinate && d.partner) append(d.partner->start, m.z0, m.z_given, m.z_pinned);
  }
  // Constraints move what moves by forces, not what moves by its rate.
  for (const Declaration* d : first_order(e)) {
    append(d->start, m.q0, m.q_given, m.q_pinned);
    std::fill(m.q_pinned.end() - d->size(), m.q_pinned.end(), true);
  }
  for (const Declaration* d : auxiliaries(scope)) {
    append(d->start, m.q0, m.q_given, m.q_pinned);
    // The angle of a joint that `initial` gives is kept, and the bodies are turned to it; `auxiliary s = 1: ...` only
    // says near what.
    const Start& start = d->start[0];
    if (d->closed && (start.overridden || (start.given && !d->definition))) m.q_pinned.back() = true;
  }
  if (m.port) append_states(e);
  std::unordered_map<std::uint32_t, Quad> guesses;
  for (const Declaration& d : scope.declarations())
    if (d.kind == Kind::multiplier || d.kind == Kind::state)
      for (std::size_t k = 0; k < d.symbols.size(); ++k)
        if (d.start[k].given || d.start[k].overridden) guesses[d.symbols[k].id()] = d.start[k].value;
  for (const Constraint& c : m.constraints) {
    const auto guess = guesses.find(c.multiplier.id());
    m.multiplier0.push_back(guess == guesses.end() ? std::nullopt : std::optional<Quad>(guess->second));
  }
}

void make_solve(Elaboration& e) {
  Scope& scope = e.scope;
  e.each("solve", [&](const Statement&, const Item& item) {
    if (!item.value) return;
    if (item.target.text == "method") {
      const Term& method = *item.value;
      if (method.form != Term::Form::name && method.form != Term::Form::call)
        scope.error(method.place, "a method is a name, with arguments where it takes some",
                    "as in: solve " ALEMBERT_DEFAULT_METHOD " step 0.01 end 240");
      else e.model.solve.method = method;
      return;
    }
    const bool step = item.target.text == "step";
    const std::optional<Quad> number = scope.number_of(*item.value, step ? "the step" : "the end");
    if (!number) return;
    const double x = static_cast<double>(*number);
    if (!std::isfinite(x) || (step && x == 0))
      scope.error(item.value->place, std::string(step ? "the step" : "the end") + " is " + to_text(x),
                  step ? "it must be finite and not 0" : "it must be finite");
    else (step ? e.model.solve.step : e.model.solve.end) = x;
  });
}

}  // namespace alembert::internal
