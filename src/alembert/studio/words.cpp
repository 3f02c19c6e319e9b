#include "alembert/studio/words.h"

#include <algorithm>

#include "alembert/expr/operators.h"
#include "alembert/method.h"
#include "alembert/methods/method.h"
#include "alembert/study/check.h"
#include "alembert/study/sweep.h"
#include "alembert/text/statements.h"
#include "alembert/version.h"

namespace alembert::internal::studio {
namespace {

/// Fields of the library stand in backticks; on the page they are named by the same words.
std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

Json parameters(const Model& model) {
  Json list = Json::array();
  for (const Block& block : model.parameters) {
    for (int i = 0; i < block.size; ++i) {
      const std::size_t at = static_cast<std::size_t>(block.first) + static_cast<std::size_t>(i);
      const std::string name = entry_name(block, i);
      list.push_back({{"name", name},
                      {"value", static_cast<double>(model.parameter_values[at])},
                      {"unit", block.unit},
                      {"line", block.place.line},
                      {"open", can_stay_open(model, name)}});
    }
  }
  return list;
}

void add_initial(Json& list, const std::vector<Block>& blocks, const char* suffix, const std::vector<Quad>& values,
                 const std::vector<bool>& given) {
  for (const Block& block : blocks) {
    for (int i = 0; i < block.size; ++i) {
      const std::size_t at = static_cast<std::size_t>(block.first) + static_cast<std::size_t>(i);
      if (at >= values.size()) continue;
      list.push_back({{"name", entry_name(block, i) + suffix},
                      {"value", static_cast<double>(values[at])},
                      {"unit", *suffix ? "" : block.unit},
                      {"given", at < given.size() && given[at]},
                      {"part", i},
                      {"parts", block.size}});
    }
  }
}

Json initial_values(const Model& model) {
  Json list = Json::array();
  std::vector<Block> places = own_coordinates(model);
  for (const Block& state : first_order_states(model)) places.push_back(state);
  add_initial(list, places, "", model.q0, model.q_given);
  const bool lagrangian = model.form == Form::lagrangian;
  add_initial(list, blocks_of_z(model), lagrangian ? "'" : "", model.z0, model.z_given);
  return list;
}

Json methods(const Equations& equations) {
  Json list = Json::array();
  for (const MethodDescription& family : describe_methods()) {
    const std::string why =
        refusal(find_method(parse_term(std::make_shared<const Source>(Source{"method", family.example}))), equations);
    list.push_back({{"signature", family.signature},
                    {"example", family.example},
                    {"summary", family.summary},
                    {"orders", family.orders},
                    {"refusal", plain(why)}});
  }
  return list;
}

Json names(const Model& model) {
  Json list = Json::array();
  const auto add = [&](const std::vector<Block>& blocks, const char* kind) {
    for (const Block& block : blocks) list.push_back({{"name", block.name}, {"kind", kind}});
  };
  add(model.parameters, "parameter");
  add(model.coordinates, "coordinate");
  add(model.momenta, model.form == Form::hamiltonian ? "momentum" : "variable");
  add(model.inputs, "input");
  add(model.observed, "observed");
  for (const Constraint& c : model.constraints) list.push_back({{"name", c.name}, {"kind", "constraint"}});
  for (const Joint& joint : model.joints) list.push_back({{"name", joint.name}, {"kind", "joint"}});
  return list;
}

}  // namespace

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json language() {
  Json said;
  said["version"] = std::string(version);
  Json& keywords = said["keywords"] = Json::array();
  for (const StatementForm& form : statement_forms())
    keywords.push_back({{"keyword", form.keyword},
                        {"syntax", syntax_of(form)},
                        {"description", form.description},
                        {"example", form.example},
                        {"kinds", split_words(form.kinds)},
                        {"words", split_words(form.words)}});
  Json& functions = said["functions"] = Json::array();
  for (const Operator& function : operators())
    if (find_function(function.name)) functions.push_back(function.name);
  return said;
}

Json diagnostics(const InputError& error, const std::string& own_path) {
  Json list = Json::array();
  for (const Diagnostic& d : error.diagnostics()) {
    const bool own = d.source && d.source->name == own_path;
    Json one = {{"line", own ? d.place.line : 0},
                {"column", own ? d.place.column : 0},
                {"length", own ? d.place.length : 0},
                {"message", plain(d.message)},
                {"hint", plain(d.hint)}};
    if (d.source && !own) {
      one["file"] = plain(d.source->name);
      one["text"] = plain(format(d));
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json json_of(const Tree& tree) {
  struct Maker {
    Json operator()(std::monostate) const { return {}; }
    Json operator()(bool yes) const { return yes; }
    Json operator()(long number) const { return number; }
    Json operator()(double number) const { return number; }
    Json operator()(const std::string& word) const { return word; }
    Json operator()(const Tree::List& list) const {
      Json array = Json::array();
      for (const Tree& one : list) array.push_back(json_of(one));
      return array;
    }
    Json operator()(const Tree::Members& members) const {
      Json object = Json::object();
      for (const auto& [name, one] : members) object[name] = json_of(one);
      return object;
    }
  };
  return std::visit(Maker(), tree.value);
}

Json description(const Model& model, const Equations& equations) {
  const Examination found = examine(model, equations);
  Json said;
  said["title"] = model.title;
  said["parameters"] = parameters(model);
  said["initial"] = initial_values(model);
  said["names"] = names(model);
  Json& solve = said["solve"] = Json::object();
  if (model.solve.method) solve["method"] = print(*model.solve.method);
  if (model.solve.step) solve["step"] = *model.solve.step;
  if (model.solve.end) solve["end"] = *model.solve.end;
  said["methods"] = methods(equations);
  said["text"] = plain(to_text(found));
  said["facts"] = json_of(to_tree(found));
  return said;
}

}  // namespace alembert::internal::studio
