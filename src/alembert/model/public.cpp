#include <utility>

#include "alembert/base/lists.h"
#include "alembert/model.h"
#include "alembert/model/model.h"
#include "alembert/text/syntax.h"

namespace alembert {

const std::string& Model::title() const { return model_->title; }
const std::string& Model::text() const { return model_->source->text; }

std::vector<Parameter> Model::parameters() const { return internal::parameters_of(*model_); }

std::vector<std::string> Model::states() const {
  using internal::flat_names;
  const bool lagrangian = model_->form == internal::Form::lagrangian;
  return internal::joined<std::string>(flat_names(model_->coordinates, ""), lagrangian
                                                                                ? flat_names(model_->coordinates, "'")
                                                                                : flat_names(model_->momenta, ""));
}

std::vector<std::string> Model::constraints() const {
  std::vector<std::string> names;
  for (const internal::Constraint& c : model_->constraints) names.push_back(c.name);
  return names;
}

std::optional<std::string> Model::method() const {
  if (!model_->solve.method) return {};
  return internal::print(*model_->solve.method);
}
std::optional<double> Model::step() const { return model_->solve.step; }
std::optional<double> Model::end() const { return model_->solve.end; }

Model read_model(const std::string& path, const std::vector<std::string>& overrides) {
  return Model(std::make_shared<const internal::Model>(internal::read_model(path, overrides)));
}

Model read_model_text(const std::string& text, const std::vector<std::string>& overrides, const std::string& name) {
  const auto source = std::make_shared<const Source>(Source{name, text});
  return Model(std::make_shared<const internal::Model>(internal::read_model(source, overrides)));
}

Model read_model_text(const std::string& text, const std::string& name, const ReadOptions& options) {
  const auto source = std::make_shared<const Source>(Source{name, text});
  return Model(std::make_shared<const internal::Model>(
      internal::read_model(source, options.overrides, options.observed, options.inputs)));
}

}  // namespace alembert
