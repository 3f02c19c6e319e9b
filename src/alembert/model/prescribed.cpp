// What `initial` and `when` set though it is no state of its own: the rate of a joint, the length of a spring, any let.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

#include "alembert/model/elaborate.h"

namespace alembert::internal {

namespace {

const Term& root_of_path(const Term& term) {
  const Term* root = &term;
  while (root->form == Term::Form::index || root->form == Term::Form::prime) root = &root->parts[0];
  return *root;
}

/// As it is written, with numbers in the place of indices: "pin[2].rate".
std::string with_numbers(Scope& scope, const Term& target) {
  if (target.form == Term::Form::prime) return with_numbers(scope, target.parts[0]) + "'";
  if (target.form != Term::Form::index) return target.text;
  const std::optional<long> number = scope.whole(target.parts[1], "an index");
  return with_numbers(scope, target.parts[0]) + "[" + (number ? std::to_string(*number) : "") + "]";
}

/// The number of an entry in Model::prescribed, which is made where it is new.
int entry_of(Elaboration& e, const std::string& name, Expr value, const Place& place) {
  std::vector<Prescribed>& all = e.model.prescribed;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Prescribed& one) { return one.name == name; });
  if (found != all.end()) return static_cast<int>(found - all.begin());
  const bool moves = (e.scope.contents(value) & holds_z) != 0;
  all.push_back({name, value, moves, place, {}, {}});
  return static_cast<int>(all.size()) - 1;
}

bool may_jump(Op op) { return op == Op::sign || op == Op::positive || op == Op::abs || op == Op::min || op == Op::max; }

/// The numbers of all that signs and conditions are taken of, and of what that is made of.
std::set<std::uint32_t> parts_of_jumps(const Graph& graph, Expr any) {
  std::set<std::uint32_t> parts;
  Exprs arguments;
  for (std::uint32_t id = 0; id < graph.size(); ++id) {
    const Node node = graph.node(id);
    if (!may_jump(node.op)) continue;
    arguments.emplace_back(&any.graph(), node.a);
    if (node.op == Op::min || node.op == Op::max) arguments.emplace_back(&any.graph(), node.b);
  }
  if (arguments.empty()) return parts;
  for (const std::uint32_t id : reachable(arguments)) parts.insert(id);
  return parts;
}

/// "h[].rate" of a member of a family, "h[2].rate".
std::string name_of_member(std::string name, const std::vector<long>& indices) {
  for (const long index : indices) {
    const std::string number = "[" + std::to_string(index) + "]";
    const std::size_t gap = name.find("[]");
    if (gap == std::string::npos) name += number;
    else name.replace(gap, 2, number);
  }
  return name;
}

}  // namespace

void name_jumps(Elaboration& e) {
  Scope& scope = e.scope;
  std::optional<std::set<std::uint32_t>> parts;  // found when the first let is met
  const auto name = [&](const Value& value, const std::string& of, const Place& place) {
    if (value.bad || value.entries.size() != 1) return;
    const Expr entry = value.entries[0];
    if (!parts) parts = parts_of_jumps(entry.graph(), entry);
    const Op op = entry.graph().node(entry.id()).op;
    const unsigned holds = scope.contents(entry);
    if (op == Op::symbol || op == Op::constant || !parts->contains(entry.id())) return;
    if ((holds & (holds_q | holds_z)) && !(holds & (holds_multiplier | holds_port | holds_contact)))
      entry_of(e, of, entry, place);
  };
  for (const Declaration& d : scope.declarations()) {
    if (d.kind != Kind::let || d.bad || d.imported) continue;
    name(d.value, d.name, d.place);
    for (const auto& [indices, value] : d.members) name(value, name_of_member(d.name, indices), d.place);
  }
}

bool names_let(Scope& scope, const Term& target) {
  const Term& root = root_of_path(target);
  if (root.form != Term::Form::name) return false;
  const Declaration* d = scope.find(root.text);
  if (!d && root.text.find("[]") != std::string::npos) {
    const std::optional<Term> one = scope.concrete(target);
    d = one ? scope.find(root_of_path(*one).text) : nullptr;
  }
  return d && d->kind == Kind::let;
}

std::vector<int> prescribe(Elaboration& e, const Term& target) {
  Scope& scope = e.scope;
  const Value value = scope.evaluate(target);
  if (value.bad) return {};
  const std::optional<Term> one =
      root_of_path(target).text.find("[]") != std::string::npos ? scope.concrete(target) : std::optional(target);
  if (!one) return {};
  const std::string name = with_numbers(scope, *one);
  std::vector<int> entries;
  for (std::size_t k = 0; k < value.entries.size(); ++k) {
    const unsigned holds = scope.contents(value.entries[k]);
    if (holds & (holds_multiplier | holds_port | holds_contact)) {
      scope.error(target.place, "'" + name + "' contains reactions and cannot be set",
                  "it follows from the motion; what can be set are places and velocities");
      return {};
    }
    if (!(holds & (holds_q | holds_z))) {
      scope.error(target.place, "'" + name + "' contains no state and cannot be set",
                  "set the parameters that it is made of");
      return {};
    }
    const std::string own = value.entries.size() == 1 ? name : name + "[" + std::to_string(k + 1) + "]";
    entries.push_back(entry_of(e, own, value.entries[k], target.place));
  }
  return entries;
}

}  // namespace alembert::internal
