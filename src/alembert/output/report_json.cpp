// A report as one tree of names and values: to_json writes it down, entries lists its leaves.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "alembert/base/lists.h"
#include "alembert/output/report_words.h"
#include "alembert/report.h"

namespace alembert::internal {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

/// JSON knows no infinities; what is missing or not finite is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json number(const Values& values, std::size_t i) { return i < values.size() ? number(values[i]) : Json(); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json numbers(const Values& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

/// The values of a quantity, nested as its shape says; `at` walks through them.
Json shaped(const Quantity& quantity, const Values& values, std::size_t level, std::size_t& at) {
  if (level == quantity.shape.size()) return number(values, at++);
  Json list = Json::array();
  for (int i = 0; i < quantity.shape[level]; ++i) list.push_back(shaped(quantity, values, level + 1, at));
  return list;
}

Json shaped(const Quantity& quantity, const Values& values) {
  std::size_t at = static_cast<std::size_t>(quantity.first);
  return shaped(quantity, values, 0, at);
}

/// A member of an object that has none of this name: to look for it first would cost a comparison with each of them.
void add(Json& object, const std::string& name, Json value) {
  auto& members = object.get_ref<Json::object_t&>();
  members.Json::object_t::Container::emplace_back(name, std::move(value));
}

Json named(const std::vector<Quantity>& quantities, const Values& values) {
  Json object = Json::object();
  for (const Quantity& quantity : quantities) add(object, quantity.name, shaped(quantity, values));
  return object;
}

Json multipliers(const ReportNames& names, const Values& lambda, const Values& psi) {
  Json object = Json::object();
  for (const NamedConstraint& constraint : names.constraints) {
    Json& value = object[constraint.name] = Json();
    if (constraint.lambda >= 0) value = number(lambda, static_cast<std::size_t>(constraint.lambda));
    if (constraint.psi >= 0) value = number(psi, static_cast<std::size_t>(constraint.psi));
  }
  return object;
}

Json invariants(const Report& report) {
  Values initial, final, max_error;
  for (const Watched& w : report.invariants) {
    initial.push_back(w.initial);
    final.push_back(w.final);
    max_error.push_back(w.max_error);
  }
  Json object = Json::object();
  for (const Quantity& quantity : report.names.invariants) {
    object[quantity.name] = {{"initial", shaped(quantity, initial)},
                             {"final", shaped(quantity, final)},
                             {"max_error", shaped(quantity, max_error)}};
  }
  return object;
}

Json observed(const Report& report) {
  Values final, least, most;
  for (const ObservedRange& range : report.observed) {
    final.push_back(range.final);
    least.push_back(range.least);
    most.push_back(range.most);
  }
  Json object = Json::object();
  for (const Quantity& quantity : report.names.observed)
    object[quantity.name] = {
        {"final", shaped(quantity, final)}, {"min", shaped(quantity, least)}, {"max", shaped(quantity, most)}};
  return object;
}

Json events(const Report& report) {
  Json list = Json::array();
  for (const EventRecord& record : report.events) {
    Json state = Json::object();
    for (std::size_t i = 0; i < record.state.size(); ++i)
      add(state, report.names.states.at(i), number(record.state, i));
    Json one = {{"name", report.names.events.at(record.event)}};
    if (!record.kind.empty()) one["kind"] = record.kind;
    one["t"] = number(record.t);
    one["q"] = named(report.names.coordinates, record.state);
    one["v"] = named(report.names.coordinates, record.v);
    one["state"] = state;
    one["multipliers"] = multipliers(report.names, record.lambda, record.psi);
    if (!record.note.empty()) one["note"] = record.note;
    list.push_back(std::move(one));
  }
  return list;
}

Json contacts(const Report& report) {
  Json object = Json::object();
  for (const ContactReport& contact : report.contacts)
    add(object, contact.name,
        {{"impacts", contact.impacts}, {"dissipated", number(contact.dissipated)}, {"state", contact.state}});
  return object;
}

Json joints(const Report& report) {
  Json object = Json::object();
  for (const JointForces& j : report.joints)
    object[j.name] = {{"kind", j.kind},
                      {"on", j.body},
                      {"from", j.other},
                      {"force", numbers(j.force)},
                      {"moment", numbers(j.moment)},
                      {"force_in_joint", numbers(j.force_in_joint)},
                      {"moment_in_joint", numbers(j.moment_in_joint)}};
  return object;
}

/// The report as it grows, or those of its groups that somebody wants: "q", "energy".
class Tree {
 public:
  explicit Tree(const std::set<std::string>* wanted) : wanted_(wanted) {}
  bool wants(const char* group) const { return !wanted_ || wanted_->contains(group); }
  /// value() is asked for where it is wanted.
  template <class Value>
  void put(const char* group, const Value& value) {
    if (wants(group)) json[group] = value();
  }
  Json json;

 private:
  const std::set<std::string>* wanted_;
};

void add_run(Tree& tree, const Report& report) {
  tree.put("model", [&] { return Json(report.model); });
  tree.put("method", [&] { return Json(report.method); });
  if (!report.choice.empty()) tree.put("chosen", [&] { return Json(report.choice); });
  tree.put("stages", [&] { return report.stages > 0 ? Json(report.stages) : Json(); });
  tree.put("step", [&] { return number(report.step); });
  if (report.control != Control::fixed) tree.put("control", [&] { return Json(word_of(report.control)); });
  tree.put("t", [&] { return number(report.t); });
  tree.put("order", [&] {
    return Json{{"q", report.order.q}, {"v", report.order.v}, {"multiplier", report.order.multiplier}};
  });
}

void add_ports(Tree& tree, const PortReport& port) {
  // Every state under its own name, the algebraic ones among them.
  tree.put("variables", [&] { return named(port.states, port.x); });
  tree.put("inputs", [&] { return named(port.inputs, port.u); });
  tree.put("outputs", [&] { return named(port.outputs, port.y); });
  if (!tree.wants("energies")) return;
  for (std::size_t i = 0; i < port.energies.size(); ++i)
    tree.json["energies"][port.components.at(i)] = {{"initial", number(port.first_energies, i)},
                                                    {"final", number(port.energies, i)}};
}

void add_state(Tree& tree, const Report& report) {
  const ReportNames& names = report.names;
  // Velocities go by the name of their coordinate.
  tree.put("q", [&] { return named(names.coordinates, report.y); });
  tree.put("v", [&] { return named(names.coordinates, report.v); });
  tree.put("p", [&] { return named(names.momenta, report.momentum); });
  tree.put("multipliers", [&] { return multipliers(names, report.lambda, report.psi); });
  if (report.port) add_ports(tree, *report.port);
  if (!names.variables.empty())
    tree.put("variables", [&] { return named(names.variables, joined<double>(report.y, report.z)); });
}

Json energy(const Report& report) {
  if (!report.has_energy) return Json();
  Json object = {{"initial", number(report.energy.initial)},
                 {"final", number(report.energy.final)},
                 {"max_error", number(report.energy.max_error)},
                 {"drift_per_time", number(report.drift.per_time)},
                 {"drift_uncertainty", number(report.drift.uncertainty)}};
  if (report.account) {
    object["dissipated"] = number(report.account->dissipated);
    object["supplied"] = number(report.account->supplied);
    if (!report.contacts.empty()) object["impacts"] = number(report.account->impacts);
  }
  return object;
}

Json residual(const Report& report) {
  // A port-Hamiltonian system knows its rows only: of what they are the derivatives nobody said.
  const bool levels = !report.port;
  Json object = {{"position", levels ? number(report.position) : Json()},
                 {"velocity", levels ? number(report.velocity) : Json()},
                 {"nonholonomic", number(report.nonholonomic)}};
  if (report.has_discrete) object["discrete"] = number(report.discrete);
  for (std::size_t i = 0; i < report.velocity_ranges.size(); ++i) {
    const Extremes& range = report.velocity_ranges[i];
    object["velocity_ranges"][report.names.holonomic.at(i)] = {number(range.least), number(range.most)};
  }
  return object;
}

void add_balance(Json& json, const EnergyBalance& balance) {
  if (balance.steps > 0)
    json["power_balance"] = {{"max_residual", number(balance.max_residual)},
                             {"predicted", number(balance.predicted)},
                             {"actual", number(balance.actual)},
                             {"max_change", number(balance.max_change)}};
  if (!balance.parted) return;
  Json& parts = json["power_balance"];
  parts["stored"] = number(balance.actual);
  parts["dissipated"] = number(balance.dissipated);
  parts["supplied"] = number(balance.supplied);
}

void add_watched(Tree& tree, const Report& report) {
  tree.put("energy", [&] { return energy(report); });
  tree.put("residual", [&] { return residual(report); });
  tree.put("invariants", [&] { return invariants(report); });
  if (!report.names.observed.empty()) tree.put("observed", [&] { return observed(report); });
  if (tree.wants("power_balance")) add_balance(tree.json, report.balance);
  if (!report.joints.empty()) tree.put("joints", [&] { return joints(report); });
  if (!report.contacts.empty()) tree.put("contacts", [&] { return contacts(report); });
  if (report.names.events.empty()) return;
  tree.put("events", [&] { return events(report); });
  tree.put("stopped", [&] { return text_or_null(report.stopped); });
}

Json statistics(const Report& report) {
  Json object = {{"steps", report.steps},
                 {"rejected", report.rejected},
                 {"kinks", report.kinks},
                 {"newton_iterations", report.newton.iterations},
                 {"factorizations", report.newton.factorizations},
                 {"factorization_sizes", report.newton.factorization_sizes},
                 {"evaluations", report.newton.evaluations},
                 {"compile_seconds", number(report.compile_seconds)},
                 {"run_seconds", number(report.run_seconds)}};
  if (report.control == Control::fixed) return object;
  object["comparisons"] = report.comparisons;
  object["smallest_step"] = number(report.smallest_step);
  object["largest_step"] = number(report.largest_step);
  return object;
}

Json accuracy(const Report& report) {
  if (!report.accuracy) return Json();
  const Accuracy& a = *report.accuracy;
  return {{"estimate_per_time", number(a.per_time)},
          {"worst_step", number(a.per_step)},
          {"worst_t", number(a.worst_t)},
          {"compared_steps", a.compared}};
}

Json warnings(const Report& report) {
  Json list = Json::array();
  for (const Warning& warning : report.warnings)
    list.push_back({{"code", warning.code}, {"text", warning.text}, {"t", number(warning.t)}});
  return list;
}

Json initial_changes(const Report& report) {
  Json changes = Json::array();
  for (const InitialState::Change& change : report.initial.changes)
    changes.push_back({{"name", change.name}, {"from", number(change.from)}, {"to", number(change.to)}});
  return changes;
}

Json internal_values(const Report& report) {
  Json internal = Json::object();
  for (std::size_t i = 0; i < report.internal_names.size(); ++i)
    internal[report.internal_names[i]] = number(report.internal, i);
  return internal;
}

void add_course(Tree& tree, const Report& report) {
  tree.put("accuracy", [&] { return accuracy(report); });
  tree.put("warnings", [&] { return warnings(report); });
  tree.put("statistics", [&] { return statistics(report); });
  tree.put("initial_changes", [&] { return initial_changes(report); });
  tree.put("redundant", [&] { return Json(report.initial.redundant); });
  if (tree.wants("singular_positions"))
    for (const Report::SingularPosition& s : report.singular_positions)
      tree.json["singular_positions"].push_back({{"t", number(s.t)}, {"constraints", s.words}});
  tree.put("ending", [&] { return Json(word_of(report.ending)); });
  tree.put("reason", [&] { return text_or_null(report.reason); });
  tree.put("internal", [&] { return internal_values(report); });
}

/// The whole report, or some groups of it, in the order in which it is written.
Json tree(const Report& report, const std::set<std::string>* groups = nullptr) {
  Tree tree(groups);
  add_run(tree, report);
  add_state(tree, report);
  add_watched(tree, report);
  add_course(tree, report);
  return std::move(tree.json);
}

ReportEntry leaf(const std::string& path, const Json& value) {
  if (value.is_number_integer()) return {path, value.get<long>()};
  if (value.is_number()) return {path, value.get<double>()};
  if (value.is_string()) return {path, value.get<std::string>()};
  return {path, std::monostate()};
}

void add_leaves(const Json& at, const std::string& path, std::vector<ReportEntry>& found) {
  if (at.is_object()) {
    for (const auto& [key, value] : at.items()) add_leaves(value, path.empty() ? key : path + "." + key, found);
  } else if (at.is_array()) {
    for (std::size_t i = 0; i < at.size(); ++i) add_leaves(at[i], path + "[" + std::to_string(i + 1) + "]", found);
  } else {
    found.push_back(leaf(path, at));
  }
}

}  // namespace

std::vector<ReportEntry> entries_of_groups(const Report& report, const std::set<std::string>& groups) {
  std::vector<ReportEntry> found;
  add_leaves(tree(report, &groups), "", found);
  return found;
}

const char* word_of(Control control) {
  switch (control) {
    case Control::fixed: return "fixed";
    case Control::tolerance: return "tolerance";
    case Control::reversible: return "reversible";
  }
  return "";
}

const char* word_of(Ending ending) {
  switch (ending) {
    case Ending::done: return "done";
    case Ending::interrupted: return "interrupted";
    case Ending::failed: return "failed";
  }
  return "";
}

}  // namespace alembert::internal

namespace alembert {

std::string to_json(const Report& report) {
  using internal::Json;
  return internal::tree(report).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<ReportEntry> entries(const Report& report) {
  std::vector<ReportEntry> found;
  internal::add_leaves(internal::tree(report), "", found);
  return found;
}

}  // namespace alembert
