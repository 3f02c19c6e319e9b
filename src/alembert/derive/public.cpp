#include "alembert/derive/equations.h"
#include "alembert/derive/show.h"
#include "alembert/equations.h"

namespace alembert {

std::vector<std::string> Equations::inputs() const {
  std::vector<std::string> names;
  for (const internal::OpenParameter& parameter : equations_->parameters) names.push_back(parameter.name);
  return names;
}

std::string Equations::text() const { return internal::show(model_.internal(), *equations_); }

std::string Equations::latex() const { return internal::show(model_.internal(), *equations_, {.latex = true}); }

Equations derive(const Model& model, const DeriveOptions& options) {
  return {model, std::make_shared<const internal::Equations>(internal::derive(model.internal(), options))};
}

}  // namespace alembert
