// Many runs, and what is measured on a model.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "rows.h"

namespace alembert::python {
namespace {

bool below(const std::string& path, const std::string& group) {
  return path.starts_with(group) &&
         (path.size() == group.size() || path[group.size()] == '.' || path[group.size()] == '[');
}

/// The columns of a table where nobody chooses.
std::vector<std::string> usual_columns(const std::vector<ReportEntry>& all) {
  std::vector<std::string> columns;
  for (const char* path :
       {"t", "energy.max_error", "residual.position", "residual.velocity", "residual.nonholonomic", "statistics.steps"})
    for (const ReportEntry& entry : all)
      if (entry.path == path && !std::holds_alternative<std::monostate>(entry.value)) columns.emplace_back(path);
  return columns;
}

/// Entries of a report, and what can be said of its events by their names.
std::vector<ReportEntry> all_entries(const Report& report) {
  std::vector<ReportEntry> all = entries(report);
  for (const std::string& name : report.names.events)
    for (const char* word : {".t", ".last", ".count"}) all.push_back({"events." + name + word, {}});
  return all;
}

/// The paths that the wanted ones stand for, in a report that a first step gives. How many events there will be nobody
/// knows: paths by their number are taken as they are.
std::vector<std::string> chosen_columns(const std::vector<std::string>& wanted, const std::vector<ReportEntry>& all) {
  if (wanted.empty()) return usual_columns(all);
  std::vector<std::string> columns;
  std::vector<Diagnostic> unknown;
  for (const std::string& path : wanted) {
    const std::size_t before = columns.size();
    for (const ReportEntry& entry : all)
      if (below(entry.path, path)) columns.push_back(entry.path);
    if (columns.size() == before && path.starts_with("events[")) columns.push_back(path);
    if (columns.size() > before) continue;
    std::vector<std::string> names;
    for (const ReportEntry& entry : all) names.push_back(entry.path);
    const std::string near = nearest_name(path, names);
    unknown.push_back(
        {nullptr,
         {},
         "`columns`: the report has no '" + path + "'",
         near.empty() ? "report.entries() of a run shows what there is" : "did you mean '" + near + "'?"});
  }
  if (!unknown.empty()) throw InputError(std::move(unknown));
  return columns;
}

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<decltype(ReportEntry::value)>> cells;  // of each member, one a column
  std::vector<Member> members;                                   // without reports
  std::vector<std::shared_ptr<RunData>> runs;                    // where rows were asked for
  py::object raised = py::none();

  void take(std::vector<Member> found);
};

/// Reports become cells, and are given away.
void Table::take(std::vector<Member> found) {
  members = std::move(found);
  for (std::size_t i = 0; i < members.size(); ++i) {
    Member& member = members[i];
    std::vector<decltype(ReportEntry::value)>& row = cells.emplace_back(columns.size());
    if (!member.failure.empty()) continue;
    row = alembert::cells(member.report, columns);
    member.failure = member.report.reason;
    if (i < runs.size()) runs[i]->report = member.report;
    Report rest;
    rest.warnings = std::move(member.report.warnings);
    member.report = std::move(rest);
  }
}

/// Numbers as an array, words as a list.
py::object column(const Table& table, std::size_t number) {
  py::array_t<double> values(static_cast<py::ssize_t>(table.cells.size()));
  py::list words;
  bool in_words = false;
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    const auto& cell = table.cells[i].at(number);
    double value = NAN;
    if (const auto* x = std::get_if<double>(&cell)) value = *x;
    if (const auto* n = std::get_if<long>(&cell)) value = static_cast<double>(*n);
    values.mutable_at(static_cast<py::ssize_t>(i)) = value;
    const auto* text = std::get_if<std::string>(&cell);
    in_words = in_words || text;
    words.append(text ? py::object(py::str(*text)) : py::object(py::none()));
  }
  if (in_words) return words;
  return values;
}

Stepper prototype(const ModelText& text, const std::string& method, const std::vector<std::string>& names,
                  SimulateOptions& options, double members) {
  const Model model = text.read();
  options.end = required("end", options.end, model.end());
  complete_step(options, model);
  const Equations equations = derive(model, {.inputs = names});
  CompileOptions compiling;
  compiling.step = options.step;
  compiling.steps = std::abs(options.end / options.step) * members;
  return compile(chosen_method(method, equations, options).method, equations, compiling);
}

std::vector<ReportEntry> first_entries(const Stepper& stepper, const SimulateOptions& options) {
  SimulateOptions once = options;
  once.end = stepper.t() + options.step;
  once.at.clear();
  once.observers.clear();
  once.progress = {};
  return all_entries(follow(stepper, once));
}

std::shared_ptr<Table> run_members(const ModelText& text, const std::string& method,
                                   const std::vector<std::string>& names, const py::array_t<double>& numbers,
                                   SimulateOptions options, const std::vector<std::string>& wanted, bool keep,
                                   const py::object& progress) {
  auto table = std::make_shared<Table>();
  const auto view = numbers.unchecked<2>();
  std::vector<Values> values(static_cast<std::size_t>(view.shape(0)));
  for (py::ssize_t i = 0; i < view.shape(0); ++i)
    for (std::size_t j = 0; j < names.size(); ++j) values[i][names[j]] = view(i, static_cast<py::ssize_t>(j));
  if (keep)
    for (std::size_t i = 0; i < values.size(); ++i) table->runs.push_back(std::make_shared<RunData>());
  LongWork work;
  options.interrupt = &work.interrupt;
  options.progress = [&](double done) { work.done = done; };
  work.run(
      [&] {
        const Stepper stepper = prototype(text, method, names, options, static_cast<double>(values.size()));
        table->columns = chosen_columns(wanted, first_entries(stepper, options));
        MemberObserver observer;
        if (keep) observer = [&](std::size_t i) { return &table->runs[i]->rows; };
        table->take(sweep(stepper, values, options, observer));
      },
      progress);
  table->raised = work.raised();
  return table;
}

/// Draws of distributions, given by their names and two numbers each: a row a member.
py::array_t<double> draws(const std::vector<std::tuple<std::string, std::string, double, double>>& asked,
                          std::uint64_t members, std::uint64_t seed, const std::string& sampling) {
  std::vector<Draw> list;
  for (const auto& [name, kind, a, b] : asked)
    list.push_back({name, kind == "normal" ? Distribution::normal : Distribution::uniform, a, b});
  const Sampling how = sampling == "sobol" ? Sampling::sobol : sampling == "latin" ? Sampling::latin : Sampling::random;
  const std::vector<Values> values = draw_members(list, members, seed, how);
  py::array_t<double> table({static_cast<py::ssize_t>(members), static_cast<py::ssize_t>(list.size())});
  auto view = table.mutable_unchecked<2>();
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < list.size(); ++j)
      view(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(j)) = values[i].at(list[j].name);
  return table;
}

py::list failures(const Table& table) {
  py::list all;
  for (const Member& member : table.members) all.append(member.failure);
  return all;
}

py::list member_warnings(const Table& table) {
  py::list all;
  for (std::size_t i = 0; i < table.members.size(); ++i)
    for (const Warning& w : table.members[i].report.warnings) all.append(py::make_tuple(i, w.code, w.text, w.t));
  return all;
}

/// A table of numbers as a file of rows: .csv, .h5 or .json.
void write_table(const std::string& path, const std::vector<std::string>& names, const py::array_t<double>& numbers,
                 const std::string& title) {
  const auto view = numbers.unchecked<2>();
  Columns columns;
  columns.names = names;
  RunDescription description;
  description.model = title;
  description.version = version;
  const std::unique_ptr<Observer> writer = make_writer(path);
  writer->begin(columns, description);
  std::vector<double> row(names.size());
  for (py::ssize_t i = 0; i < view.shape(0); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = view(i, static_cast<py::ssize_t>(j));
    writer->row(row);
  }
  writer->end();
}

/// What Python's Findings are made of: text, tree, table, figure, whether it failed, and what ended it from outside.
template <class Found>
py::tuple told(const Found& found, bool failed, const py::object& raised) {
  return py::make_tuple(to_text(found), object_of(to_tree(found)), "", "", failed, raised);
}

struct Stopped {};

py::tuple measure(const ModelText& text, const std::vector<std::string>& methods, MeasureOptions options,
                  const py::object& progress) {
  LongWork work;
  Convergence found;
  options.progress = [&](double done) {
    work.done = done;
    if (work.interrupt) throw Stopped();
  };
  work.run(
      [&] {
        const Model model = text.read();
        const Equations equations = derive(model);
        SimulateOptions run;
        run.end = options.end.value_or(model.end().value_or(1));
        std::vector<Method> chosen;
        for (const std::string& name : methods) chosen.push_back(chosen_method(name, equations, run).method);
        if (chosen.empty()) chosen.push_back(method_of(model));
        found = converge(chosen, equations, options);
      },
      progress);
  return py::make_tuple(to_text(found), object_of(to_tree(found)), to_csv(found), to_svg(found), found.failed(),
                        work.raised());
}

}  // namespace

void bind_studies(py::module_& m) {
  py::class_<Table, std::shared_ptr<Table>>(m, "Table")
      .def_readonly("columns", &Table::columns)
      .def("column", column)
      .def_readonly("runs", &Table::runs)
      .def_readonly("raised", &Table::raised)
      .def_property_readonly("failures", failures)
      .def_property_readonly("warnings", member_warnings);
  m.def("sweep", run_members);
  m.def("draws", draws);
  m.def("write_table", write_table);
  m.def("examine", [](const ModelText& text) {
    LongWork work;
    Examination found;
    work.run([&] { found = examine(text.read()); }, py::none());
    return told(found, false, work.raised());
  });
  m.def("verify", [](const ModelText& text, const std::string& method, double step, double end, double seconds) {
    LongWork work;
    Verification found;
    work.run(
        [&] {
          const Model model = text.read();
          VerifyOptions options;
          options.step = required("step", step, model.step());
          options.end = required("end", end, model.end());
          options.seconds = seconds;
          options.waiting = [&] {
            if (work.interrupt) throw Stopped();
          };
          const Equations equations = derive(model);
          SimulateOptions run;
          run.end = options.end;
          found = verify(chosen_method(method, equations, run).method, equations, options);
        },
        py::none());
    return told(found, found.failed(), work.raised());
  });
  m.def("converge", [](const ModelText& text, const std::vector<std::string>& methods, std::vector<double> steps,
                       std::optional<double> end, bool quad, const py::object& progress) {
    MeasureOptions options;
    options.steps = std::move(steps);
    options.end = end;
    options.quad = quad;
    return measure(text, methods, std::move(options), progress);
  });
}

}  // namespace alembert::python
