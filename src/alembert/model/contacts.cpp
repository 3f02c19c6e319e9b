// contact: gaps that must not become negative, and what acts while they are closed.

#include <algorithm>
#include <map>

#include "alembert/expr/derivative.h"
#include "alembert/model/bodies/expand.h"
#include "alembert/model/elaborate.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace {

/// What makes a contact of friction alone, with its normal force behind it.
constexpr const char* load_word = "load";

/// A number of a law: its smallest and largest value, and what it is.
struct LawNumber {
  const char* word;
  const char* what;
  double most;
};

/// The value of a word, of parameters, time and coordinates; `otherwise` where it is not given, empty where it is
/// wrong.
Expr law_number(Elaboration& e, const Statement& s, const LawNumber& number, Expr otherwise) {
  const Term* term = value_of(s, number.word);
  if (!term) return otherwise;
  Scope& scope = e.scope;
  const Value value = scope.evaluate_scalar(*term, number.what);
  if (value.bad) return {};
  const Expr entry = value.entries[0];
  const unsigned content = scope.contents(entry);
  if (content & (holds_multiplier | holds_port | holds_z)) {
    scope.error(term->place, std::string(number.what) + " contains velocities, multipliers or ports",
                "it is a number, or a function of time and coordinates");
    return {};
  }
  if (content & (holds_time | holds_q)) return entry;  // it is looked at when it is used
  std::string missing;
  const std::optional<Quad> known = scope.number(entry, missing, Use::check);
  const double x = known ? static_cast<double>(*known) : 0;
  if (x >= 0 && x <= number.most) return entry;
  const std::string range = number.most < 2 ? "between 0 and 1" : "at least 0";
  scope.error(term->place, std::string(number.what) + " must be " + range + ", not " + to_text(x));
  return {};
}

/// The gap: what may not become negative.
Expr gap_of(Elaboration& e, const Statement& s, const std::string& name) {
  Scope& scope = e.scope;
  const std::string what = "each side of '" + name + "'";
  const Value left = scope.evaluate_scalar(*s.left, what), right = scope.evaluate_scalar(*s.right, what);
  if (left.bad || right.bad) return {};
  const Expr gap = s.string == "<=" ? right.entries[0] - left.entries[0] : left.entries[0] - right.entries[0];
  const unsigned content = scope.contents(gap);
  if (content & (holds_z | holds_multiplier | holds_port)) {
    scope.error(s.left->place, "the gap of '" + name + "' contains velocities, multipliers or ports",
                "a gap is a length: a function of the coordinates and the time");
    return {};
  }
  if (!(content & holds_q)) {
    scope.error(s.left->place, "the gap of '" + name + "' contains no coordinate",
                "a gap is a length: a function of the coordinates and the time");
    return {};
  }
  return gap;
}

/// Whether friction can act along this: a velocity of the coordinates. What is wrong with it is said.
bool sound_slip(Elaboration& e, Expr entry, const Place& place, const std::string& name) {
  Scope& scope = e.scope;
  const Exprs& velocities = e.model.form == Form::lagrangian ? e.model.v : e.model.p;
  const unsigned content = scope.contents(entry);
  if (!(content & holds_z) || (content & (holds_multiplier | holds_port))) {
    scope.error(place, "the slip of '" + name + "' is no velocity", "friction acts along a velocity: along x'");
    return false;
  }
  if (depends(jacobian(Exprs{entry}, velocities).value, velocities)) {
    scope.error(place, "the slip of '" + name + "' is not linear in the velocities");
    return false;
  }
  for (const Declaration& d : scope.declarations())
    if (d.auxiliary && d.ready && depends(entry, d.velocities)) {
      scope.error(place, "the slip of '" + name + "' contains the rate of '" + d.name + "'",
                  "write it in the velocities of the coordinates");
      return false;
    }
  return true;
}

/// The entries of the slip that a word gives; false where one of them is none.
bool slip_of(Elaboration& e, const Statement& s, const std::string& word, const std::string& name, Exprs& slip) {
  bool sound = true;
  for (const Item& item : s.items) {
    if (item.target.text != word || !item.value) continue;
    const Value value = e.scope.evaluate(*item.value);
    if (!value.bad && (value.shape.size() > 1 || slip.size() + value.entries.size() > 2)) {
      e.scope.error(item.value->place, "'" + name + "' has one or two slip velocities",
                    "scalars: along x' - R*w, or along x', y'");
      return false;
    }
    sound = sound && !value.bad;
    for (const Expr entry : value.bad ? Exprs() : value.entries) {
      sound = sound_slip(e, entry, item.value->place, name) && sound;
      slip.push_back(entry);
    }
  }
  return sound;
}

constexpr double no_limit = 1e300;  // of a coefficient that may be any number

/// Whether the words of friction are given that belong to each other. What is missing is said.
bool whole_friction(Elaboration& e, const Statement& s, const std::string& name) {
  const Term* mu = value_of(s, "friction");
  bool whole = true;
  const auto lacks = [&](const Term* given, const std::string& what, const std::string& hint) {
    e.scope.error(given->place, what, hint);
    whole = false;
  };
  if (const Term* at_rest = value_of(s, "static"); at_rest && !mu)
    lacks(at_rest, "'static' belongs to 'friction'", "as in: friction 0.3 static 0.4 along x'");
  if (find_item(s, "along") && !mu)
    lacks(value_of(s, "along"), "'along' belongs to 'friction'", "as in: friction 0.3 along x'");
  if (mu && !find_item(s, "along"))
    lacks(mu, "the friction of '" + name + "' has no direction", "name its slip velocities: friction 0.3 along x'");
  for (const char* word : {"rolling", "drilling"})
    if (const Term* given = value_of(s, word); given && !find_item(s, std::string(word) + " rate"))
      lacks(given, "'" + std::string(word) + "' belongs to contacts between bodies",
            "as in: contact c from ball sphere 0.1 to ground plane rolling 0.01");
  return whole;
}

/// Friction along slips; all that is wrong with it is said, and then it is false.
bool add_friction(Elaboration& e, const Statement& s, Contact& contact) {
  Scope& scope = e.scope;
  const auto add = [&](const LawNumber& number, const LawNumber& resting, const std::string& along) {
    if (!value_of(s, number.word)) return true;
    Friction friction;
    friction.coefficient = law_number(e, s, number, {});
    friction.at_rest = law_number(e, s, resting, friction.coefficient);
    const bool slips = slip_of(e, s, along, contact.name, friction.slip);
    if (!friction.coefficient || !friction.at_rest || !slips) return false;
    if (is_zero(friction.coefficient) && is_zero(friction.at_rest)) return true;
    contact.friction.push_back(std::move(friction));
    return true;
  };
  bool sound = whole_friction(e, s, contact.name);
  sound = add({"friction", "the friction coefficient", no_limit}, {"static", "the coefficient at rest", no_limit},
              "along") &&
          sound;
  sound = add({"rolling", "the rolling resistance", no_limit}, {"", "", no_limit}, rolling_rate) && sound;
  sound = add({"drilling", "the drilling resistance", no_limit}, {"", "", no_limit}, drilling_rate) && sound;
  const Term* at_rest = value_of(s, "static");
  if (sound && at_rest && !contact.friction.empty()) {
    std::string missing;
    const Friction& first = contact.friction[0];
    const bool changes = (scope.contents(first.coefficient) | scope.contents(first.at_rest)) & (holds_time | holds_q);
    if (!changes && scope.number(first.at_rest - first.coefficient, missing, Use::check).value_or(0) < 0) {
      scope.error(at_rest->place, "the coefficient at rest is below that of sliding",
                  "friction 0.3 static 0.4: it takes more to start sliding than to go on");
      sound = false;
    }
  }
  if (e.model.form == Form::hamiltonian && !contact.friction.empty()) {
    scope.error(s.place, "friction in contacts needs velocities, and the Hamiltonian form has momenta",
                "write this model in the Lagrangian form");
    sound = false;
  }
  return sound;
}

/// What shapes and joints say that stand behind a contact: lengths, axes, limits. False where one of them is wrong.
bool sound_shapes(Elaboration& e, const Statement& s) {
  Scope& scope = e.scope;
  bool sound = true;
  const auto wrong = [&](const Place& place, const std::string& what, const std::string& hint = "") {
    scope.error(place, what, hint);
    sound = false;
  };
  const auto known = [&](Expr value) -> std::optional<double> {
    std::string missing;
    if (scope.contents(value) & (holds_time | holds_q | holds_z | holds_multiplier | holds_port)) return {};
    const std::optional<Quad> number = scope.number(value, missing, Use::check);
    return number ? std::optional<double>(static_cast<double>(*number)) : std::nullopt;
  };
  for (const Item& item : s.items) {
    const std::string& word = item.target.text;
    const bool radius = word == "sphere" || word == "disk";
    if (!item.value || (!radius && word != "axis" && word != "limits")) continue;
    const Value value = scope.evaluate(*item.value);
    sound = sound && !value.bad;
    std::vector<double> numbers;
    for (const Expr entry : value.entries)
      if (const std::optional<double> number = known(entry)) numbers.push_back(*number);
    if (value.bad || numbers.size() != value.entries.size()) continue;
    const Place& place = item.value->place;
    if (radius && numbers[0] < 0) wrong(place, "the radius must be at least 0, not " + to_text(numbers[0]));
    if (word == "axis" && std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0; }))
      wrong(place, "an axis has a direction, and this one is 0");
    if (word == "limits" && numbers.size() == 2 && numbers[1] < numbers[0])
      wrong(place, "the upper limit is below the lower one", "as in: limits (0, pi/2)");
  }
  return sound;
}

/// The normal force of friction in a joint or a constraint.
Expr load_of(Elaboration& e, const Statement& s, const std::string& name) {
  Scope& scope = e.scope;
  const Term& term = *value_of(s, load_word);
  const Value value = scope.evaluate_scalar(term, "the load of '" + name + "'");
  if (value.bad) return {};
  if (scope.contents(value.entries[0]) & holds_port) {
    scope.error(term.place, "the load of '" + name + "' contains ports");
    return {};
  }
  if (s.left || value_of(s, "from")) {
    scope.error(term.place, "'" + name + "' has a load and a gap, whose force is the normal force already",
                "leave one of them out");
    return {};
  }
  for (const char* word : {"restitution", "law"})
    if (const Term* given = value_of(s, word)) {
      scope.error(given->place, "'" + std::string(word) + "' belongs to a gap, and '" + name + "' has none");
      return {};
    }
  if (!value_of(s, "friction")) {
    scope.error(term.place, "the load of '" + name + "' presses nothing: there is no friction",
                "as in: contact pin load norm(hinge.force) friction 0.2 along 0.01*hinge.rate");
    return {};
  }
  return value.entries[0];
}

bool add_contact(Elaboration& e, const Statement& s, const std::string& name) {
  Contact contact;
  contact.name = name;
  contact.place = s.label->place;
  if (value_of(s, load_word)) {
    contact.gap = load_of(e, s, name);
    if (!add_friction(e, s, contact) || !contact.gap) return false;
    if (!contact.friction.empty()) e.model.contacts.push_back(std::move(contact));
    return true;
  }
  contact.gap = gap_of(e, s, name);
  contact.restitution = law_number(e, s, {"restitution", "the restitution", 1}, e.scope.graph().constant(0));
  bool sound = true;
  if (const Term* law = value_of(s, "law")) {
    contact.poisson = law->text == "poisson";
    if (law->form != Term::Form::name || (!contact.poisson && law->text != "newton")) {
      e.scope.error(law->place, "there is no law '" + print(*law) + "' of restitution", "it is 'newton' or 'poisson'");
      sound = false;
    }
  }
  sound = sound_shapes(e, s) && sound;
  sound = add_friction(e, s, contact) && sound;
  if (!sound || !contact.gap || !contact.restitution) return false;
  e.model.contacts.push_back(std::move(contact));
  return true;
}

/// What acts in a contact is an own symbol for each: modes say what it is. A vector where there are two slips.
Value acting_value(Elaboration& e, Contact& contact, const std::string& what, const Place& use) {
  Scope& scope = e.scope;
  if (!scope.contacts_known) {
    scope.error(use, "'" + contact.name + "." + what + "' changes by jumps, and is known to 'observe' only",
                what == "state"
                    ? "the changes of a contact are listed as events; conditions may contain its gap and slip"
                    : "conditions and forces may contain its gap and slip: " + contact.name + ".gap");
    return Value::failed();
  }
  const auto symbol = [&](const std::string& name) {
    const Expr made = scope.graph().symbol(name);
    scope.mark(made, holds_contact);
    return made;
  };
  if (what != "friction") {
    Expr& one = what == "force" ? contact.force : contact.state;
    if (!one) one = symbol(contact.name + "." + what);
    return Value::scalar(one);
  }
  const std::size_t size = contact.friction[0].slip.size();
  while (contact.tangential.size() < size)
    contact.tangential.push_back(symbol(contact.name + ".friction " + std::to_string(contact.tangential.size() + 1)));
  return {size > 1 ? ArrayShape{static_cast<int>(size)} : ArrayShape{}, contact.tangential, false};
}

/// NAME.gap, NAME.slip, NAME.force, NAME.friction and NAME.state, as the columns are called.
void declare_quantities(Elaboration& e) {
  for (std::size_t i = 0; i < e.model.contacts.size(); ++i) {
    const Contact& contact = e.model.contacts[i];
    for (const std::string what : {"gap", "slip", "force", "friction", "state"}) {
      const bool of_friction = what == "slip" || what == "friction";
      const Term name{Term::Form::name, contact.place, contact.name + "." + what, {}};
      const bool none = of_friction ? contact.friction.empty() : what == "gap" && !contact.restitution;
      if (none || e.scope.find(name.text)) continue;
      Declaration* d = e.scope.declare(Kind::let, name, nullptr);
      if (!d) continue;
      d->imported = true;
      d->made = [&e, i, what](const Place& use) {
        Contact& one = e.model.contacts[i];
        if (what == "gap") return Value::scalar(one.gap);
        if (what != "slip") return acting_value(e, one, what, use);
        const Exprs& slip = one.friction[0].slip;
        return Value{slip.size() > 1 ? ArrayShape{static_cast<int>(slip.size())} : ArrayShape{}, slip, false};
      };
    }
  }
}

/// The indices in the brackets of a label: contact c[i]: ... is the family c.
bool label_indices(Elaboration& e, const Term& label, std::vector<long>& index) {
  std::vector<const Term*> brackets;
  for (const Term* root = &label; root->form == Term::Form::index; root = &root->parts[0])
    brackets.insert(brackets.begin(), &root->parts[1]);
  if (brackets.empty()) return true;
  index.clear();
  for (const Term* bracket : brackets) {
    const std::optional<long> number = e.scope.whole(*bracket, "an index of a contact");
    if (!number) return false;
    index.push_back(*number);
  }
  return true;
}

}  // namespace

void make_contacts(Elaboration& e) {
  Scope& scope = e.scope;
  const bool mechanics = e.model.form == Form::lagrangian || e.model.form == Form::hamiltonian || e.model.multibody;
  e.each("contact", [&](const Statement& s) {
    if (!s.label || (!value_of(s, load_word) && (!s.left || !s.right))) return;
    if (!mechanics) {
      scope.error(s.place, std::string("the ") + form_name(e.model.form) + " form has no contacts",
                  "write the model in the Lagrangian form (kinetic, potential)");
      return;
    }
    const Term* root = &root_of(*s.label);
    std::vector<const Term*> terms = {&*s.label};
    for (const std::optional<Term>* side : {&s.left, &s.right})
      if (*side) terms.push_back(&**side);
    for (const Item& item : s.items)
      if (item.value && item.target.text != "law") terms.push_back(&*item.value);
    scope.loop(s.ranges, terms, [&](const std::vector<long>& index) {
      std::vector<long> shown = index;
      const bool made = label_indices(e, *s.label, shown) && add_contact(e, s, root->text + brackets(shown));
      if (!made) scope.lost.insert(root->text);  // what it would have made is missed by others
      return made;
    });
  });
  std::vector<Contact>& contacts = e.model.contacts;
  std::stable_sort(contacts.begin(), contacts.end(), [](const Contact& a, const Contact& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  std::map<std::string, Place> names;
  for (const Contact& contact : contacts)
    if (const auto [first, fresh] = names.emplace(contact.name, contact.place); !fresh)
      scope.error(contact.place, "there are two contacts '" + contact.name + "'",
                  "the first is in line " + std::to_string(first->second.line));
  declare_quantities(e);
}

}  // namespace alembert::internal
