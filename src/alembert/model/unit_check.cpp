#include "alembert/model/unit_check.h"

#include <algorithm>

#include "alembert/expr/operators.h"
#include "alembert/model/bodies/expand.h"
#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

const Dimension a_second{{{"s", 1}}, 1};

// What helps where a sum does not fit because not all units are given.
const char* const plain_numbers = "a number in a product has no unit: give it a name, and a unit or none";

Measure alike(const Measure& a, const Measure& b, std::string& wrong) {
  if (a.known() && b.known() && !(a.unit == b.unit) && wrong.empty())
    wrong = a.unit.text() + " and " + b.unit.text() + " do not fit";
  if (a.known() && b.known()) return a.of_time ? b : a;
  return a.known() ? a : b.known() ? b : a.is == Measure::Is::unknown ? a : b;
}

Measure plain_number(const Measure& a, Op op, std::string& wrong) {
  if (a.known() && !a.of_time && !(a.unit == Dimension{}) && wrong.empty())
    wrong = std::string(operator_of(op).name) + " takes a number, not " + a.unit.text();
  return Measure::number();
}

Measure raised(const Measure& a, double power) {
  return a.known() ? Measure{Measure::Is::known, Dimension{}.times(a.unit, power), a.of_time} : a;
}

}  // namespace

Measure Measure::of(const std::optional<Dimension>& unit) { return unit ? Measure{Is::known, *unit} : Measure{}; }

Measure Measure::times(const Measure& other, double power) const {
  if (is == Is::unknown || other.is == Is::unknown) return {};
  if (!known() && !other.known()) return number();
  const bool with_number = !known() || !other.known();
  if (with_number && (of_time || other.of_time)) return {};
  return {Is::known, unit.times(other.unit, power), of_time && other.of_time};
}

Measure UnitCheck::of(Expr e, std::string& wrong) {
  if (const auto known = seen_.find(e.id()); known != seen_.end()) return known->second;
  for (const std::uint32_t id : reachable(ExprSpan(&e, 1)))
    if (!seen_.contains(id)) seen_.emplace(id, node(id, wrong));
  return seen_.at(e.id());
}

Measure UnitCheck::of(Expr e) {
  std::string ignored;
  return of(e, ignored);
}

Measure UnitCheck::node(std::uint32_t id, std::string& wrong) const {
  const Node n = graph_.node(id);
  if (n.op == Op::constant || n.op == Op::parameter) return Measure::number();
  if (n.op == Op::symbol) return {};
  Measure a = seen_.at(n.a), b = operand_count(n.op) == 2 ? seen_.at(n.b) : Measure{};
  switch (n.op) {
    case Op::add:
    case Op::subtract:
    case Op::min:
    case Op::max:
    case Op::hypot: return alike(a, b, wrong);
    case Op::multiply: return a.times(b);
    case Op::divide: return a.times(b, -1);
    case Op::negate:
    case Op::abs: return a;
    case Op::where: return b;
    case Op::sqrt: return raised(a, 0.5);
    case Op::power:
      if (is_constant(Expr(&graph_, n.b))) return raised(a, static_cast<double>(graph_.value(n.b)));
      return a.is == Measure::Is::number ? a : Measure{};
    case Op::atan2: alike(a, b, wrong); return Measure::number();
    case Op::piecewise: return {};  // a table: nobody gave the unit of its values
    case Op::sign:
    case Op::positive: return Measure::number();
    default: return plain_number(a, n.op, wrong);
  }
}

namespace {

/// Names that have units; false where none has.
bool give_declared(Elaboration& e, UnitCheck& check) {
  bool any = false;
  for (const Declaration& d : e.scope.declarations()) {
    if (d.unit.empty()) continue;
    const std::optional<Dimension> unit = read_unit(d.unit).unit;
    if (!unit) continue;
    any = true;
    for (const Expr s : d.symbols) check.give(s, Measure::of(unit));
    for (const Expr v : d.velocities) check.give(v, Measure::of(unit->times(a_second, -1)));
  }
  check.give(e.scope.t, {Measure::Is::known, a_second, true});
  return any;
}

/// What is written as a definition has the unit that is written behind it.
void check_definitions(Elaboration& e, UnitCheck& check) {
  for (const Declaration& d : e.scope.declarations()) {
    if (d.kind != Kind::parameter || !d.definition) continue;
    for (std::size_t i = 0; i < d.definitions.size() && i < d.symbols.size(); ++i) {
      std::string wrong;
      const Measure value = check.of(d.definitions[i], wrong), own = check.of(d.symbols[i]);
      const Place& place = d.definition->place;
      if (!wrong.empty()) e.scope.error(place, "the units do not fit: " + wrong);
      else if (value.known() && own.known() && !(value.unit == own.unit))
        e.scope.error(place, "the units do not fit: this is " + value.unit.text() + ", and must be " + own.unit.text());
    }
  }
}

/// Variables that the coordinates determine: what their equations say.
void give_auxiliaries(Elaboration& e, UnitCheck& check) {
  std::size_t at = 0;
  for (const Declaration* d : auxiliaries(e.scope))
    for (std::size_t i = 0; i < d->symbols.size() && at < e.model.auxiliary.size(); ++i, ++at) {
      const Auxiliary& one = e.model.auxiliary[at];
      if (!one.value || !d->unit.empty()) continue;
      const Measure unit = check.of(one.value);
      check.give(d->symbols[i], unit);
      check.give(one.rate, unit.times(Measure::of(a_second), -1));
    }
}

/// A multiplier times its constraint is an energy, or a power where that contains velocities.
void give_multipliers(Elaboration& e, UnitCheck& check, const std::optional<Dimension>& energy) {
  for (Constraint& constraint : e.model.constraints) {
    if (!constraint.multiplier || !constraint.value || !energy) continue;
    std::string wrong;
    const Measure value = check.of(constraint.value, wrong);
    if (value.is == Measure::Is::unknown || !wrong.empty()) continue;
    const Dimension product = constraint.nonholonomic ? energy->times(a_second, -1) : *energy;
    const Dimension unit = product.times(value.unit, -1);
    check.give(constraint.multiplier, Measure::of(unit));
    constraint.multiplier_unit = unit.shown();
  }
}

/// Gaps and slips: a slip is the rate of something alike the gap, and laws are plain numbers.
void check_contacts(Elaboration& e, UnitCheck& check, const std::optional<Dimension>& energy) {
  for (Contact& contact : e.model.contacts) {
    std::string wrong;
    Measure gap = check.of(contact.gap, wrong);
    // A load is a force: the way that belongs to it is a length where it is a force of the mechanics.
    if (!contact.restitution && gap.known()) gap = energy ? Measure::of(energy->times(gap.unit, -1)) : Measure{};
    const auto say = [&](const std::string& what) {
      e.scope.error(contact.place, "the units of the contact '" + contact.name + "' do not fit: " + what);
    };
    if (!wrong.empty()) say(wrong);
    const auto number = [&](Expr law, const char* what) {
      const Measure unit = law ? check.of(law) : Measure{};
      if (unit.known() && !(unit.unit == Dimension{})) say(std::string(what) + " is a number, not " + unit.unit.text());
    };
    number(contact.restitution, "the restitution");
    if (gap.known()) contact.gap_unit = gap.unit.shown();
    if (gap.known() && energy) contact.force_unit = energy->times(gap.unit, -1).shown();
    if (contact.friction.empty()) continue;
    number(contact.friction[0].coefficient, "the friction coefficient");
    number(contact.friction[0].at_rest, "the friction coefficient");
    for (const Expr slip : contact.friction[0].slip) {
      wrong.clear();
      const Measure unit = check.of(slip, wrong);
      if (!wrong.empty()) say(wrong);
      if (!unit.known()) continue;
      if (gap.known() && !(unit.unit == gap.unit.times(a_second, -1)))
        say("its slip is " + unit.unit.text() + ", and must be " + gap.unit.times(a_second, -1).text());
      contact.slip_unit = unit.unit.shown();
    }
  }
}

/// Sums in all that was written; what must have the unit of another: an initial value, what an event sets, a rate, a
/// force.
void check_fit(Elaboration& e, UnitCheck& check, const std::optional<Dimension>& energy) {
  using Fit = Elaboration::Sized::Fit;
  for (const Elaboration::Sized& one : e.sized) {
    std::string wrong;
    const Measure value = check.of(one.value, wrong);
    if (!wrong.empty()) e.scope.error(one.place, "the units do not fit: " + wrong, plain_numbers);
    if (one.fit == Fit::none || !value.known() || !wrong.empty()) continue;
    const Measure other = one.other ? check.of(one.other, wrong) : Measure::number();
    const bool by_energy = one.fit == Fit::force || one.fit == Fit::power || one.fit == Fit::momentum;
    if (other.is == Measure::Is::unknown || (one.fit == Fit::same && !other.known())) continue;
    if (!wrong.empty() || (by_energy && !energy)) continue;
    Dimension wanted = by_energy ? *energy : other.unit;
    if (one.fit == Fit::force || one.fit == Fit::momentum) wanted = wanted.times(other.unit, -1);
    if (one.fit == Fit::momentum) wanted = wanted.times(a_second);
    if (one.fit == Fit::rate || one.fit == Fit::power) wanted = wanted.times(a_second, -1);
    if (!(value.unit == wanted))
      e.scope.error(one.place, "the units do not fit: this is " + value.unit.text() + ", and must be " + wanted.text());
  }
}

/// The unit that all energies of the user have.
std::optional<Dimension> unit_of_energies(Elaboration& e, UnitCheck& check) {
  std::optional<Dimension> energy;
  for (const Elaboration::Sized& one : e.sized) {
    if (!one.energy) continue;
    std::string wrong;
    const Measure unit = check.of(one.value, wrong);
    if (!wrong.empty()) e.scope.error(one.place, "the units do not fit: " + wrong, plain_numbers);
    if (!unit.known()) continue;
    if (energy && !(*energy == unit.unit))
      e.scope.error(one.place,
                    "the units do not fit: this energy is " + unit.unit.text() + ", another " + energy->text());
    energy = unit.unit;
  }
  return energy;
}

void name_units(std::vector<Block>& blocks, const Exprs& values, UnitCheck& check) {
  for (Block& block : blocks) {
    if (!block.unit.empty() || block.size == 0) continue;
    const auto first = values.begin() + block.first;
    const Measure unit = check.of(*first);
    const bool same = unit.known() && std::all_of(first, first + block.size, [&](Expr value) {
                        const Measure other = check.of(value);
                        return other.known() && other.unit == unit.unit;
                      });
    if (same) block.unit = unit.unit.shown();
  }
}

}  // namespace

void check_unit_texts(Elaboration& e) {
  for (const Declaration& d : e.scope.declarations()) {
    if (d.unit.empty()) continue;
    const auto [unit, hint] = read_unit(d.unit);
    if (!unit)
      e.scope.error(d.place, "'" + d.unit + "' is no unit", hint.empty() ? "as in \"kg\", \"m/s^2\", \"N*m\"" : hint);
  }
}

void check_units(Elaboration& e, const Expansion& expansion) {
  UnitCheck check(e.scope.graph());
  if (!give_declared(e, check)) return;
  check_definitions(e, check);
  const ElementUnits units = check_element_units(e, expansion, check);
  give_auxiliaries(e, check);
  std::optional<Dimension> energy = unit_of_energies(e, check);
  const std::optional<Dimension> of_elements = units.energy();
  if (energy && of_elements && !(*energy == *of_elements))
    for (const Elaboration::Sized& one : e.sized) {
      if (!one.energy || !check.of(one.value).known()) continue;
      e.scope.error(one.place, "the units do not fit: this energy is " + energy->text() + ", that of the bodies " +
                                   of_elements->text());
      break;
    }
  if (!energy) energy = of_elements;
  if (energy) e.model.energy_unit = energy->shown();
  give_multipliers(e, check, energy);
  give_reactions(e, expansion, check, units);
  check_contacts(e, check, energy);
  for (const Declaration& d : e.scope.declarations())
    for (std::size_t i = 0; d.kind == Kind::momentum && d.partner && i < d.symbols.size(); ++i)
      e.sized.push_back({d.place, d.symbols[i], false, Elaboration::Sized::Fit::momentum, d.partner->symbols[i]});
  check_fit(e, check, energy);
  name_units(e.model.invariants, e.model.invariant_values, check);
  name_units(e.model.observed, e.model.observed_values, check);
}

}  // namespace alembert::internal
