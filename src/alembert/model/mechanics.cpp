// Forces, energies, invariants and what is observed.

#include <algorithm>

#include "alembert/expr/derivative.h"
#include "alembert/model/bodies/expand.h"
#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

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
    if (power && !(e.scope.contents(v) & holds_z) && !is_zero(v.entries[0]))
      e.scope.error(s.left->place, "the Rayleigh function contains no velocity: it brakes nothing",
                    "as in: rayleigh c/2*x'^2");
    e.sized.push_back(
        {s.left->place, v.entries[0], !power, power ? Elaboration::Sized::Fit::power : Elaboration::Sized::Fit::none});
  });
  return terms.empty() ? Expr() : sum(e.scope.graph(), terms);
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

namespace {

/// Whether it is made of numbers and parameters alone, as it is written: an empty sum is not.
bool is_number(Elaboration& e, const Term& term) {
  if (term.form == Term::Form::range || (term.form == Term::Form::call && (term.text == "sum" || term.text == "if")))
    return false;
  if (term.form == Term::Form::name) {
    const Declaration* d = e.scope.find(term.text);
    if (d ? d->kind != Kind::parameter || e.scope.switched.contains(term.text) : term.text == "t") return false;
  }
  return std::all_of(term.parts.begin(), term.parts.end(), [&](const Term& part) { return is_number(e, part); });
}

}  // namespace

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
      if (!(scope.contents(v) & ~static_cast<unsigned>(holds_parameter)) && is_number(e, *s.left)) {
        scope.error(s.left->place, "'" + name + "' is a number, which cannot change",
                    "watched is what contains coordinates or velocities, as in: conserve spin: x*y' - y*x'");
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
