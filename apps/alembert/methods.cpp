// alembert methods: every family with its orders, what it keeps and where it comes from, as its own claims say.

#include <fmt/format.h>

#include <algorithm>

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

/// "symplectic, symmetric, energy, position, velocity, nonholonomic constraints".
std::string keeps(const Claims& claims) {
  Row kept, levels;
  if (claims.symplectic) kept.push_back("symplectic");
  if (claims.symmetric) kept.push_back("symmetric");
  if (claims.energy) kept.push_back("energy");
  if (claims.position) levels.push_back("g");
  if (claims.velocity) levels.push_back("g'");
  if (claims.nonholonomic) levels.push_back("k");
  if (!levels.empty()) kept.push_back(fmt::format("{} = 0", fmt::join(levels, ", ")));
  return fmt::format("{}", fmt::join(kept, "; "));
}

/// Orders in q, v and the multiplier: one number where they agree.
std::string orders(const Claims& c) {
  if (c.order_q == c.order_v && c.order_v == c.order_multiplier) return std::to_string(c.order_q);
  return fmt::format("{}, {}, {}", c.order_q, c.order_v, c.order_multiplier);
}

std::vector<Row> table() {
  std::vector<Row> rows;
  for (const MethodFamily& family : all_families()) {
    const Method method = family.make(family.example);
    rows.push_back({family.signature, family.orders, fmt::format("{}: {}", method.name, orders(method.claims)),
                    keeps(method.claims), family.summary, family.source, method.claims.note});
  }
  return rows;
}

/// Two lines a method: what it is and where it comes from, then orders and what it keeps.
void print_table() {
  const std::vector<Row> rows = table();
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row[0].size());
  for (const Row& row : rows) {
    fmt::print("{:<{}}  {} ({})\n", row[0], width, row[4], row[5]);
    const std::string example = row[2] == row[0] + ": " + row[1] ? "" : " (" + row[2] + ")";
    fmt::print("{:<{}}  order {}{}; {}\n", "", width, row[1], example, row[3]);
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
      "| method | order | example | keeps | what it is | source |\n|---|---|---|---|---|---|\n");
  for (const Row& row : table()) {
    const std::string what = row[6].empty() ? row[4] : row[4] + "; " + row[6];
    fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", row[0], row[1], row[2], row[3], what, row[5]);
  }
}

void print_details(const MethodFamily& family, const Method& method) {
  const Claims& c = method.claims;
  const auto line = [](const char* topic, const std::string& said) {
    if (!said.empty()) fmt::print("  {:<12}{}\n", topic, said);
  };
  fmt::print("{}\n", method.name);
  line("form", family.signature);
  line("is", family.summary);
  line("order", fmt::format("{} in q, {} in v, {} in the multiplier{}", c.order_q, c.order_v, c.order_multiplier,
                            family.orders.empty() ? "" : " (" + family.orders + ")"));
  line("keeps", keeps(c));
  line("source", family.source);
  line("note", c.note);
  const std::string tableau = method.tableau ? method.tableau() : "";
  if (!tableau.empty()) fmt::print("\n{}{}", tableau, tableau.back() == '\n' ? "" : "\n");
}

int show_methods(const MethodsOptions& options) {
  if (options.name.empty()) {
    if (!options.stages.empty())
      throw InputError("--stages needs the name of a method", "alembert methods lobatto --stages 4");
    options.markdown ? print_markdown() : print_table();
    return done;
  }
  if (options.markdown)
    throw InputError("--markdown prints the table of all methods: leave out '" + options.name + "'");
  std::optional<int> stages;
  if (!options.stages.empty()) stages = static_cast<int>(std::min(read_whole("--stages", options.stages, 1), 1000000L));
  const std::vector<MethodFamily> families = all_families();
  for (const MethodFamily& family : families) {
    if (family.name != options.name || stages) continue;
    print_details(family, family.make(family.example));  // a name alone, also of one that has no default arguments
    return done;
  }
  const Method method = read_method("method", options.name, stages);
  for (const MethodFamily& family : families) {
    if (family.name == method.name.substr(0, method.name.find('('))) print_details(family, method);
  }
  return done;
}

}  // namespace

Command add_methods(CommandLine& program) {
  Options options = program.command("methods", "List the methods: orders, what they keep, sources");
  auto arguments = std::make_shared<MethodsOptions>();
  options.optional_argument("NAME", arguments->name, "Method to tell more about, such as lobatto or lobatto(4)");
  options.option("-s,--stages", arguments->stages, "S", "Its number of stages");
  options.flag("--markdown", arguments->markdown, "Print the table of the documentation");
  return {options, [arguments] { return show_methods(*arguments); }};
}

}  // namespace alembert::internal::app
