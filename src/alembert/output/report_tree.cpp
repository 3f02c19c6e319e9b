// A report as one tree of names and values; entries lists its leaves.

#include <algorithm>
#include <set>

#include "alembert/base/lists.h"
#include "alembert/base/trees.h"
#include "alembert/output/report_words.h"
#include "alembert/report.h"

namespace alembert::internal {
namespace {

using Members = Tree::Members;
using List = Tree::List;
using Values = std::vector<double>;

Tree number(const Values& values, std::size_t i) { return i < values.size() ? Tree(values[i]) : Tree(); }

/// The values of a quantity, nested as its shape says; `at` walks through them.
Tree shaped(const Quantity& quantity, const Values& values, std::size_t level, std::size_t& at) {
  if (level == quantity.shape.size()) return number(values, at++);
  List list;
  for (int i = 0; i < quantity.shape[level]; ++i) list.push_back(shaped(quantity, values, level + 1, at));
  return list;
}

Tree shaped(const Quantity& quantity, const Values& values) {
  std::size_t at = static_cast<std::size_t>(quantity.first);
  return shaped(quantity, values, 0, at);
}

Tree named(const std::vector<Quantity>& quantities, const Values& values) {
  Members members;
  for (const Quantity& quantity : quantities) members.emplace_back(quantity.name, shaped(quantity, values));
  return members;
}

Tree multipliers(const ReportNames& names, const Values& lambda, const Values& psi) {
  Members members;
  for (const NamedConstraint& constraint : names.constraints) {
    Tree& value = members.emplace_back(constraint.name, Tree()).second;
    if (constraint.lambda >= 0) value = number(lambda, static_cast<std::size_t>(constraint.lambda));
    if (constraint.psi >= 0) value = number(psi, static_cast<std::size_t>(constraint.psi));
  }
  return members;
}

Tree invariants(const Report& report) {
  Values initial, final, max_error;
  for (const Watched& w : report.invariants) {
    initial.push_back(w.initial);
    final.push_back(w.final);
    max_error.push_back(w.max_error);
  }
  Members members;
  for (const Quantity& quantity : report.names.invariants)
    members.emplace_back(quantity.name, Members{{"initial", shaped(quantity, initial)},
                                                {"final", shaped(quantity, final)},
                                                {"max_error", shaped(quantity, max_error)}});
  return members;
}

Tree observed(const Report& report) {
  Values final, least, most;
  for (const ObservedRange& range : report.observed) {
    final.push_back(range.final);
    least.push_back(range.least);
    most.push_back(range.most);
  }
  Members members;
  for (const Quantity& quantity : report.names.observed)
    members.emplace_back(
        quantity.name,
        Members{{"final", shaped(quantity, final)}, {"min", shaped(quantity, least)}, {"max", shaped(quantity, most)}});
  return members;
}

Tree events(const Report& report) {
  List list;
  for (const EventRecord& record : report.events) {
    Members state;
    for (std::size_t i = 0; i < record.state.size(); ++i)
      state.emplace_back(report.names.states.at(i), number(record.state, i));
    Members one = {{"name", report.names.events.at(record.event)}};
    if (!record.kind.empty()) one.emplace_back("kind", record.kind);
    one.emplace_back("t", record.t);
    one.emplace_back("q", named(report.names.coordinates, record.state));
    one.emplace_back("v", named(report.names.coordinates, record.v));
    one.emplace_back("state", std::move(state));
    one.emplace_back("multipliers", multipliers(report.names, record.lambda, record.psi));
    if (!record.note.empty()) one.emplace_back("note", record.note);
    list.push_back(std::move(one));
  }
  return list;
}

Tree contacts(const Report& report) {
  Members members;
  for (const ContactReport& contact : report.contacts)
    members.emplace_back(
        contact.name,
        Members{{"impacts", contact.impacts}, {"dissipated", contact.dissipated}, {"state", contact.state}});
  return members;
}

Tree joints(const Report& report) {
  Members members;
  for (const JointForces& j : report.joints)
    members.emplace_back(j.name, Members{{"kind", j.kind},
                                         {"on", j.body},
                                         {"from", j.other},
                                         {"force", j.force},
                                         {"moment", j.moment},
                                         {"force_in_joint", j.force_in_joint},
                                         {"moment_in_joint", j.moment_in_joint}});
  return members;
}

/// The report as it grows, or those of its groups that somebody wants: "q", "energy".
class Growing {
 public:
  explicit Growing(const std::set<std::string>* wanted) : wanted_(wanted) {}
  bool wants(const char* group) const { return !wanted_ || wanted_->contains(group); }
  /// value() is asked for where it is wanted.
  template <class Value>
  void put(const char* group, const Value& value) {
    if (wants(group)) groups.emplace_back(group, value());
  }
  Members groups;

 private:
  const std::set<std::string>* wanted_;
};

void add_run(Growing& tree, const Report& report) {
  tree.put("model", [&] { return Tree(report.model); });
  tree.put("method", [&] { return Tree(report.method); });
  if (!report.choice.empty()) tree.put("chosen", [&] { return Tree(report.choice); });
  tree.put("stages", [&] { return report.stages > 0 ? Tree(report.stages) : Tree(); });
  tree.put("step", [&] { return Tree(report.step); });
  if (report.control != Control::fixed) tree.put("control", [&] { return Tree(word_of(report.control)); });
  tree.put("t", [&] { return Tree(report.t); });
  tree.put("order", [&] {
    return Members{{"q", report.order.q}, {"v", report.order.v}, {"multiplier", report.order.multiplier}};
  });
}

void add_ports(Growing& tree, const PortReport& port) {
  // Every state under its own name, the algebraic ones among them.
  tree.put("variables", [&] { return named(port.states, port.x); });
  tree.put("inputs", [&] { return named(port.inputs, port.u); });
  tree.put("outputs", [&] { return named(port.outputs, port.y); });
  if (port.energies.empty()) return;
  tree.put("energies", [&] {
    Members members;
    for (std::size_t i = 0; i < port.energies.size(); ++i)
      members.emplace_back(port.components.at(i),
                           Members{{"initial", number(port.first_energies, i)}, {"final", number(port.energies, i)}});
    return members;
  });
}

void add_state(Growing& tree, const Report& report) {
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

Tree energy(const Report& report) {
  if (!report.has_energy) return {};
  Members members = {{"initial", report.energy.initial},
                     {"final", report.energy.final},
                     {"max_error", report.energy.max_error},
                     {"drift_per_time", report.drift.per_time},
                     {"drift_uncertainty", report.drift.uncertainty}};
  if (report.account) {
    members.emplace_back("dissipated", report.account->dissipated);
    members.emplace_back("supplied", report.account->supplied);
    if (!report.contacts.empty()) members.emplace_back("impacts", report.account->impacts);
  }
  return members;
}

Tree residual(const Report& report) {
  // A port-Hamiltonian system knows its rows only: of what they are the derivatives nobody said.
  const bool levels = !report.port;
  Members members = {{"position", levels ? Tree(report.position) : Tree()},
                     {"velocity", levels ? Tree(report.velocity) : Tree()},
                     {"nonholonomic", report.nonholonomic}};
  if (report.has_discrete) members.emplace_back("discrete", report.discrete);
  Members ranges;
  for (std::size_t i = 0; i < report.velocity_ranges.size(); ++i) {
    const Extremes& range = report.velocity_ranges[i];
    ranges.emplace_back(report.names.holonomic.at(i), List{range.least, range.most});
  }
  if (!ranges.empty()) members.emplace_back("velocity_ranges", std::move(ranges));
  return members;
}

void add_balance(Growing& tree, const EnergyBalance& balance) {
  Members members;
  if (balance.steps > 0)
    members = {{"max_residual", balance.max_residual},
               {"predicted", balance.predicted},
               {"actual", balance.actual},
               {"max_change", balance.max_change}};
  if (balance.parted) {
    members.emplace_back("stored", balance.actual);
    members.emplace_back("dissipated", balance.dissipated);
    members.emplace_back("supplied", balance.supplied);
  }
  if (!members.empty()) tree.put("power_balance", [&] { return members; });
}

void add_watched(Growing& tree, const Report& report) {
  tree.put("energy", [&] { return energy(report); });
  tree.put("residual", [&] { return residual(report); });
  tree.put("invariants", [&] { return invariants(report); });
  if (!report.names.observed.empty()) tree.put("observed", [&] { return observed(report); });
  add_balance(tree, report.balance);
  if (!report.joints.empty()) tree.put("joints", [&] { return joints(report); });
  if (!report.contacts.empty()) tree.put("contacts", [&] { return contacts(report); });
  if (report.names.events.empty()) return;
  tree.put("events", [&] { return events(report); });
  tree.put("stopped", [&] { return text_or_nothing(report.stopped); });
}

Tree statistics(const Report& report) {
  Members members = {{"steps", report.steps},
                     {"rejected", report.rejected},
                     {"kinks", report.kinks},
                     {"newton_iterations", report.newton.iterations},
                     {"factorizations", report.newton.factorizations},
                     {"factorization_sizes", report.newton.factorization_sizes},
                     {"evaluations", report.newton.evaluations},
                     {"compile_seconds", report.compile_seconds},
                     {"run_seconds", report.run_seconds}};
  if (report.control == Control::fixed) return members;
  members.emplace_back("comparisons", report.comparisons);
  members.emplace_back("smallest_step", report.smallest_step);
  members.emplace_back("largest_step", report.largest_step);
  return members;
}

Tree accuracy(const Report& report) {
  if (!report.accuracy) return {};
  const Accuracy& a = *report.accuracy;
  return Members{{"estimate_per_time", a.per_time},
                 {"worst_step", a.per_step},
                 {"worst_t", a.worst_t},
                 {"compared_steps", a.compared}};
}

Tree warnings(const Report& report) {
  List list;
  for (const Warning& warning : report.warnings)
    list.push_back(Members{{"code", warning.code}, {"text", warning.text}, {"t", warning.t}});
  return list;
}

Tree initial_changes(const Report& report) {
  List changes;
  for (const InitialState::Change& change : report.initial.changes)
    changes.push_back(Members{{"name", change.name}, {"from", change.from}, {"to", change.to}});
  return changes;
}

Tree internal_values(const Report& report) {
  Members members;
  for (std::size_t i = 0; i < report.internal_names.size(); ++i)
    members.emplace_back(report.internal_names[i], number(report.internal, i));
  return members;
}

Tree singular_positions(const Report& report) {
  List list;
  for (const Report::SingularPosition& s : report.singular_positions)
    list.push_back(Members{{"t", s.t}, {"constraints", s.words}});
  return list;
}

void add_course(Growing& tree, const Report& report) {
  tree.put("accuracy", [&] { return accuracy(report); });
  tree.put("warnings", [&] { return warnings(report); });
  tree.put("statistics", [&] { return statistics(report); });
  tree.put("initial_changes", [&] { return initial_changes(report); });
  tree.put("redundant", [&] { return Tree(report.initial.redundant); });
  if (!report.singular_positions.empty()) tree.put("singular_positions", [&] { return singular_positions(report); });
  tree.put("ending", [&] { return Tree(word_of(report.ending)); });
  tree.put("reason", [&] { return text_or_nothing(report.reason); });
  tree.put("internal", [&] { return internal_values(report); });
}

/// The whole report, or some groups of it, in the order in which it is written.
Tree tree(const Report& report, const std::set<std::string>* groups = nullptr) {
  Growing tree(groups);
  add_run(tree, report);
  add_state(tree, report);
  add_watched(tree, report);
  add_course(tree, report);
  return std::move(tree.groups);
}

void add_leaves(const Tree& at, const std::string& path, std::vector<ReportEntry>& found) {
  if (const auto* members = std::get_if<Members>(&at.value)) {
    for (const auto& [name, one] : *members) add_leaves(one, path.empty() ? name : path + "." + name, found);
  } else if (const auto* list = std::get_if<List>(&at.value)) {
    for (std::size_t i = 0; i < list->size(); ++i)
      add_leaves((*list)[i], path + "[" + std::to_string(i + 1) + "]", found);
  } else {
    ReportEntry leaf{path, std::monostate()};
    if (const auto* count = std::get_if<long>(&at.value)) leaf.value = *count;
    if (const auto* number = std::get_if<double>(&at.value)) leaf.value = *number;
    if (const auto* word = std::get_if<std::string>(&at.value)) leaf.value = *word;
    found.push_back(std::move(leaf));
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

Tree to_tree(const Report& report) { return internal::tree(report); }

std::string to_json(const Report& report) { return to_json(to_tree(report)); }

std::vector<ReportEntry> entries(const Report& report) {
  std::vector<ReportEntry> found;
  internal::add_leaves(internal::tree(report), "", found);
  return found;
}

}  // namespace alembert
