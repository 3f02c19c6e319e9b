// event, stop and density: what is found on the way, and where steps lie.

#include <algorithm>
#include <map>

#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

/// left - right; reports what cannot become 0 at some time.
Expr event_value(Scope& scope, const Statement& s, const std::string& name) {
  const std::string what = "each side of '" + name + "'";
  const Value left = scope.evaluate_scalar(*s.left, what), right = scope.evaluate_scalar(*s.right, what);
  if (left.bad || right.bad) return {};
  const Expr value = left.entries[0] - right.entries[0];
  if (scope.contents(value) & holds_contact) {
    scope.error(s.left->place, "'" + name + "' contains what acts in a contact, which changes by jumps",
                "it is known to 'observe' only; conditions may contain the gap and the slip of a contact");
    return {};
  }
  if (scope.contents(value) & (holds_time | holds_q | holds_z | holds_multiplier | holds_port)) return value;
  scope.error(s.left->place, "the two sides of '" + name + "' never change",
              "an event compares coordinates, velocities, multipliers or the time t");
  return {};
}

int direction_of(const Statement& s) { return s.string == "rising" ? 1 : s.string == "falling" ? -1 : 0; }

/// The name of an event as its label has it, with the values of its indices; "" where they have none.
std::string name_with_indices(Scope& scope, const Term& label) {
  std::vector<long> indices;
  const Term* root = &label;
  for (; root->form == Term::Form::index; root = &root->parts[0]) {
    const std::optional<long> number = scope.whole(root->parts[1], "an index of an event");
    if (!number) return "";
    indices.insert(indices.begin(), *number);
  }
  std::string name = root->text;
  for (const long i : indices) {
    const std::size_t hole = name.find("[]");  // leg[].hit
    if (hole == std::string::npos) name += "[" + std::to_string(i) + "]";
    else name.insert(hole + 1, std::to_string(i));
  }
  return name;
}

void add_events(Elaboration& e, const char* keyword, bool stop, std::map<std::string, Place>& names) {
  int number = 0;
  e.each(keyword, [&](const Statement& s) {
    if (!s.left || !s.right) return;
    ++number;
    std::string name = stop ? "stop" : "event";
    if (s.label) {
      name = print(*s.label);
      const auto [first, fresh] = names.emplace(name, s.label->place);
      if (!fresh)
        e.scope.error(s.label->place, "there are two events '" + name + "'",
                      "the first is in line " + std::to_string(first->second.line));
    } else if (number > 1 || !stop) {
      name += " " + std::to_string(number);
    }
    // event cross[i]: ... is the family cross, as event cross: ... for i = 1..N.
    const bool indexed = s.label && s.label->form == Term::Form::index;
    std::vector<const Term*> terms = {&*s.left, &*s.right};
    if (indexed) terms.push_back(&s.label->parts[1]);
    e.scope.loop(s.ranges, terms, [&](const std::vector<long>& index) {
      const std::string own = indexed ? name_with_indices(e.scope, *s.label) : name + brackets(index);
      const Expr value = own.empty() ? Expr() : event_value(e.scope, s, own);
      if (!value) return false;
      e.sized.push_back({s.left->place, value});
      e.model.events.push_back({own, value, stop, s.place, direction_of(s), 0, {}});
      return true;
    });
  });
}

/// Whether there is such an event, with an error of its own; adds the names of those that have one.
bool is_refused(Elaboration& e, const std::string& name, std::vector<std::string>& names) {
  const std::string head = name.substr(0, name.find('['));
  bool refused = e.scope.lost.contains(name.substr(0, name.find_first_of(".[")));
  e.each("event", [&](const Statement& s) {
    if (!s.label) return;
    const Term* root = &*s.label;
    while (root->form == Term::Form::index) root = &root->parts[0];
    refused |= root->text == head;
    names.push_back(root->text);
  });
  names.insert(names.end(), e.scope.lost.begin(), e.scope.lost.end());
  return refused;
}

/// How contacts change, as their events are called.
constexpr const char* kinds_of_changes[] = {"impact", "close", "open", "stick", "slip", "reverse"};

/// Why a contact never changes so; "" where it does.
std::string never(const Contact& contact, const std::string& kind) {
  const bool of_friction = kind == "stick" || kind == "slip" || kind == "reverse";
  if (of_friction && contact.friction.empty()) return "'" + contact.name + "' has no friction";
  if (!of_friction && !contact.restitution) return "'" + contact.name + "' has a load and no gap";
  return "";
}

/// The changes of contacts that a name means: `floor` the impacts of the contact, or of all of its family, `floor.open`
/// its releases.
std::vector<Event*> changes_named(Elaboration& e, const Term& label, const std::string& name) {
  const auto is = [](const Contact& contact, const std::string& word) {
    return contact.name == word || contact.name.starts_with(word + "[");
  };
  std::string of = name, kind = "impact";
  const auto known = [&](const Contact& contact) { return is(contact, of); };
  const std::vector<Contact>& contacts = e.model.contacts;
  if (std::none_of(contacts.begin(), contacts.end(), known)) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return {};
    of = name.substr(0, dot);
    kind = name.substr(dot + 1);
    if (std::none_of(contacts.begin(), contacts.end(), known)) return {};
    const bool any =
        std::find(std::begin(kinds_of_changes), std::end(kinds_of_changes), kind) != std::end(kinds_of_changes);
    if (!any) {
      e.scope.error(label.place, "the contact '" + of + "' has no change '" + kind + "'",
                    "its changes are impact, close, open, stick, slip and reverse: " + of + ".open");
      return {};
    }
  }
  std::vector<std::size_t> places;
  std::vector<Event>& changes = e.model.contact_events;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!known(contacts[i])) continue;
    if (const std::string why = never(contacts[i], kind); !why.empty()) {
      e.scope.error(label.place, "there is no '" + kind + "' of '" + contacts[i].name + "': " + why,
                    contacts[i].restitution
                        ? "its changes are impact, close and open"
                        : "its changes are stick, slip and reverse: " + contacts[i].name + ".stick");
      return {};
    }
    const auto found = std::find_if(changes.begin(), changes.end(), [&](const Event& event) {
      return event.contact == static_cast<int>(i) && event.kind == kind;
    });
    places.push_back(static_cast<std::size_t>(found - changes.begin()));
    if (found != changes.end()) continue;
    Event event{contacts[i].name + (kind == "impact" ? "" : "." + kind), {}, false, label.place, 0, 0, {}};
    event.contact = static_cast<int>(i);
    event.kind = kind;
    changes.push_back(std::move(event));
  }
  std::vector<Event*> events;
  for (const std::size_t i : places) events.push_back(&changes[i]);
  return events;
}

std::vector<Event*> events_named(Elaboration& e, const Term& label) {
  const std::string name = name_with_indices(e.scope, label);
  std::vector<Event*> found;
  std::vector<std::string> names;
  if (name.empty()) return found;
  for (Event& event : e.model.events) {
    if (event.stop) continue;
    // The name of a family means all its members.
    if (event.name == name || event.name.starts_with(name + "[")) found.push_back(&event);
    names.push_back(event.name);
  }
  if (!found.empty() || is_refused(e, name, names)) return found;
  const std::size_t said = e.scope.errors.size();
  found = changes_named(e, label, name);
  if (!found.empty() || e.scope.errors.size() > said) return found;
  for (const Contact& contact : e.model.contacts) names.push_back(contact.name);
  const std::string near = nearest_name(name, names);
  e.scope.error(label.place, "there is no event '" + name + "'",
                near.empty() ? "declare it: event " + name + ": x = 0" : "did you mean '" + near + "'?");
  return found;
}

/// Where the entry of a target stands in the model.
std::optional<std::pair<Action::To, int>> place_of(const Elaboration& e, Expr symbol) {
  const Model& m = e.model;
  const auto in = [&](const Exprs& list) {
    const auto found = std::find(list.begin(), list.end(), symbol);
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
  };
  if (const int i = in(m.parameter_symbols); i >= 0) return std::pair(Action::To::parameter, i);
  // Of the auxiliary variables those with a closed form: the coordinates move with them.
  const std::size_t own = m.q.size() - m.auxiliary.size();
  const auto settable = [&](std::size_t i) { return i < own || m.auxiliary[i - own].value; };
  if (const int i = in(m.q); i >= 0 && settable(static_cast<std::size_t>(i))) return std::pair(Action::To::y, i);
  if (const int i = in(m.form == Form::lagrangian ? m.v : m.p); i >= 0) return std::pair(Action::To::z, i);
  return {};
}

/// False where an error was reported, as below.
bool add_action(Elaboration& e, const Item& item, Event& event, const Action& action, Expr target) {
  for (const Action& other : event.actions)
    if (other.to == action.to && other.entry == action.entry) {
      e.scope.error(item.target.place, "'" + action.name + "' is set twice by '" + event.name + "'",
                    "all that an event sets is made of the values before it");
      return false;
    }
  e.sized.push_back({item.value->place, action.value, false, Elaboration::Sized::Fit::same, target});
  event.actions.push_back(action);
  return true;
}

/// What follows from states: the rate of a joint.
bool add_prescribed(Elaboration& e, const Item& item, Event& event) {
  Scope& scope = e.scope;
  const std::vector<int> entries = prescribe(e, item.target);
  if (entries.empty()) return false;
  const ArrayShape shape = scope.evaluate(item.target).shape;
  const Value value = scope.fit(scope.evaluate(*item.value), shape, item.value->place, "'" + print(item.target) + "'");
  if (value.bad) return false;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Prescribed& one = e.model.prescribed[static_cast<std::size_t>(entries[k])];
    if (!add_action(e, item, event, {Action::To::prescribed, entries[k], value.entries[k], one.name}, one.value))
      return false;
  }
  return true;
}

/// What an item of `when` assigns; false where an error was reported.
bool add_actions(Elaboration& e, const Item& item, Event& event) {
  Scope& scope = e.scope;
  if (names_let(scope, item.target)) return add_prescribed(e, item, event);
  const std::optional<Target> target = scope.reference(
      item.target, {Kind::parameter, Kind::coordinate, Kind::momentum, Kind::variable, Kind::state}, "when");
  if (!target) return false;
  Declaration& d = *target->declaration;
  if (target->primed && (d.kind != Kind::coordinate || e.model.form != Form::lagrangian)) {
    scope.error(item.target.place, "'" + print(item.target) + "' cannot be set",
                d.kind == Kind::variable ? "its rate says how it goes on; set '" + d.name + "' itself"
                                         : "set the momenta or the velocities of the model");
    return false;
  }
  const Value value =
      scope.fit(scope.evaluate(*item.value), target->shape, item.value->place, "'" + print(item.target) + "'");
  if (value.bad) return false;
  const Exprs& symbols = target->primed ? d.velocities : d.symbols;
  for (std::size_t k = 0; k < value.entries.size(); ++k) {
    const Expr symbol = symbols[static_cast<std::size_t>(target->offset) + k];
    const auto place = place_of(e, symbol);
    const std::string& name = scope.graph().name(symbol.id());
    if (!place) {
      scope.error(item.target.place, "'" + name + "' cannot be set", "it follows from the other states");
      return false;
    }
    if (place->first == Action::To::parameter && scope.decided.contains(symbol.id())) {
      scope.error(item.target.place, "the parameter '" + name +
                                         "' decides sizes, ranges or points of tables and cannot change on the way");
      return false;
    }
    if (!add_action(e, item, event, {place->first, place->second, value.entries[k], name}, symbol)) return false;
  }
  return true;
}

/// when NAME: ..., and events of its own: when t = 5: ...
void add_resets(Elaboration& e) {
  Scope& scope = e.scope;
  e.each("when", [&](const Statement& s) {
    std::vector<const Term*> terms;
    if (s.label) terms.push_back(&*s.label);
    if (s.left) terms.push_back(&*s.left);
    if (s.right) terms.push_back(&*s.right);
    for (const Item& item : s.items) {
      terms.push_back(&item.target);
      if (item.value) terms.push_back(&*item.value);
    }
    if (terms.empty() || (!s.label && (!s.left || !s.right))) return;
    scope.loop(s.ranges, terms, [&](const std::vector<long>& index) {
      std::vector<Event*> events;
      if (s.label) {
        events = events_named(e, *s.label);
      } else {
        const std::string name = "when " + print(*s.left) + " = " + print(*s.right) + brackets(index);
        const Expr value = event_value(scope, s, name);
        if (!value) return false;
        e.sized.push_back({s.left->place, value});
        e.model.events.push_back({name, value, false, s.place, direction_of(s), 0, {}});
        events = {&e.model.events.back()};
      }
      for (Event* event : events)
        for (const Item& item : s.items)
          if (item.value && !add_actions(e, item, *event)) return false;
      return !events.empty();
    });
  });
}

void add_counts(Elaboration& e) {
  e.each("stop", [&](const Statement& s) {
    if (s.string != "after" || !s.left || !s.label) return;
    const std::optional<long> count = e.scope.whole(*s.left, "the number of events");
    if (!count) return;
    if (*count < 1) {
      e.scope.error(s.left->place, "the run cannot stop after " + std::to_string(*count) + " events");
      return;
    }
    const std::vector<Event*> events = events_named(e, *s.label);
    for (Event* event : events) {
      if (event->stop_after > 0) {
        e.scope.error(s.label->place, "'stop after' is given twice for '" + event->name + "'");
        return;
      }
      event->stop_after = *count;
      std::vector<Event>& list = event->contact < 0 ? e.model.events : e.model.contact_events;
      event->counted_with = static_cast<int>(events.front() - list.data());
    }
  });
}

}  // namespace

void make_events(Elaboration& e) {
  std::map<std::string, Place> names;
  e.each("event", [&](const Statement& s) {
    if (s.label && s.label->text == "stop")
      e.scope.error(s.label->place, "an event cannot be called 'stop'", "to end the run there write: stop when ...");
  });
  add_events(e, "event", false, names);
  add_events(e, "stop", true, names);
  add_resets(e);
  add_counts(e);

  const Statement* first = nullptr;
  e.each("density", [&](const Statement& s) {
    if (!s.left) return;
    if (first)
      e.scope.error(s.place, "there are two densities", "the first is in line " + std::to_string(first->place.line));
    first = &s;
    const Value v = e.scope.evaluate_scalar(*s.left, "the density of steps");
    if (v.bad) return;
    if (e.scope.contents(v) & (holds_multiplier | holds_port))
      e.scope.error(s.left->place, "the density of steps contains a multiplier", "it is a function of the state");
    e.sized.push_back({s.left->place, v.entries[0]});
    e.model.density = v.entries[0];
  });
}

}  // namespace alembert::internal
