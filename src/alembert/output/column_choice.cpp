// Some of the columns of a run, in an order of the user's own.

#include <algorithm>
#include <utility>

#include "alembert/error.h"
#include "alembert/trajectory.h"

namespace alembert {

namespace {

/// "q[2]'" as "q'".
std::string without_indices(const std::string& name) {
  std::string text;
  int depth = 0;
  for (const char c : name) {
    if (c == '[') ++depth;
    if (depth == 0) text += c;
    if (c == ']') --depth;
  }
  return text;
}

/// Whether a column is an entry of what has this name: "q[2]'" of "q'", "link[3].r[1]" of "link[3].r".
bool is_entry(std::string column, std::string name) {
  const bool primed = column.ends_with('\'');
  if (primed != name.ends_with('\'')) return false;
  if (primed) {
    column.pop_back();
    name.pop_back();
  }
  if (!column.starts_with(name) || column.size() == name.size()) return false;
  const std::string rest = column.substr(name.size());
  return rest.front() == '[' && rest.back() == ']' && without_indices(rest).empty();
}

class ColumnChoice final : public Observer {
 public:
  ColumnChoice(std::unique_ptr<Observer> to, std::vector<std::string> names)
      : to_(std::move(to)), names_(std::move(names)) {}

  void begin(const Columns& columns, const RunDescription& run) override { to_->begin(choose(columns), run); }
  Mark mark() override { return to_->mark(); }
  void go_on(const Columns& columns, const RunDescription& run, std::span<const Mark> marks) override {
    to_->go_on(choose(columns), run, marks);
  }
  void row(std::span<const double> values) override { to_->row(taken(values)); }
  void event(int number, std::span<const double> values) override { to_->event(number, taken(values)); }
  void end() override { to_->end(); }

 private:
  Columns choose(const Columns& columns) {
    chosen_ = {0};
    std::vector<Diagnostic> unknown;
    for (const std::string& name : names_) {
      if (name == columns.names.front()) continue;
      const std::vector<int> found = columns_named(columns, name);
      const std::string near = found.empty() ? nearest_name(name, columns.names) : "";
      if (found.empty())
        unknown.push_back(
            {nullptr, {}, "there is no column '" + name + "'", near.empty() ? "" : "did you mean '" + near + "'?"});
      for (const int column : found)
        if (std::find(chosen_.begin(), chosen_.end(), column) == chosen_.end()) chosen_.push_back(column);
    }
    if (!unknown.empty()) throw InputError(std::move(unknown));
    Columns taken;
    for (const int column : chosen_) taken.names.push_back(columns.names[static_cast<std::size_t>(column)]);
    for (ColumnRange* range : {&taken.coordinates, &taken.velocities, &taken.momenta, &taken.multipliers, &taken.energy,
                               &taken.residuals, &taken.invariants})
      *range = {1, 1};
    taken.observed = {1, taken.count()};
    taken.ports = {taken.count(), taken.count()};
    taken.events = columns.events;
    if (!columns.units.empty())
      for (const int column : chosen_) taken.units.push_back(columns.units[static_cast<std::size_t>(column)]);
    values_.resize(chosen_.size());
    return taken;
  }
  std::span<const double> taken(std::span<const double> values) {
    for (std::size_t i = 0; i < chosen_.size(); ++i) values_[i] = values[static_cast<std::size_t>(chosen_[i])];
    return values_;
  }

  std::unique_ptr<Observer> to_;
  std::vector<std::string> names_;
  std::vector<int> chosen_;
  std::vector<double> values_;
};

}  // namespace

std::vector<int> columns_named(const Columns& columns, const std::string& name) {
  std::vector<int> found;
  const auto take = [&](const auto& fits) {
    for (int i = 0; i < columns.count() && (found.empty() || i > found.back()); ++i)
      if (fits(columns.names[static_cast<std::size_t>(i)])) found.push_back(i);
  };
  take([&](const std::string& column) { return column == name; });
  if (found.empty()) take([&](const std::string& column) { return is_entry(column, name); });
  if (found.empty()) take([&](const std::string& column) { return column != name && without_indices(column) == name; });
  return found;
}

std::unique_ptr<Observer> choose_columns(std::unique_ptr<Observer> to, std::vector<std::string> names) {
  return std::make_unique<ColumnChoice>(std::move(to), std::move(names));
}

}  // namespace alembert
