#include "alembert/run/settled.h"

#include "alembert/base/lists.h"
#include "alembert/derive/massless.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

std::shared_ptr<const SettledModel> without_masses(const Model& model, const Equations& equations,
                                                   const std::map<std::string, double>& values) {
  std::vector<bool> in_momenta(equations.parameters.size(), false);
  for (const std::uint32_t id : reachable(equations.p)) {
    const Node& node = equations.graph->node(id);
    if (node.op == Op::parameter) in_momenta[node.a] = true;
  }
  std::vector<std::string> open, set, names;
  for (std::size_t i = 0; i < in_momenta.size(); ++i) {
    const std::string& name = equations.parameters[i].name;
    open.push_back(name);
    const auto given = values.find(name);
    if (!in_momenta[i] || given == values.end()) continue;
    names.push_back(name);
    set.push_back(name + "=" + to_text(given->second));
  }
  if (names.empty()) return {};
  try {
    auto settled = std::make_shared<SettledModel>();
    settled->model = read_again(model, set);
    settled->equations = derive(settled->model, {.inputs = open}, names);
    if (massless(settled->equations).empty()) return {};
    settled->names = std::move(names);
    return settled;
  } catch (const InputError&) { return {}; }
}

}  // namespace alembert::internal
