// What to say about a name that is not known.

#include <algorithm>
#include <utility>

#include "alembert/model/scope/scope_impl.h"

namespace alembert::internal {

namespace {

constexpr std::size_t most_hints = 200;  // unknown names that are compared with all others
constexpr std::size_t most_listed = 12;  // names in a hint

/// What bodies, joints, springs, motors and contacts make for the user; the rest of their names is ours.
const char* const made_by_elements[] = {"r",      "e",         "phi",      "angles",  "spin",   "omega",
                                        "point",  "direction", "angle",    "angle1",  "angle2", "rate",
                                        "rate1",  "rate2",     "distance", "speed",   "force",  "moment",
                                        "length", "torque",    "torque1",  "torque2", "gap",    "slip"};

/// Functions that other languages have, and how they are written here.
constexpr std::pair<const char*, const char*> written_otherwise[] = {
    {"ln", "the natural logarithm is log(x)"},
    {"log10", "write log(x)/log(10)"},
    {"log2", "write log(x)/log(2)"},
    {"pow", "a power is a^b"},
    {"sgn", "write sign(x)"},
    {"sec", "write 1/cos(x)"},
    {"csc", "write 1/sin(x)"},
    {"cot", "write 1/tan(x)"},
    {"step", "write if(x > 0, 1, 0)"},
    {"heaviside", "write if(x > 0, 1, 0)"},
    {"clamp", "write max(low, min(high, x))"},
    {"sat", "write max(low, min(high, x))"},
    {"saturate", "write max(low, min(high, x))"},
    {"floor", "what repeats with an angle a is a function of atan2(sin(a), cos(a)), between -pi and pi"},
    {"ceil", "what repeats with an angle a is a function of atan2(sin(a), cos(a)), between -pi and pi"},
    {"round", "what repeats with an angle a is a function of atan2(sin(a), cos(a)), between -pi and pi"},
    {"mod", "what repeats with an angle a is a function of atan2(sin(a), cos(a)), between -pi and pi"},
    {"fmod", "what repeats with an angle a is a function of atan2(sin(a), cos(a)), between -pi and pi"},
    {"der", "x' is the velocity of a coordinate x"},
    {"diff", "x' is the velocity of a coordinate x"},
    {"derivative", "x' is the velocity of a coordinate x"},
    {"integral", "a first-order state adds up what its rate says: variable z = 0, then rate z' = ..."},
    {"integrate", "a first-order state adds up what its rate says: variable z = 0, then rate z' = ..."},
    {"interp", "a function by its values is a table: table f(x) = (0, 0), (1, 2)"},
    {"lookup", "a function by its values is a table: table f(x) = (0, 0), (1, 2)"},
    {"length", "the length of a vector is norm(v)"},
    {"mag", "the length of a vector is norm(v)"},
    {"unit", "write v/norm(v)"},
    {"normalize", "write v/norm(v)"},
};

bool is_made_by_element(const std::string& word) {
  return std::find(std::begin(made_by_elements), std::end(made_by_elements), word) != std::end(made_by_elements);
}

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < most_listed; ++i) list += (i == 0 ? "" : ", ") + names[i];
  return list + (names.size() > most_listed ? ", ..." : "");
}

/// The number of a member behind `stem`: 3 of link[3].r for "link[" and "].r"; none where it is another name.
std::optional<long> member_number(const std::string& name, const std::string& stem, const std::string& rest) {
  if (name.size() <= stem.size() + rest.size() || !name.starts_with(stem) || !name.ends_with(rest)) return {};
  const std::string digits = name.substr(stem.size(), name.size() - stem.size() - rest.size());
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("-0123456789") != std::string::npos) return {};
  return std::stol(digits);
}

}  // namespace

/// How the user calls it: what the general form knows as a variable is a velocity of the multibody form.
std::string Scope::called(Kind kind) const {
  const auto velocity = [](const Declaration& d) { return d.kind == Kind::variable && d.is_z; };
  const bool multibody = form != Form::general && std::any_of(declarations_.begin(), declarations_.end(), velocity);
  return kind == Kind::variable && multibody ? "velocity" : kind_name(kind);
}

/// link[4].r where there are three of them, or link.r: the members that there are.
std::string Scope::members_hint(const std::string& name) const {
  for (std::size_t cut = name.find_first_of("[."); cut != std::string::npos; cut = name.find_first_of("[.", cut + 1)) {
    const bool numbered = name[cut] == '[';
    const std::string stem = name.substr(0, cut) + "[";
    const std::size_t close = numbered ? name.find(']', cut) : cut;
    if (close == std::string::npos) break;
    const std::string rest = (numbered ? "" : "]") + name.substr(close);
    std::vector<long> numbers;
    for (const Declaration& d : declarations_)
      if (const std::optional<long> number = member_number(d.name, stem, rest)) numbers.push_back(*number);
    if (numbers.empty()) continue;
    const auto [first, last] = std::minmax_element(numbers.begin(), numbers.end());
    const std::string family = name.substr(0, cut);
    if (!numbered) return "'" + family + "' is a family: write " + stem + std::to_string(*first) + rest;
    return "'" + family + "' has the members " + std::to_string(*first) + " to " + std::to_string(*last);
  }
  return "";
}

/// What a body, a joint or a component has, where one of this name is before the point.
std::string Scope::parts_hint(const std::string& name) const {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string owner = name.substr(0, dot), prefix = owner + ".";
  if (std::string ports = ports_of(owner); !ports.empty()) return ports;
  std::vector<std::string> made, parts;
  for (const Declaration& d : declarations_) {
    if (!d.name.starts_with(prefix)) continue;
    const std::string part = d.name.substr(prefix.size());
    const std::string first = part.substr(0, part.find_first_of(".["));
    const bool inner = first.size() < part.size() && part.find('.') != std::string::npos;
    const bool own = d.kind == Kind::parameter || d.kind == Kind::input || d.kind == Kind::output ||
                     d.kind == Kind::variable || d.kind == Kind::state;
    std::vector<std::string>& list = is_made_by_element(part) ? made : parts;
    const std::string shown = is_made_by_element(part) ? part : first;
    if (!is_made_by_element(part) && !inner && !own) continue;
    if (std::find(list.begin(), list.end(), shown) == list.end()) list.push_back(shown);
  }
  std::vector<std::string>& known = parts.empty() ? made : parts;
  return known.empty() ? "" : "'" + owner + "' has " + listed(known);
}

std::string Scope::near_hint(const std::string& name, bool call) const {
  for (const auto& [other, here] : written_otherwise)
    if (call && name == other) return here;
  std::vector<std::string> candidates;
  for (const Declaration& d : declarations_) candidates.push_back(d.name);
  for (std::size_t i = visible_; i < locals_.size(); ++i) candidates.push_back(locals_[i].name);
  const std::vector<std::string> others = call ? library_functions() : std::vector<std::string>{"pi", "deg", "rpm"};
  candidates.insert(candidates.end(), others.begin(), others.end());
  const std::string near = nearest_name(name, candidates);
  const bool like_index = (name == "i" || name == "j") && (near.empty() || near == "pi");
  if (like_index && !call)
    return "an index is one of a family, family " + name + " = 1..N, or of the statement, for " + name + " = 1..N";
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos && !call)  // a body, a joint: it has no value of its own
    if (std::string has = parts_hint(name + "."); !has.empty()) return has;
  std::string parts = parts_hint(name);
  // Of what is known before the point the rest is told, unless it is nearly one of its names.
  if (!parts.empty() && (near.empty() || !near.starts_with(name.substr(0, dot + 1)))) return parts;
  if (near.empty() && name.starts_with("lambda"))
    return "the multiplier of a constraint gets its name there: constraint rod(pull): x^2 + y^2 = l^2";
  if (near.empty()) return "";
  std::string hint = "did you mean '" + near + "'";
  const auto known = by_name_.find(near);
  if (known != by_name_.end())
    hint += " (" + called(known->second->kind) + ", line " + std::to_string(known->second->place.line) + ")";
  else if (is_library_function(near)) hint += " (function)";
  return hint + "?";
}

void Scope::unknown(const Place& place, const std::string& name, bool call) {
  if (lost.contains(name) || lost.contains(name.substr(0, name.find_first_of(".[")))) return;
  if (!unknown_.insert(name).second) return;
  if (const std::size_t cut = name.find_first_of(".["); cut != std::string::npos) {
    const Declaration* d = find(name.substr(0, cut));
    if (d && d->kind == Kind::component && d->bad) return;  // what it has is not known
  }
  const std::string message =
      (call ? "unknown function '" : "unknown name '") + (name.size() > 80 ? name.substr(0, 80) + "..." : name) + "'";
  if (unknown_.size() > most_hints) return error(place, message);
  if (observed.contains(name))
    return error(place, message, "it is observed: such names stand in columns and reports, not in expressions");
  if (events.contains(name))
    return error(
        place, message,
        "it is an event: 'when " + name + ": ...' says what it does, 'stop after 3 " + name + "' when it ends the run");
  // q4 where q has three entries deserves to hear that, not the name of a neighbour.
  for (std::size_t cut = name.size(), digits = 0;
       cut > 1 && digits < 7 && std::isdigit(static_cast<unsigned char>(name[cut - 1])); --cut, ++digits) {
    const Declaration* d = find(name.substr(0, cut - 1));
    if (d && has_entries(d->kind) && d->ready && d->shape.size() == 1)
      return error(place, message, "'" + d->name + "' has only " + std::to_string(d->shape[0]) + " entries");
  }
  std::string hint = members_hint(name);
  if (hint.empty()) hint = near_hint(name, call);
  error(place, message, hint);
}

std::string Scope::ports_of(const std::string& component) const {
  const auto root = by_name_.find(component.substr(0, component.find_first_of(".[")));
  if (root == by_name_.end() || root->second->kind != Kind::component) return "";
  std::string list;
  for (const Declaration& d : declarations_) {
    const std::size_t dot = d.name.rfind('.');
    if ((d.kind != Kind::input && d.kind != Kind::output) || dot == std::string::npos) continue;
    if (d.name.compare(0, dot, component) != 0) continue;
    list += (list.empty() ? "" : ", ") + d.name + " (" + kind_name(d.kind) + ")";
  }
  return list.empty() ? "" : "the ports of '" + component + "' are " + list;
}

}  // namespace alembert::internal
