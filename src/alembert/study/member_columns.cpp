#include "alembert/study/member_columns.h"

#include <algorithm>
#include <set>

#include "alembert/error.h"
#include "alembert/output/report_words.h"
#include "alembert/run/report_names.h"

namespace alembert::internal {

namespace {

using Cell = decltype(ReportEntry::value);

bool below(const std::string& path, const std::string& group) {
  return path.starts_with(group) &&
         (path.size() == group.size() || path[group.size()] == '.' || path[group.size()] == '[');
}

/// A report without a run: it has all paths that one with a run has, but for the number of its events.
Report empty_report(const std::vector<std::string>& wanted, const Model& model, const Equations& e,
                    const Method& method) {
  Report empty;
  describe(empty, model, e, Method());
  empty.invariants.resize(e.invariants.size());
  empty.observed.resize(e.observed.size());
  if (!model.events.empty() || !model.contacts.empty())
    empty.events.push_back({0, 0, 0, std::vector<double>(e.y.size() + e.z.size()), {}, {}, {}});
  if (e.energy) empty.account = EnergyAccount{};
  if (!model.contacts.empty()) empty.events.back().kind = "impact";
  for (const JointReaction& j : e.joints) {
    const auto zeros = [](const Exprs& of) { return std::vector<double>(of.size()); };
    empty.joints.push_back({j.name, j.kind, j.body, j.other, zeros(j.force), zeros(j.moment), zeros(j.force_in_joint),
                            zeros(j.moment_in_joint)});
  }
  const auto internal = [](const std::string& path) { return below(path, "internal"); };
  if (std::any_of(wanted.begin(), wanted.end(), internal)) {
    const StepPlan plan = step_plan(method, e);
    empty.internal_names = plan.parts[plan.sequence.back().part].internal_names;
    const auto& carried = plan.parts.front().carried_names;
    empty.internal_names.insert(empty.internal_names.end(), carried.begin(), carried.end());
  }
  return empty;
}

/// What is said of all events of a name.
const char* const event_words[] = {"t", "last", "count"};

std::vector<std::string> all_paths(const Report& report) {
  std::vector<std::string> paths;
  for (const ReportEntry& leaf : entries(report)) paths.push_back(leaf.path);
  for (const std::string& name : report.names.events)
    for (const char* word : event_words) paths.push_back("events." + name + "." + word);
  return paths;
}

/// Those that a wanted path stands for.
std::vector<std::string> paths_below(const std::string& path, const std::vector<std::string>& all) {
  std::vector<std::string> found;
  // How many events there will be nobody knows: all are like the first.
  const std::size_t bracket = path.starts_with("events[") ? path.find(']') : std::string::npos;
  const std::string number = bracket == std::string::npos ? "events[1]" : path.substr(0, bracket + 1);
  const std::string like = bracket == std::string::npos ? path : "events[1]" + path.substr(bracket + 1);
  for (const std::string& leaf : all)
    if (below(leaf, like)) found.push_back(leaf.starts_with("events[1]") ? number + leaf.substr(9) : leaf);
  return found;
}

Diagnostic unknown_path(const std::string& path, const std::vector<std::string>& all) {
  std::set<std::string> names;
  for (const std::string& leaf : all) {
    for (std::size_t end = leaf.find_first_of(".["); end != std::string::npos; end = leaf.find_first_of(".[", end + 1))
      names.insert(leaf.substr(0, end));
    names.insert(leaf);
  }
  const std::string near = nearest_name(path, {names.begin(), names.end()});
  return {nullptr,
          {},
          "`columns`: the report has no '" + path + "'",
          near.empty() ? "`to_json(report)` shows what there is" : "did you mean '" + near + "'?"};
}

/// "events.NAME.t" and the like, of the events of that name; nothing where the path is none of these.
std::optional<Cell> event_cell(const Report& report, const std::string& path) {
  constexpr std::string_view start = "events.";
  if (!path.starts_with(start)) return {};
  const std::size_t dot = path.rfind('.');
  const std::string name = path.substr(start.size(), dot - start.size()), word = path.substr(dot + 1);
  long count = 0;
  double first = 0, last = 0;
  for (const EventRecord& record : report.events) {
    if (report.names.events[static_cast<std::size_t>(record.event)] != name) continue;
    if (count++ == 0) first = record.t;
    last = record.t;
  }
  if (word == "count") return Cell(count);
  return count == 0 ? Cell() : Cell(word == "t" ? first : last);
}

}  // namespace

std::vector<std::string> member_columns(const std::vector<std::string>& wanted, const Model& model,
                                        const Equations& equations, const Method& method) {
  const std::vector<std::string> all = all_paths(empty_report(wanted, model, equations, method));
  std::vector<std::string> asked = wanted, columns;
  if (asked.empty()) {
    asked = {"t"};
    if (equations.energy) asked.push_back("energy.max_error");
    if (!equations.g.empty()) asked.insert(asked.end(), {"residual.position", "residual.velocity"});
    if (!equations.k.empty()) asked.push_back("residual.nonholonomic");
    asked.push_back("statistics.steps");
  }
  std::vector<Diagnostic> wrong;
  for (const std::string& path : asked) {
    const std::vector<std::string> found = paths_below(path, all);
    if (found.empty()) wrong.push_back(unknown_path(path, all));
    for (const std::string& one : found) {
      if (std::find(columns.begin(), columns.end(), one) != columns.end())
        wrong.push_back({nullptr, {}, "`columns`: '" + one + "' is there twice", "leave one of them out"});
      else columns.push_back(one);
    }
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
  return columns;
}

std::vector<Cell> member_cells(const Report& report, const std::vector<std::string>& columns) {
  std::vector<Cell> cells(columns.size());
  std::set<std::string> groups;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (const std::optional<Cell> cell = event_cell(report, columns[i])) cells[i] = *cell;
    else groups.insert(columns[i].substr(0, columns[i].find_first_of(".[")));
  }
  if (groups.empty()) return cells;
  for (const ReportEntry& entry : entries_of_groups(report, groups)) {
    const auto found = std::find(columns.begin(), columns.end(), entry.path);
    if (found != columns.end()) cells[static_cast<std::size_t>(found - columns.begin())] = entry.value;
  }
  return cells;
}

}  // namespace alembert::internal
