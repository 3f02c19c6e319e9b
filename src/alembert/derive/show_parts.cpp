#include "alembert/derive/show_parts.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"

namespace alembert::internal {

std::vector<Name> names_of(const std::vector<std::string>& symbols) {
  std::vector<Name> names;
  for (const std::string& symbol : symbols) names.push_back(name_of(symbol));
  return names;
}
std::vector<Name> all_indexed(const Letters& letters, const std::string& letter,
                              const std::vector<std::string>& symbols) {
  std::vector<Name> names;
  for (const std::string& symbol : symbols) names.push_back(letters.indexed(letter, symbol));
  return names;
}
std::vector<Name> zeros(std::size_t count) { return std::vector<Name>(count, {"0", "0"}); }
bool all_zero(const Exprs& list) {
  return std::all_of(list.begin(), list.end(), [](Expr x) { return is_zero(x); });
}
std::vector<std::string> invariant_names(const Model& model) {
  std::vector<std::string> names;
  for (const Block& b : model.invariants)
    for (int i = 0; i < b.size; ++i) names.push_back(entry_name(b, i));
  return names;
}

std::string symbol_name(Expr e) { return e.graph().name(e.id()); }
std::vector<std::string> symbol_names(const Exprs& list) {
  std::vector<std::string> names;
  for (const Expr e : list) names.push_back(symbol_name(e));
  return names;
}
void add_parameters(std::vector<Meaning>& list, const Model& model, const Equations& e, const Exprs& expressions) {
  Exprs shown = expressions;
  std::erase_if(shown, [](Expr x) { return !x; });
  const Exprs known = joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi, e.z_dot);
  std::vector<std::string> parameters, inputs;
  for (const std::uint32_t id : reachable(shown)) {
    const Expr x(e.graph.get(), id);
    const Op op = e.graph->node(id).op;
    if (op != Op::symbol && op != Op::parameter) continue;
    if (std::find(known.begin(), known.end(), x) != known.end()) continue;
    const bool input = std::any_of(model.inputs.begin(), model.inputs.end(), [&](const Block& block) {
      return symbol_name(x) == block.name || symbol_name(x).starts_with(block.name + "[");
    });
    (input ? inputs : parameters).push_back(symbol_name(x));
  }
  if (!parameters.empty()) list.push_back({{}, "parameters", {}, parameters});
  if (!inputs.empty()) list.push_back({{}, "inputs", {}, inputs});
}

std::string coordinate_letter(const Model& model, const Equations& e) {
  return e.form == Form::general && !model.multibody ? "y" : "q";
}

std::string mu_name(const Letters& letters, const std::string& constraint) {
  return letters("mu").text + "_" + constraint;
}

}  // namespace alembert::internal
