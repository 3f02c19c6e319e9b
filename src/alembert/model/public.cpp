#include <utility>

#include "alembert/base/inside.h"
#include "alembert/base/lists.h"
#include "alembert/model.h"
#include "alembert/model/model.h"
#include "alembert/text/syntax.h"

namespace alembert {

const std::string& Model::title() const { return held_->title; }
const std::string& Model::text() const { return held_->source->text; }

std::vector<Parameter> Model::parameters() const { return internal::parameters_of(*held_); }

std::vector<std::string> Model::states() const {
  using internal::flat_names;
  const bool lagrangian = held_->form == internal::Form::lagrangian;
  return internal::joined<std::string>(flat_names(held_->coordinates, ""), lagrangian
                                                                               ? flat_names(held_->coordinates, "'")
                                                                               : flat_names(held_->momenta, ""));
}

std::vector<std::string> Model::constraints() const {
  std::vector<std::string> names;
  for (const internal::Constraint& c : held_->constraints) names.push_back(c.name);
  return names;
}

std::optional<std::string> Model::method() const {
  if (!held_->solve.method) return {};
  return internal::print(*held_->solve.method);
}
std::optional<double> Model::step() const { return held_->solve.step; }
std::optional<double> Model::end() const { return held_->solve.end; }

Model read_model(const std::string& path, const std::vector<std::string>& overrides) {
  return internal::Inside::make<Model>(std::make_shared<const internal::Model>(internal::read_model(path, overrides)));
}

Model read_model_text(const std::string& text, const std::vector<std::string>& overrides, const std::string& name) {
  const auto source = std::make_shared<const Source>(Source{name, text});
  return internal::Inside::make<Model>(
      std::make_shared<const internal::Model>(internal::read_model(source, overrides)));
}

Model read_model_text(const std::string& text, const std::string& name, const ReadOptions& options) {
  const auto source = std::make_shared<const Source>(Source{name, text});
  return internal::Inside::make<Model>(std::make_shared<const internal::Model>(
      internal::read_model(source, options.overrides, options.observed, options.inputs)));
}

}  // namespace alembert
