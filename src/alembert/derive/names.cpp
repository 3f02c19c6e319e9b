#include "alembert/derive/names.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

void check_names(const Model& model, const Equations& e, const std::map<std::string, double>& values) {
  std::vector<std::string> open = joined<std::string>(e.y_names, e.z_names);
  for (const Prescribed& one : model.prescribed) open.push_back(one.name);
  for (const OpenParameter& parameter : e.parameters) open.push_back(parameter.name);
  const std::vector<std::string> folded = joined<std::string>(flat_names(model.parameters), flat_names(model.inputs));
  const auto contains = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  std::vector<Diagnostic> wrong;
  for (const auto& [name, value] : values) {
    if (contains(open, name)) continue;
    if (contains(folded, name)) {
      wrong.push_back({nullptr,
                       {},
                       "the value of '" + name + "' is part of the equations, and cannot be changed",
                       "name it in `inputs`, then it stays open"});
      continue;
    }
    const std::string near = nearest_name(name, open);
    wrong.push_back({nullptr,
                     {},
                     "'" + name + "' is no initial value, and no parameter that was left open",
                     near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
}

}  // namespace alembert::internal
