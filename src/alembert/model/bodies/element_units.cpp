// What the words of elements measure, and the units that follow for what elements make.

#include <algorithm>
#include <unordered_map>

#include "alembert/model/bodies/expand.h"
#include "alembert/model/elaborate.h"
#include "alembert/model/unit_check.h"

namespace alembert::internal {

namespace {

/// Powers of mass, length and time.
struct Role {
  const char* name;
  double mass, length, time;
};
constexpr Role number_role{"a plain number", 0, 0, 0}, length_role{"a length", 0, 1, 0}, mass_role{"a mass", 1, 0, 0},
    inertia_role{"a moment of inertia", 1, 2, 0}, rate_role{"an angular velocity", 0, 0, -1},
    speed_role{"a velocity", 0, 1, -1}, acceleration_role{"an acceleration", 0, 1, -2}, force_role{"a force", 1, 1, -2},
    torque_role{"a torque", 1, 2, -2}, stiffness_role{"a force by a length", 1, 0, -2},
    damping_role{"a force by a velocity", 1, 0, -1}, turning_stiffness_role{"a torque by an angle", 1, 2, -2},
    turning_damping_role{"a torque by an angular velocity", 1, 2, -1};

struct WordRole {
  const char* keyword;
  const char* word;
  Role role;
};
const WordRole word_roles[] = {{"body", "mass", mass_role},
                               {"body", "inertia", inertia_role},
                               {"body", "at", length_role},
                               {"body", "velocity", speed_role},
                               {"body", "spin", rate_role},
                               {"body", "omega", rate_role},
                               {"body", "angle", number_role},
                               {"body", "angles", number_role},
                               {"body", "rotated", number_role},
                               {"body", "turned", number_role},
                               {"joint", "point", length_role},
                               {"joint", placed_at, length_role},
                               {"joint", "length", length_role},
                               {"joint", "radius", length_role},
                               {"joint", "zero", number_role},
                               {"joint", "restitution", number_role},
                               {"drive", "angle", number_role},
                               {"drive", "angle1", number_role},
                               {"drive", "angle2", number_role},
                               {"drive", "distance", length_role},
                               {"drive", "torque", torque_role},
                               {"drive", "torque1", torque_role},
                               {"drive", "torque2", torque_role},
                               {"drive", "force", force_role},
                               {"load", "point", length_role},
                               {"load", "force", force_role},
                               {"load", "torque", torque_role},
                               {"spring", "point", length_role},
                               {"spring", placed_at, length_role},
                               {"spring", "length", length_role},
                               {"spring", "stiffness", stiffness_role},
                               {"spring", "damping", damping_role},
                               {"contact", "point", length_role},
                               {"contact", placed_at, length_role},
                               {"contact", "sphere", length_role},
                               {"contact", "box", length_role},
                               {"contact", "disk", length_role},
                               {"contact", "ellipsoid", length_role},
                               {"contact", "rolling", length_role},
                               {"contact", "drilling", length_role}};

const char* word_text(const Statement& s, const char* word) {
  for (const Item& item : s.items)
    if (item.target.text == word) return item.value ? item.value->text.c_str() : "";
  return nullptr;
}

/// Whether a torsion spring or the limits of a joint are along a distance.
bool slides(const Expansion& expansion, const Statement& s) {
  const char* name = s.keyword == "torsion" ? word_text(s, "joint") : s.label->text.c_str();
  for (const char* angle : {"angle", "angle1", "angle2"})
    if (s.keyword == "torsion" && word_text(s, angle)) return false;
  if (s.keyword == "torsion" && word_text(s, "distance")) return true;
  return name && std::any_of(expansion.joints.begin(), expansion.joints.end(), [&](const ExpandedJoint& joint) {
           return joint.name == name && joint.kind == "prismatic";
         });
}

std::optional<Role> role_of(const Expansion& expansion, const Statement& s, const std::string& word) {
  if (s.keyword == "torsion") {
    const bool along = slides(expansion, s);
    if (word == "stiffness") return along ? stiffness_role : turning_stiffness_role;
    if (word == "damping") return along ? damping_role : turning_damping_role;
    if (word == "rest") return along ? length_role : number_role;
  }
  if (s.keyword == "joint" && word == "limits") return slides(expansion, s) ? length_role : number_role;
  for (const WordRole& one : word_roles)
    if (s.keyword == one.keyword && word == one.word) return one.role;
  return {};
}

class ElementCheck {
 public:
  ElementCheck(Elaboration& e, const Expansion& expansion, UnitCheck& check)
      : e_(e), expansion_(expansion), check_(check) {
    for (const ExpandedBody& body : expansion.bodies) add(*body.statement);
    for (const ExpandedJoint& joint : expansion.joints) add(*joint.statement);
    for (const Statement* other : expansion.others) add(*other);
    if (expansion.gravity) add(acceleration_role, *expansion.gravity);
  }

  ElementUnits run() {
    find_length();
    find_mass();
    for (const Word& word : words_) {
      std::string wrong;
      for (const Expr entry : word.value.entries) {
        const Measure unit = check_.of(entry, wrong);
        if (wrong.empty()) refuse_unfit(word, unit);
      }
      if (!wrong.empty()) e_.scope.error(word.term->place, "the units do not fit: " + wrong);
    }
    return units_;
  }

  std::optional<Dimension> wanted(const Role& role) const {
    if ((role.mass != 0 && !units_.mass) || (role.length != 0 && !units_.length)) return {};
    Dimension result;
    if (role.mass != 0) result = result.times(*units_.mass, role.mass);
    if (role.length != 0) result = result.times(*units_.length, role.length);
    return result.times(second_, role.time);
  }

 private:
  struct Word {
    Role role;
    const Term* term;
    Value value;
  };

  void add(const Statement& s) {
    for (const Item& item : s.items)
      if (const std::optional<Role> role = role_of(expansion_, s, item.target.text); role && item.value)
        add(*role, *item.value);
  }
  void add(const Role& role, const Term& term) {
    Value value = e_.scope.evaluate(term);
    if (!value.bad) words_.push_back({role, &term, std::move(value)});
  }

  /// A word that has one of the base units, or a unit of the user's own.
  static bool is_base(const Dimension& unit, const char* base) {
    static const char* const others[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    if (unit.powers.size() != 1 || unit.powers.begin()->second != 1) return false;
    const std::string& name = unit.powers.begin()->first;
    return name == base ||
           std::none_of(std::begin(others), std::end(others), [&](const char* other) { return name == other; });
  }

  /// The first word from which a base unit follows.
  void find(std::optional<Dimension>& unit, const char* base, const auto& of_word) {
    for (const Word& word : words_)
      for (const Expr entry : word.value.entries) {
        const Measure measure = check_.of(entry);
        const std::optional<Dimension> found = measure.known() ? of_word(word.role, measure.unit) : std::nullopt;
        if (!unit && found && is_base(*found, base)) unit = found;
      }
  }

  void find_length() {
    for (const double mass : {0.0, 1.0})  // the plainest words first
      find(units_.length, "m", [&](const Role& role, const Dimension& unit) -> std::optional<Dimension> {
        if (role.mass != 0 || role.length != 1 || (mass == 0) != (role.time == 0)) return {};
        return unit.times(second_, -role.time);
      });
  }

  void find_mass() {
    find(units_.mass, "kg", [&](const Role& role, const Dimension& unit) -> std::optional<Dimension> {
      return role.mass == 1 && role.length == 0 && role.time == 0 ? std::optional(unit) : std::nullopt;
    });
    find(units_.mass, "kg", [&](const Role& role, const Dimension& unit) -> std::optional<Dimension> {
      if (role.mass != 1 || (role.length != 0 && !units_.length)) return {};
      const Dimension rest = unit.times(second_, -role.time);
      return role.length != 0 ? rest.times(*units_.length, -role.length) : rest;
    });
  }

  void refuse_unfit(const Word& word, const Measure& unit) {
    if (!unit.known()) return;
    const std::optional<Dimension> must = wanted(word.role);
    const std::string is = "the units do not fit: this is " + unit.unit.text() + ", and must be ";
    // Without a unit to compare with it may still be no length, and no mass.
    const bool base = word.role.time == 0 && word.role.length + word.role.mass == 1;
    if (must && !(unit.unit == *must))
      e_.scope.error(word.term->place, is + word.role.name + (must->powers.empty() ? "" : ", " + must->text()));
    else if (!must && base) e_.scope.error(word.term->place, is + word.role.name);
  }

  Elaboration& e_;
  const Expansion& expansion_;
  UnitCheck& check_;
  std::vector<Word> words_;
  ElementUnits units_;
  const Dimension second_{{{"s", 1}}, 1};
};

void give_coordinates(Elaboration& e, const Expansion& expansion, UnitCheck& check, const ElementUnits& units) {
  const Dimension second{{{"s", 1}}, 1};
  std::unordered_map<std::string, Block*> blocks;
  for (Block& block : e.model.coordinates) blocks[block.name] = &block;
  const auto name_unit = [&](const std::string& name, const std::string& shown) {
    if (const auto found = blocks.find(name); found != blocks.end()) found->second->unit = shown;
  };
  const auto give = [&](const std::string& name, const Measure& unit, const std::string& shown) {
    const Declaration* d = e.scope.find(name);
    if (!d || !d->ready) return;
    for (const Expr symbol : d->symbols) check.give(symbol, unit);
    const Measure rate =
        unit.known() ? Measure::of(unit.unit.times(second, -1)) : Measure::of(Dimension{}.times(second, -1));
    for (const Expr velocity : d->velocities) check.give(velocity, unit.is == Measure::Is::unknown ? unit : rate);
    name_unit(name, shown);
  };
  for (const ExpandedBody& body : expansion.bodies) {
    give(body.name + ".r", Measure::of(units.length), units.length ? units.length->shown() : "");
    give(body.name + ".e", Measure::number(), "");
    for (const char* angle : {".phi", ".angles"}) give(body.name + angle, Measure::number(), "rad");
  }
  for (const ExpandedJoint& joint : expansion.joints)
    for (const char* angle : {".angle", ".angle1", ".angle2"}) name_unit(joint.name + angle, "rad");
}

}  // namespace

std::optional<Dimension> ElementUnits::energy() const {
  if (!length || !mass) return {};
  return mass->times(*length, 2).times({{{"s", 1}}, 1}, -2);
}

ElementUnits check_element_units(Elaboration& e, const Expansion& expansion, UnitCheck& check) {
  ElementUnits units = ElementCheck(e, expansion, check).run();
  give_coordinates(e, expansion, check, units);
  return units;
}

void give_reactions(Elaboration& e, const Expansion& expansion, UnitCheck& check, const ElementUnits& units) {
  const std::optional<Dimension> energy = units.energy();
  const Measure torque = Measure::of(energy),
                force = Measure::of(energy ? std::optional(energy->times(*units.length, -1)) : std::nullopt);
  const auto give = [&](const Exprs& entries, const Measure& unit) {
    for (const Expr entry : entries)
      if (!is_constant(entry)) check.give(entry, unit);
  };
  for (const Joint& joint : e.model.joints) {
    give(joint.force, force);
    give(joint.moment, torque);
  }
  for (const Contact& contact : e.model.contacts) {
    if (contact.force) give({contact.force}, force);
    give(contact.tangential, force);
  }
  for (const Statement* other : expansion.others)
    for (const char* word : {".force", ".torque", ".torque1", ".torque2"}) {
      if (other->keyword == "contact") continue;
      const std::string name = other->label->text + word;
      Declaration* d = e.scope.find(name);
      if (!d || d->kind != Kind::let || !d->arguments.empty()) continue;
      const Value value = e.scope.let_value(*d, other->label->place);
      if (!value.bad) give(value.entries, word[1] == 'f' ? force : torque);
    }
}

}  // namespace alembert::internal
