#include "alembert/study/sweep_check.h"

#include <algorithm>
#include <map>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

bool is_entry_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Reads the model with one value more, and keeps what is wrong with it.
class ValueCheck {
 public:
  ValueCheck(const SweepOptions& options, std::vector<Diagnostic>& wrong)
      : options_(options), text_(parse(options.model)), wrong_(wrong) {}
  /// False where the value was wrong.
  bool operator()(const char* field, const std::string& name, const std::string& value) {
    std::vector<Override> set;
    for (const std::string& one : options_.set) set.push_back({std::make_shared<Source>(Source{"`set` " + one, one})});
    const std::string varied = name + "=" + value;
    set.push_back({std::make_shared<Source>(Source{std::string("`") + field + "` " + varied, varied})});
    try {
      make_model(text_, set, {}, options_.inputs);
      return true;
    } catch (const InputError& error) {
      wrong_.insert(wrong_.end(), error.diagnostics().begin(), error.diagnostics().end());
      return false;
    }
  }

 private:
  const SweepOptions& options_;
  Text text_;
  std::vector<Diagnostic>& wrong_;
};

/// The first part of "NAME=VALUE", without blanks at its ends.
std::string assigned_name(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const std::size_t from = name.find_first_not_of(' '), to = name.find_last_not_of(' ');
  return from == std::string::npos ? "" : name.substr(from, to - from + 1);
}

void check_twice(const SweepOptions& options, std::vector<Diagnostic>& wrong) {
  std::map<std::string, const char*> given;
  const auto add = [&](const std::string& name, const char* field) {
    const auto [at, fresh] = given.emplace(name, field);
    if (fresh) return;
    const std::string first = std::string("`") + at->second + "`", second = std::string("`") + field + "`";
    if (first == second)
      wrong.push_back({nullptr, {}, first + " names '" + name + "' twice", "put all its values into one list"});
    else
      wrong.push_back({nullptr, {}, first + " and " + second + " both give '" + name + "'", "leave one of them out"});
  };
  for (const std::string& one : options.set) given.emplace(assigned_name(one), "set");
  for (const SweepAxis& axis : options.axes) add(axis.name, "axes");
  for (const Draw& draw : options.draws) add(draw.name, "draws");
}

}  // namespace

bool can_stay_open(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.parameter_symbols.size(); ++i) {
    const Expr s = model.parameter_symbols[i];
    if (s.graph().name(s.id()) == name) return !model.shapes_model[i];
  }
  const bool lagrangian = model.form == Form::lagrangian;
  return is_entry_of(flat_names(model.coordinates), name) ||
         is_entry_of(flat_names(blocks_of_z(model), lagrangian ? "'" : ""), name);
}

void check_names_and_values(const SweepOptions& options, const Model& model) {
  std::vector<Diagnostic> wrong;
  check_twice(options, wrong);
  ValueCheck check_value(options, wrong);
  for (const SweepAxis& axis : options.axes) {
    // Numbers of a long list or range are all alike: its ends are looked at, and what else is wrong is a row.
    constexpr std::size_t looked_at = 1000;
    const bool all = axis.size() <= looked_at && !axis.values.empty();
    for (std::size_t i = 0; i < axis.size(); i += all ? 1 : axis.size() - 1)
      if (!check_value("axes", axis.name, axis.text(i)) && axis.values.empty()) break;
  }
  for (const Draw& draw : options.draws) {
    const double middle = draw.distribution == Distribution::normal ? draw.a : draw.a / 2 + draw.b / 2;
    if (!check_value("draws", draw.name, to_text(middle))) continue;
    if (!can_stay_open(model, draw.name))
      wrong.push_back({nullptr, {}, "'" + draw.name + "' cannot be drawn", "it decides sizes, or is no single number"});
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
}

std::vector<bool> open_axes(const SweepOptions& options, const Model& model) {
  std::vector<bool> open;
  for (const SweepAxis& axis : options.axes) {
    const auto number = [](const std::string& value) { return constant_value(value).has_value(); };
    open.push_back(can_stay_open(model, axis.name) && std::all_of(axis.values.begin(), axis.values.end(), number));
  }
  return open;
}

}  // namespace alembert::internal
