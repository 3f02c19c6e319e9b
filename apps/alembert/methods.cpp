// alembert methods: every family with its orders, what it preserves and where it comes from, as its own
// claims say.

#include <fmt/format.h>

#include <algorithm>

#include "alembert/default_methods.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

struct MethodsOptions {
  std::string name, stages;
  bool markdown = false;
};

using Row = std::vector<std::string>;

/// "symplectic; symmetric; energy; g, g', k = 0".
std::string preserves(const Claims& claims) {
  Row preserved, levels;
  if (claims.symplectic) preserved.push_back("symplectic");
  if (claims.symmetric) preserved.push_back("symmetric");
  if (claims.energy) preserved.push_back("energy");
  if (claims.position) levels.push_back("g");
  if (claims.velocity) levels.push_back("g'");
  if (claims.nonholonomic) levels.push_back("k");
  if (!levels.empty()) preserved.push_back(fmt::format("{} = 0", fmt::join(levels, ", ")));
  return fmt::format("{}", fmt::join(preserved, "; "));
}

/// Orders in q, v and the multiplier: one number where they agree.
std::string orders(const Claims& c) {
  if (c.order_q == c.order_v && c.order_v == c.order_multiplier) return std::to_string(c.order_q);
  return fmt::format("{}, {}, {}", c.order_q, c.order_v, c.order_multiplier);
}

/// "ALIAS = NAME(2), ...": the other names of a family.
std::string other_names(const MethodFamily& family) {
  Row names;
  for (const Alias& alias : family.aliases) names.push_back(alias.name + " = " + meaning(family, alias));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// One line of the table of all methods.
struct Entry {
  std::string signature, orders, example, preserves, summary, source, note, aliases;
};

std::vector<Entry> table() {
  std::vector<Entry> entries;
  for (const MethodFamily& family : all_families()) {
    const Method method = family.make(family.example);
    entries.push_back({family.signature, family.orders, fmt::format("{}: {}", method.name, orders(method.claims)),
                       preserves(method.claims), family.summary, family.source, method.claims.note,
                       other_names(family)});
  }
  return entries;
}

/// Two lines a method: what it is and where it comes from, then orders and what it preserves.
void print_table() {
  const std::vector<Entry> entries = table();
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.signature.size());
  for (const Entry& entry : entries) {
    fmt::print("{:<{}}  {} ({})\n", entry.signature, width, entry.summary, entry.source);
    const bool plain = entry.example == entry.signature + ": " + entry.orders;
    const std::string example = plain ? "" : " (" + entry.example + ")";
    fmt::print("{:<{}}  order {}{}; {}\n", "", width, entry.orders, example, entry.preserves);
    if (!entry.aliases.empty()) fmt::print("{:<{}}  also {}\n", "", width, entry.aliases);
  }
  fmt::print(
      "\nOrders are those of q, v and the reported multiplier, one number where they agree. g, g', k = 0: holonomic\n"
      "constraints, their time derivative and nonholonomic constraints hold at every step.\n"
      "alembert methods NAME tells more and prints the coefficients.\n");
}

/// For docs/methods.md, which a test compares with this.
void print_markdown() {
  fmt::print(
      "# Methods\n\n"
      "Printed by `alembert methods --markdown` from the methods' own claims; the conformance tests measure each of "
      "them.\n"
      "Orders are those of q, v and the reported multiplier. g, g', k: the holonomic constraints, their time "
      "derivative and\n"
      "the nonholonomic constraints hold at every step.\n\n"
      "| method | order | example | preserves | what it is | source |\n|---|---|---|---|---|---|\n");
  for (const Entry& entry : table()) {
    Row what = {entry.summary};
    if (!entry.note.empty()) what.push_back(entry.note);
    if (!entry.aliases.empty()) what.push_back("also `" + entry.aliases + "`");
    fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", entry.signature, entry.orders, entry.example, entry.preserves,
               fmt::join(what, "; "), entry.source);
  }
}

/// "mechanical models; holonomic and nonholonomic constraints; ...": the capabilities in words.
std::string takes(const Capabilities& c) {
  Row all;
  if (c.mechanical) all.push_back(c.varying_mass ? "mechanical models" : "L = v^T M v/2 - U with constant M");
  if (c.port_hamiltonian) all.push_back("port-Hamiltonian systems");
  if (c.holonomic && c.mechanical) all.push_back("holonomic constraints");
  if (c.nonholonomic && c.mechanical) all.push_back("nonholonomic constraints");
  if (c.massless) all.push_back("coordinates without mass");
  return fmt::format("{}", fmt::join(all, ", "));
}

/// `name` is what the user called it.
void print_details(const std::string& name, const MethodFamily& family, const Method& method) {
  const Claims& c = method.claims;
  const auto line = [](const char* topic, const std::string& said) {
    if (!said.empty()) fmt::print("  {:<12}{}\n", topic, said);
  };
  fmt::print("{}\n", method.name);
  for (const Alias& alias : family.aliases)
    if (alias.name == name) line("alias", alias.name + " stands for " + meaning(family, alias));
  line("form", family.signature);
  line("is", family.summary);
  line("order", fmt::format("{} in q, {} in v, {} in the multiplier{}", c.order_q, c.order_v, c.order_multiplier,
                            family.orders.empty() ? "" : " (" + family.orders + ")"));
  line("preserves", preserves(c));
  line("takes", takes(method.capabilities));
  line("source", family.source);
  line("also", other_names(family));
  line("note", c.note);
  const std::string tableau = method.tableau ? method.tableau() : "";
  if (!tableau.empty()) fmt::print("\n{}{}", tableau, tableau.back() == '\n' ? "" : "\n");
}

int show_one(const std::string& text, std::optional<int> stages) {
  if (const FoundFamily named = find_family(text); named.family && !named.alias && !stages) {
    // A name alone, also of a family that has no default arguments.
    print_details(text, *named.family, named.family->make(named.family->example));
    return done;
  }
  const Method method = read_method("method", text, stages);
  const std::string name = parse_term(std::make_shared<const Source>(Source{"method", text})).text;
  print_details(name, find_family(name).family.value(), method);
  return done;
}

int show_methods(const MethodsOptions& options) {
  if (options.name.empty()) {
    if (!options.stages.empty())
      throw InputError("--stages needs the name of a method", "such as alembert methods NAME --stages 4");
    options.markdown ? print_markdown() : print_table();
    return done;
  }
  if (options.markdown)
    throw InputError("--markdown prints the table of all methods: leave out '" + options.name + "'");
  std::optional<int> stages;
  if (!options.stages.empty()) stages = static_cast<int>(std::min(read_whole("--stages", options.stages, 1), 1000000L));
  return show_one(options.name, stages);
}

}  // namespace

Command add_methods(CommandLine& program) {
  Options options = program.command("methods", "List the methods: orders, what they preserve, sources");
  auto arguments = std::make_shared<MethodsOptions>();
  options.optional_argument("NAME", arguments->name, "Method to tell more about, such as " ALEMBERT_DEFAULT_METHOD);
  options.option("-s,--stages", arguments->stages, "S", "Its number of stages");
  options.flag("--markdown", arguments->markdown, "Print the table of the documentation");
  return {options, [arguments] { return show_methods(*arguments); }};
}

}  // namespace alembert::internal::app
