#include "alembert/study/sweep.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>

#include "alembert/base/lists.h"
#include "alembert/derive/carrier.h"
#include "alembert/error.h"
#include "alembert/report.h"
#include "alembert/run/report_names.h"

namespace alembert::internal {

namespace {

bool below(const std::string& path, const std::string& group) {
  return path.starts_with(group) &&
         (path.size() == group.size() || path[group.size()] == '.' || path[group.size()] == '[');
}

/// The paths that the wanted columns stand for. A report without a run has all of them.
std::vector<std::string> chosen_columns(const SweepOptions& options, const Model& model, const Equations& e) {
  Report empty;
  describe(empty, model, e, Method());
  empty.invariants.resize(e.invariants.size());
  empty.observed.resize(e.observed.size());
  if (!model.events.empty() || !model.contacts.empty())
    empty.events.push_back({0, 0, 0, std::vector<double>(e.y.size() + e.z.size()), {}, {}, {}});
  if (!model.contacts.empty()) {
    empty.account = EnergyAccount{};
    empty.events.back().kind = "impact";
  }
  const auto internal = [](const std::string& path) { return below(path, "internal"); };
  if (std::any_of(options.columns.begin(), options.columns.end(), internal)) {
    const StepPlan plan = step_plan(options.method(model), e);
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

/// Which value of each axis a row has; the last axis varies fastest.
std::vector<std::string> values_of(const SweepOptions& options, std::size_t row) {
  std::vector<std::string> values(options.axes.size());
  for (std::size_t k = options.axes.size(); k-- > 0; row /= options.axes[k].values.size())
    values[k] = options.axes[k].values[row % options.axes[k].values.size()];
  return values;
}

/// "0.5", "-1e-3", "1/3"; nothing where it is more than a number.
std::optional<double> plain_number(const std::string& text) {
  const std::size_t slash = text.find('/');
  Quad value = 0, divisor = 1;
  if (!read_number(text.substr(0, slash), value)) return {};
  if (slash != std::string::npos && !read_number(text.substr(slash + 1), divisor)) return {};
  return static_cast<double>(value / divisor);
}

bool has_entry(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether one compilation serves all values of an axis: it can stay open, and they are numbers.
bool serves_all(const Model& model, const SweepAxis& axis) {
  const auto number = [](const std::string& value) { return plain_number(value).has_value(); };
  return std::all_of(axis.values.begin(), axis.values.end(), number) && can_stay_open(model, axis.name);
}

SweepRow empty_row(std::vector<std::string> values, std::size_t columns) {
  SweepRow row;
  row.values = std::move(values);
  row.cells.resize(columns);
  return row;
}

void fill(SweepRow& row, const std::vector<std::string>& columns, const Report& report) {
  row.failure = report.reason;
  row.warnings = report.warnings;
  const std::vector<ReportEntry> all = entries(report);
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (const ReportEntry& entry : all)
      if (entry.path == columns[i]) row.cells[i] = entry.value;
}

std::vector<std::string> assignments(const SweepOptions& options, const std::vector<std::string>& values,
                                     const std::vector<bool>& chosen) {
  std::vector<std::string> set = options.set;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (chosen[i]) set.push_back(options.axes[i].name + "=" + values[i]);
  return set;
}

SimulateOptions simulation_of(const SweepOptions& options, const Model& model) {
  SimulateOptions simulation = options.simulation(model);
  simulation.interrupt = options.interrupt;
  return simulation;
}

/// A row whose model is read, derived and compiled for itself.
void run_alone(const SweepOptions& options, const std::vector<std::string>& columns, SweepRow& row) {
  const std::vector<bool> all(row.values.size(), true);
  const Model model = read_model(options.model, assignments(options, row.values, all));
  const Equations equations = derive(model);
  fill(row, columns, simulate(model, equations, options.method(model), simulation_of(options, model)));
}

/// Rows that differ only in what stays open: one model, one compilation.
class Group {
 public:
  Group(const SweepOptions& options, const std::vector<bool>& open, const std::vector<std::string>& values, double rows)
      : options_(options),
        open_(open),
        model_(read_model(options.model, assignments(options, values, closed(open)))),
        equations_(derive(model_, {.inputs = open_axes(options, open)})),
        method_(options.method(model_)),
        simulation_(simulation_of(options, model_)) {
    require_taken(method_, model_, equations_);
    EngineOptions engine = engine_options(equations_, simulation_);
    engine.steps *= rows;
    prototype_.emplace(model_, equations_, method_, engine);
  }

  void run(const std::vector<std::string>& columns, SweepRow& row) const {
    NamedValues values;
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (open_[i]) values[options_.axes[i].name] = plain_number(row.values[i]).value();
    Engine engine(*prototype_);
    // What has no start with these values, or asks for other code, is looked at by itself.
    try {
      if (!engine.begin(values)) return run_alone(options_, columns, row);
    } catch (const InputError&) { return run_alone(options_, columns, row); }
    fill(row, columns, simulate(engine, simulation_));
  }

 private:
  static std::vector<bool> closed(std::vector<bool> open) {
    open.flip();
    return open;
  }
  static std::vector<std::string> open_axes(const SweepOptions& options, const std::vector<bool>& open) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i]) names.push_back(options.axes[i].name);
    return names;
  }

  const SweepOptions& options_;
  std::vector<bool> open_;
  Model model_;
  Equations equations_;
  Method method_;
  SimulateOptions simulation_;
  std::optional<Engine> prototype_;
};

/// Names and values that cannot be read are wrong input, each said where it is given.
void check_values(const SweepOptions& options) {
  const Text text = parse(options.model);
  for (const SweepAxis& axis : options.axes)
    for (const std::string& value : axis.values) {
      std::vector<Override> set;
      for (const std::string& one : options.set) set.push_back({std::make_shared<Source>(Source{"`set` " + one, one})});
      const std::string varied = axis.name + "=" + value;
      set.push_back({std::make_shared<Source>(Source{"`axes` " + varied, varied})});
      make_model(text, set);
    }
}

/// The work on all rows, on all cores.
class Study {
 public:
  Study(const SweepOptions& options, Sweep& result) : options_(options), result_(result) {}

  void run(const std::vector<bool>& open) {
    // Rows of a group are not neighbours: they are found by what they have in common.
    std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < result_.rows.size(); ++i) {
      std::vector<std::string> common = result_.rows[i].values;
      for (std::size_t k = 0; k < common.size(); ++k)
        if (open[k]) common[k].clear();
      groups[common].push_back(i);
    }
    std::vector<std::vector<std::size_t>> lists;
    for (auto& [common, rows] : groups) lists.push_back(std::move(rows));
    tbb::parallel_for(std::size_t(0), lists.size(), [&](std::size_t i) { run_group(open, lists[i]); });
  }

 private:
  void run_group(const std::vector<bool>& open, const std::vector<std::size_t>& rows) {
    std::unique_ptr<Group> group;
    // One row alone gains nothing, and what is wrong with the values as the model has them need not be with others.
    if (rows.size() > 1) try {
        group = std::make_unique<Group>(options_, open, result_.rows[rows[0]].values, static_cast<double>(rows.size()));
      } catch (const InputError&) { group.reset(); }
    tbb::parallel_for(std::size_t(0), rows.size(), [&](std::size_t k) { run_row(group.get(), result_.rows[rows[k]]); });
  }

  void run_row(const Group* group, SweepRow& row) {
    if (options_.interrupt && options_.interrupt->load(std::memory_order_relaxed)) {
      row.failure = "interrupted";
    } else {
      try {
        if (group) group->run(result_.columns, row);
        else run_alone(options_, result_.columns, row);
      } catch (const InputError& error) { row.failure = error.diagnostics().at(0).message; }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ++done_;
    if (options_.progress) options_.progress(static_cast<double>(done_) / static_cast<double>(result_.rows.size()));
  }

  const SweepOptions& options_;
  Sweep& result_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

bool Sweep::failed() const {
  return std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.failure.empty(); });
}

bool can_stay_open(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.parameter_symbols.size(); ++i) {
    const Expr s = model.parameter_symbols[i];
    if (s.graph().name(s.id()) == name) return !model.shapes_model[i];
  }
  const bool lagrangian = model.form == Form::lagrangian;
  return has_entry(flat_names(model.coordinates), name) ||
         has_entry(flat_names(blocks_of_z(model), lagrangian ? "'" : ""), name);
}

Sweep sweep(const SweepOptions& options) {
  const Model model = read_model(options.model, options.set);
  check_values(options);
  options.method(model);  // what is wrong with them is wrong for all
  options.simulation(model);
  Sweep result;
  result.model = model.title;
  std::size_t count = 1;
  std::vector<bool> open;
  for (const SweepAxis& axis : options.axes) {
    result.axes.push_back(axis.name);
    open.push_back(serves_all(model, axis));
    count *= axis.values.size();
  }
  result.columns = chosen_columns(options, model, derive(model));
  for (std::size_t i = 0; i < count; ++i)
    result.rows.push_back(empty_row(values_of(options, i), result.columns.size()));
  Study(options, result).run(open);
  return result;
}

}  // namespace alembert::internal
