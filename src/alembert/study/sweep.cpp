#include "alembert/study/sweep.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "alembert/error.h"
#include "alembert/report.h"
#include "alembert/run/report_names.h"

namespace alembert::internal {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A cell of the table, as JSON.
std::string cell(const ReportEntry& entry) {
  if (const long* whole = std::get_if<long>(&entry.value)) return dump(*whole);
  if (const double* number = std::get_if<double>(&entry.value)) return dump(*number);
  if (const std::string* text = std::get_if<std::string>(&entry.value)) return dump(*text);
  return "null";
}

bool below(const std::string& path, const std::string& group) {
  return path.starts_with(group) &&
         (path.size() == group.size() || path[group.size()] == '.' || path[group.size()] == '[');
}

/// The paths that the wanted columns stand for. A report without a run has all of them.
std::vector<std::string> chosen_columns(const SweepOptions& options, const Model& model, const Equations& e) {
  Report empty;
  describe(empty, model, e, Method());
  empty.invariants.resize(e.invariants.size());
  if (!model.events.empty()) empty.events.push_back({0, 0, 0, std::vector<double>(e.y.size() + e.z.size()), {}, {}});
  const auto internal = [](const std::string& path) { return below(path, "internal"); };
  if (std::any_of(options.columns.begin(), options.columns.end(), internal)) {
    const StepPlan plan = options.method(model).step(e);
    empty.internal_names = plan.parts[plan.sequence.back().part].internal_names;
    const auto& carried = plan.parts.front().carried_names;
    empty.internal_names.insert(empty.internal_names.end(), carried.begin(), carried.end());
  }
  const std::vector<ReportEntry> all = entries(empty);
  std::vector<std::string> wanted = options.columns, columns;
  if (wanted.empty()) {
    wanted = {"t"};
    if (e.energy) wanted.push_back("energy.max_error");
    if (!e.g.empty()) wanted.insert(wanted.end(), {"residual.position", "residual.velocity"});
    if (!e.k.empty()) wanted.push_back("residual.nonholonomic");
    wanted.push_back("statistics.steps");
  }
  std::vector<Diagnostic> unknown;
  for (const std::string& path : wanted) {
    const std::size_t before = columns.size();
    // How many events there will be nobody knows: all are like the first.
    const std::size_t bracket = path.starts_with("events[") ? path.find(']') : std::string::npos;
    const std::string number = bracket == std::string::npos ? "events[1]" : path.substr(0, bracket + 1);
    const std::string like = bracket == std::string::npos ? path : "events[1]" + path.substr(bracket + 1);
    for (const ReportEntry& leaf : all)
      if (below(leaf.path, like))
        columns.push_back(leaf.path.starts_with("events[1]") ? number + leaf.path.substr(9) : leaf.path);
    if (columns.size() > before) continue;
    std::set<std::string> names;
    for (const ReportEntry& leaf : all)
      for (std::size_t end = leaf.path.find_first_of(".["); end != std::string::npos;
           end = leaf.path.find_first_of(".[", end + 1))
        names.insert(leaf.path.substr(0, end));
    for (const ReportEntry& leaf : all) names.insert(leaf.path);
    const std::string near = nearest_name(path, {names.begin(), names.end()});
    unknown.push_back({nullptr,
                       {},
                       "`columns`: the report has no '" + path + "'",
                       near.empty() ? "`to_json(report)` shows what there is" : "did you mean '" + near + "'?"});
  }
  if (!unknown.empty()) throw InputError(std::move(unknown));
  return columns;
}

SweepRow run_one(const SweepOptions& options, const std::vector<std::string>& columns,
                 std::vector<std::string> values) {
  SweepRow row;
  row.values = std::move(values);
  row.cells.assign(columns.size(), "null");
  if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) {
    row.failure = "interrupted";
    return row;
  }
  try {
    std::vector<std::string> set = options.set;
    for (std::size_t i = 0; i < row.values.size(); ++i) set.push_back(options.axes[i].name + "=" + row.values[i]);
    const Model model = read_model(options.model, set);
    const Equations equations = derive(model);
    SimulateOptions simulation = options.simulation(model);
    simulation.interrupt = options.interrupt;
    const Report report = simulate(model, equations, options.method(model), simulation);
    row.failure = report.reason;
    const std::vector<ReportEntry> all = entries(report);
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (const ReportEntry& leaf : all)
        if (leaf.path == columns[i]) row.cells[i] = cell(leaf);
  } catch (const InputError& error) { row.failure = error.diagnostics().at(0).message; }
  return row;
}

/// A cell for the eye: six digits, words without quotes, nothing for nothing.
std::string shown(const std::string& cell) {
  const Json value = Json::parse(cell);
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : cell;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

bool Sweep::failed() const {
  return std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.failure.empty(); });
}

Sweep sweep(const SweepOptions& options) {
  const Model model = read_model(options.model, options.set);
  // Names and values that cannot be read are wrong input, each said where it is given.
  std::size_t count = 1;
  for (const SweepAxis& axis : options.axes) {
    for (const std::string& value : axis.values) {
      std::vector<Override> set;
      for (const std::string& one : options.set) set.push_back({std::make_shared<Source>(Source{"`set` " + one, one})});
      const std::string varied = axis.name + "=" + value;
      set.push_back({std::make_shared<Source>(Source{"`axes` " + varied, varied})});
      make_model(parse(options.model), set);
    }
    count *= axis.values.size();
  }
  Sweep result;
  result.model = model.title;
  for (const SweepAxis& axis : options.axes) result.axes.push_back(axis.name);
  options.method(model), options.simulation(model);  // what is wrong with them is wrong for all
  result.columns = chosen_columns(options, model, derive(model));
  result.rows.resize(count);
  std::mutex mutex;
  std::size_t done = 0;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          std::vector<std::string> values(options.axes.size());
          std::size_t rest = i;
          for (std::size_t k = options.axes.size(); k-- > 0; rest /= options.axes[k].values.size())
            values[k] = options.axes[k].values[rest % options.axes[k].values.size()];
          result.rows[i] = run_one(options, result.columns, std::move(values));
          const std::lock_guard<std::mutex> lock(mutex);
          ++done;
          if (options.progress) options.progress(static_cast<double>(done) / static_cast<double>(count));
        }
      },
      tbb::simple_partitioner{});
  return result;
}

std::string to_text(const Sweep& sweep) {
  std::vector<std::vector<std::string>> table(1);
  table[0] = sweep.axes;
  table[0].insert(table[0].end(), sweep.columns.begin(), sweep.columns.end());
  for (const SweepRow& row : sweep.rows) {
    table.push_back(row.values);
    for (const std::string& cell : row.cells) table.back().push_back(shown(cell));
  }
  std::vector<std::size_t> width(table[0].size(), 0);
  for (const auto& line : table)
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  std::string text = (sweep.model.empty() ? "Model without a name" : sweep.model) + "\n";
  for (std::size_t n = 0; n < table.size(); ++n) {
    for (std::size_t i = 0; i < table[n].size(); ++i) text += fmt::format("  {:>{}}", table[n][i], width[i]);
    if (n > 0 && !sweep.rows[n - 1].failure.empty()) text += "  failed: " + sweep.rows[n - 1].failure;
    text += "\n";
  }
  return text;
}

std::string to_json(const Sweep& sweep) {
  Json json{{"model", sweep.model}, {"rows", Json::array()}};
  for (const SweepRow& row : sweep.rows) {
    Json vary = Json::object(), report = Json::object();
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
      const Json number = Json::parse(row.values[i], nullptr, false);
      vary[sweep.axes[i]] = number.is_number() ? number : Json(row.values[i]);
    }
    for (std::size_t i = 0; i < sweep.columns.size(); ++i) report[sweep.columns[i]] = Json::parse(row.cells[i]);
    json["rows"].push_back(
        {{"vary", vary}, {"report", report}, {"failure", row.failure.empty() ? Json() : Json(row.failure)}});
  }
  return dump(json);
}

std::string to_csv(const Sweep& sweep) {
  std::string text;
  for (const auto* names : {&sweep.axes, &sweep.columns})
    for (const std::string& name : *names) text += csv_field(name) + ",";
  text += "failure\n";
  for (const SweepRow& row : sweep.rows) {
    for (const std::string& value : row.values) text += csv_field(value) + ",";
    for (const std::string& cell : row.cells) {
      const Json value = Json::parse(cell);
      text += (value.is_null() ? "nan" : value.is_string() ? csv_field(value.get<std::string>()) : cell) + ",";
    }
    text += csv_field(row.failure) + "\n";
  }
  return text;
}

}  // namespace alembert::internal
