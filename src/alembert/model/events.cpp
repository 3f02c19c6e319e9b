// event, stop and density: what is found on the way, and where steps lie.

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
  if (scope.contents(value) & (holds_time | holds_q | holds_z | holds_multiplier | holds_port)) return value;
  scope.error(s.left->place, "the two sides of '" + name + "' never change",
              "an event compares coordinates, velocities, multipliers or the time t");
  return {};
}

void add_events(Elaboration& e, const char* keyword, bool stop, std::map<std::string, Place>& names) {
  int number = 0;
  e.each(keyword, [&](const Statement& s) {
    ++number;
    if (!s.left || !s.right) return;
    std::string name = stop ? "stop" : "event";
    if (s.label) {
      name = s.label->text;
      const auto [first, fresh] = names.emplace(name, s.label->place);
      if (!fresh)
        e.scope.error(s.label->place, "there are two events '" + name + "'",
                      "the first is in line " + std::to_string(first->second.line));
    } else if (number > 1 || !stop) {
      name += " " + std::to_string(number);
    }
    e.scope.loop(s.ranges, {&*s.left, &*s.right}, [&](const std::vector<long>& index) {
      const Expr value = event_value(e.scope, s, name + brackets(index));
      if (value) e.model.events.push_back({name + brackets(index), value, stop, s.place});
      return static_cast<bool>(value);
    });
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
    e.model.density = v.entries[0];
  });
}

}  // namespace alembert::internal
