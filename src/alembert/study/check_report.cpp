// What is known of a model as text and as names and values.

#include <fmt/format.h>

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/base/trees.h"
#include "alembert/findings.h"
#include "alembert/methods/method.h"
#include "alembert/output/report_words.h"

namespace alembert {
namespace {

/// At most `most` of the parts, and how many were left out.
std::string listed(const std::vector<std::string>& parts, std::size_t most = 8) {
  const std::size_t shown = std::min(parts.size(), most);
  std::string text = fmt::format("{}", fmt::join(parts.begin(), parts.begin() + shown, ", "));
  return parts.size() > shown ? text + fmt::format(" and {} more", parts.size() - shown) : text;
}

void line(std::string& page, const char* topic, const std::string& said) {
  page += fmt::format("  {:<12}{}\n", topic, said);
}

std::string counted(int n, const std::string& noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

void tell_components(std::string& page, const ExaminedPorts& ports) {
  if (ports.made_of_components) line(page, "components", listed(ports.components));
  if (ports.equations == 0) return;
  const int kept = static_cast<int>(ports.multipliers.size());
  line(page, "connection",
       fmt::format(
           "{}; {}; {}", counted(ports.equations, "equation"),
           ports.conserves_power ? "conserves power: M N^T + N M^T = 0" : "may take power (lossy)",
           kept == 0 ? "all inputs eliminated" : counted(kept, "multiplier") + ": " + listed(ports.multipliers)));
}

std::string sizes(const Examination& found) {
  const std::string freedom = found.degrees_of_freedom == 1
                                  ? "1 degree of freedom"
                                  : fmt::format("{} degrees of freedom", found.degrees_of_freedom);
  if (const auto& ports = found.ports)
    return fmt::format("{}, {}, {} (E has rank {}), {}", counted(ports->states, "state"),
                       counted(ports->inputs, "input"), counted(ports->algebraic, "algebraic state"),
                       ports->states - ports->algebraic, freedom);
  return fmt::format("{}, {}, {}, {}", counted(found.coordinates, "coordinate"),
                     counted(found.holonomic, "holonomic constraint"),
                     counted(found.nonholonomic, "nonholonomic constraint"), freedom);
}

std::string kinds(const Examination& found) {
  std::vector<std::string> all = {found.rheonomic ? "rheonomic" : "scleronomic"};
  if (found.ports) {
    all.emplace_back(found.constant_mass ? "constant E" : "E depends on time or state");
    return fmt::format("{}", fmt::join(all, ", "));
  }
  all.emplace_back(found.constant_mass ? "constant mass matrix" : "mass matrix depends on the state");
  if (found.holonomic + found.nonholonomic > 0)
    all.emplace_back(found.ideal ? "ideal constraint forces" : "non-ideal constraint forces");
  if (!found.nonholonomic_class.empty()) all.push_back(found.nonholonomic_class + " nonholonomic constraints");
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string residuals(const Examination& found) {
  std::vector<std::string> parts;
  if (found.holonomic) parts.push_back(fmt::format("position {:.2g}", found.position));
  if (found.holonomic) parts.push_back(fmt::format("velocity {:.2g}", found.velocity));
  if (found.nonholonomic || found.ports)
    parts.push_back(
        fmt::format("{} {:.2g}", found.ports ? "hidden constraints" : "nonholonomic", found.nonholonomic_residual));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The constraints and the values at the start, which they determine.
void tell_initial(std::string& page, const Examination& found) {
  const int constraints = found.holonomic + found.nonholonomic;
  if (constraints > 0) line(page, "rank", fmt::format("{} of {} constraints are independent", found.rank, constraints));
  for (const std::string& text : found.redundant) line(page, "redundant", text);
  line(page, "initial",
       fmt::format("{}; residuals as given: {}", found.consistent() ? "consistent" : "not consistent",
                   residuals(found)));
  std::vector<std::string> moved;
  for (const auto& [name, from, to] : found.changes) moved.push_back(internal::moved_text(name, from, to));
  if (!moved.empty()) line(page, "moved", listed(moved));
  std::vector<std::string> values;
  for (const auto& [name, value] : found.multipliers) values.push_back(fmt::format("{} = {:.6g}", name, value));
  line(page, found.ports ? "algebraic" : "multipliers", listed(values));
}

/// What the model's method promises to keep.
void tell_preserved(std::string& page, const ExaminedMethod& preserved) {
  std::vector<std::string> kept;
  if (preserved.energy) kept.emplace_back("energy");
  internal::append(kept, preserved.momenta);
  line(page, "preserves", preserved.method + ": " + (kept.empty() ? "no momentum" : listed(kept, 20)));
  if (!preserved.momenta.empty()) {
    std::string why = "energy, forces and constraints do not change under these motions";
    if (!preserved.through.empty()) why += ", and what is not quadratic is made of " + listed(preserved.through);
    line(page, "because", why);
  }
  if (!preserved.lost.empty()) line(page, "but not", listed(preserved.lost));
}

void tell_contacts(std::string& page, const Examination& found) {
  std::vector<std::string> with_gaps, loaded;
  for (const ExaminedContact& contact : found.contacts)
    if (contact.gap) with_gaps.push_back(fmt::format("{} with gap {:.6g}", contact.name, *contact.gap));
    else loaded.push_back(contact.name + ", always closed");
  internal::append(with_gaps, loaded);
  if (!with_gaps.empty()) line(page, "contacts", listed(with_gaps));
}

void tell_methods(std::string& page, const Examination& found) {
  line(page, "methods", found.methods.empty() ? "none takes this model" : listed(found.methods, 100));
  // In the port-Hamiltonian form most have one reason.
  const std::string usual = found.ports ? internal::port_refusal() : "";
  std::vector<std::string> same;
  for (const auto& [name, why] : found.refusing)
    if (why == usual) same.push_back(name);
    else line(page, "not", name + ": " + why);
  if (!same.empty()) line(page, "not", listed(same, 100) + ": " + usual);
}

Tree residual_tree(const Examination& found) {
  return Tree::Members{
      {"position", found.position}, {"velocity", found.velocity}, {"nonholonomic", found.nonholonomic_residual}};
}

Tree initial_tree(const Examination& found) {
  Tree::List changes;
  for (const auto& [name, from, to] : found.changes)
    changes.push_back(Tree::Members{{"name", name}, {"from", from}, {"to", to}});
  return Tree::Members{{"consistent", found.consistent()},
                       {"residual", residual_tree(found)},
                       {"changes", std::move(changes)},
                       {"not_given", found.not_given}};
}

template <class Value>
Tree named(const std::vector<std::pair<std::string, Value>>& values) {
  return Tree::Members(values.begin(), values.end());
}

}  // namespace

std::string to_text(const Examination& found) {
  std::string page = fmt::format("{}\n", found.model.empty() ? "Model without a name" : found.model);
  if (!found.origin.empty()) line(page, "source", found.origin);
  line(page, "form", found.form);
  if (found.ports) tell_components(page, *found.ports);
  line(page, "sizes", sizes(found));
  line(page, "class", kinds(found));
  if (!found.has_energy) line(page, "energy", "none in this model");
  else line(page, "energy", found.energy_changes.empty() ? "constant" : "changes by " + listed(found.energy_changes));
  line(page, "index",
       found.index == 0 ? "ordinary differential equations"
                        : fmt::format("differential-algebraic equations of index {}", found.index));
  if (!found.hidden.empty()) line(page, "hidden", listed(found.hidden));
  if (found.holonomic + found.nonholonomic > 0 || !found.multipliers.empty()) tell_initial(page, found);
  tell_contacts(page, found);
  if (!found.not_given.empty()) line(page, "defaulted", "to 0: " + listed(found.not_given));
  if (found.preserved) tell_preserved(page, *found.preserved);
  tell_methods(page, found);
  for (const std::string& warning : found.warnings) line(page, "warning", warning);
  return page;
}

Tree to_tree(const Examination& found) {
  Tree tree;
  tree["model"] = found.model;
  tree["form"] = found.form;
  if (found.ports && found.ports->made_of_components) {
    tree["components"] = found.ports->components;
    tree["connection"] = Tree::Members{{"equations", found.ports->equations},
                                       {"multipliers", found.ports->multipliers},
                                       {"conserves_power", found.ports->conserves_power}};
  }
  tree["coordinates"] = found.coordinates;
  if (const auto& ports = found.ports)
    tree["port_hamiltonian"] = Tree::Members{{"states", ports->states},
                                             {"algebraic", ports->algebraic},
                                             {"rank_of_E", ports->states - ports->algebraic},
                                             {"inputs", ports->inputs}};
  tree["holonomic"] = found.holonomic;
  tree["nonholonomic"] = found.nonholonomic;
  tree["rank"] = found.rank;
  tree["degrees_of_freedom"] = found.degrees_of_freedom;
  tree["index"] = found.index;
  tree["hidden"] = found.hidden;
  tree["class"] = Tree::Members{{"rheonomic", found.rheonomic},
                                {"constant_mass", found.constant_mass},
                                {"ideal", found.ideal},
                                {"nonholonomic", internal::text_or_nothing(found.nonholonomic_class)},
                                {"conservative", found.has_energy ? Tree(found.energy_changes.empty()) : Tree()}};
  tree["initial"] = initial_tree(found);
  tree["redundant"] = found.redundant;
  for (const ExaminedContact& contact : found.contacts)
    if (contact.gap) tree["contacts"][contact.name] = Tree::Members{{"gap", *contact.gap}};
  tree["multipliers"] = named(found.multipliers);
  if (const auto& preserved = found.preserved)
    tree["keeps"] = Tree::Members{{"method", preserved->method},
                                  {"energy", preserved->energy},
                                  {"momenta", preserved->momenta},
                                  {"lost", preserved->lost},
                                  {"through", preserved->through}};
  tree["methods"] = found.methods;
  tree["refusing"] = named(found.refusing);
  tree["warnings"] = found.warnings;
  return tree;
}

std::string to_json(const Examination& found) { return to_json(to_tree(found)); }

}  // namespace alembert
