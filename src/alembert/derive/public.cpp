#include "alembert/derive/equations.h"

#include <utility>

#include "alembert/base/inside.h"
#include "alembert/derive/show.h"
#include "alembert/equations.h"

namespace alembert {

std::vector<std::string> Equations::inputs() const {
  std::vector<std::string> names;
  for (const internal::OpenParameter& parameter : held_->parameters) names.push_back(parameter.name);
  return names;
}

std::string Equations::text() const { return internal::show(internal::inside(model_), *held_); }

std::string Equations::latex() const { return internal::show(internal::inside(model_), *held_, {.latex = true}); }

std::string Equations::show(const ShowOptions& options) const {
  return internal::show(internal::inside(model_), *held_, options);
}

Exprs Equations::expressions(const std::string& letter) const {
  const internal::Equations& e = *held_;
  const auto single = [](Expr one) { return one ? Exprs{one} : Exprs{}; };
  const std::vector<std::pair<std::string, Exprs>> all = {
      {"t", single(e.t)},
      {"y", e.y},
      {"z", e.z},
      {"lambda", e.lambda},
      {"psi", e.psi},
      {"z_dot", e.z_dot},
      {"v", e.v},
      {"p", e.p},
      {"f", e.f},
      {"N", e.N},
      {"r", e.r},
      {"g", e.g},
      {"g_dot", e.g_dot},
      {"k", e.k},
      {"energy", single(e.energy)},
      {"L", single(e.L)},
      {"invariants", e.invariants},
      {"observed", e.observed},
      {"reduced", e.reduced},
  };
  std::vector<std::string> letters;
  for (const auto& [name, list] : all) {
    if (name == letter) return list;
    letters.push_back(name);
  }
  const std::string near = nearest_name(letter, letters);
  throw InputError("the equations have no '" + letter + "'", near.empty() ? "" : "did you mean '" + near + "'?");
}

Equations derive(const Model& model, const DeriveOptions& options) {
  return internal::Inside::make<Equations>(
      model, std::make_shared<const internal::Equations>(internal::derive(internal::inside(model), options)));
}

}  // namespace alembert
