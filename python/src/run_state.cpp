// Runs that travel: what pickle writes of one, and the run that it makes of it again.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "rows.h"

namespace alembert::python {
namespace {

// Ranges of columns in the order in which they are pickled.
constexpr ColumnRange Columns::*ranges[] = {&Columns::coordinates, &Columns::velocities, &Columns::momenta,
                                            &Columns::multipliers, &Columns::energy,     &Columns::residuals,
                                            &Columns::invariants,  &Columns::observed,   &Columns::ports};

py::tuple packed(const Columns& columns) {
  py::list places;
  for (const auto range : ranges) places.append(py::make_tuple((columns.*range).begin, (columns.*range).end));
  return py::make_tuple(columns.names, places, columns.events, columns.units);
}

Columns unpacked_columns(const py::tuple& state) {
  Columns columns;
  columns.names = state[0].cast<std::vector<std::string>>();
  const auto places = state[1].cast<std::vector<std::pair<int, int>>>();
  for (std::size_t i = 0; i < std::size(ranges); ++i) columns.*ranges[i] = {places.at(i).first, places.at(i).second};
  columns.events = state[2].cast<std::vector<std::string>>();
  columns.units = state[3].cast<std::vector<std::string>>();
  return columns;
}

py::tuple packed(const RunDescription& d) {
  py::list parameters;
  for (const Parameter& p : d.parameters) parameters.append(py::make_tuple(p.name, p.shape, p.values, p.unit));
  py::list files;
  for (const FileText& f : d.files) files.append(py::make_tuple(f.path, f.text));
  return py::make_tuple(d.model, d.model_text, parameters, d.method, d.step, static_cast<int>(d.control), d.tolerance,
                        d.absolute, d.overrides, d.inputs, files, d.observed_columns, d.version);
}

RunDescription unpacked_description(const py::tuple& state) {
  RunDescription d;
  d.model = state[0].cast<std::string>();
  d.model_text = state[1].cast<std::string>();
  for (const py::handle one : state[2]) {
    const auto p = py::cast<py::tuple>(one);
    d.parameters.push_back({p[0].cast<std::string>(), p[1].cast<std::vector<int>>(), p[2].cast<std::vector<double>>(),
                            p[3].cast<std::string>()});
  }
  d.method = state[3].cast<std::string>();
  d.step = state[4].cast<double>();
  d.control = static_cast<Control>(state[5].cast<int>());
  d.tolerance = state[6].cast<double>();
  d.absolute = state[7].cast<double>();
  d.overrides = state[8].cast<std::vector<std::string>>();
  d.inputs = state[9].cast<std::vector<std::string>>();
  for (const py::handle one : state[10]) {
    const auto f = py::cast<py::tuple>(one);
    d.files.push_back({f[0].cast<std::string>(), f[1].cast<std::string>()});
  }
  d.observed_columns = state[11].cast<std::vector<std::string>>();
  d.version = state[12].cast<std::string>();
  return d;
}

py::object packed(const RunData& run) {
  if (!run.has_report()) return py::none();
  const Told all = told(run);
  py::list warnings;
  for (const Warning& w : all.warnings) warnings.append(py::make_tuple(w.code, w.text, w.t));
  return py::make_tuple(all.tree, all.text, all.ending, all.reason, warnings, all.kinds, all.notes);
}

Told unpacked_report(const py::tuple& state) {
  Told all;
  all.tree = state[0].cast<py::dict>();
  all.text = state[1].cast<std::string>();
  all.ending = state[2].cast<std::string>();
  all.reason = state[3].cast<std::string>();
  for (const py::handle one : state[4]) {
    const auto w = py::cast<py::tuple>(one);
    Warning warning;
    warning.code = w[0].cast<std::string>();
    warning.text = w[1].cast<std::string>();
    warning.t = w[2].cast<double>();
    all.warnings.push_back(std::move(warning));
  }
  all.kinds = state[5].cast<std::vector<std::string>>();
  all.notes = state[6].cast<std::vector<std::string>>();
  return all;
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> span_of(const Numbers& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

}  // namespace

std::string word(Ending how) { return how == Ending::done ? "done" : how == Ending::failed ? "failed" : "interrupted"; }

Told told(const RunData& run) {
  if (run.kept) return *run.kept;
  Told all;
  if (!run.report) return all;
  const Report& report = *run.report;
  all.tree = object_of(to_tree(report));
  all.text = to_text(report);
  all.ending = word(report.ending);
  all.reason = report.reason;
  all.warnings = report.warnings;
  if (report.events.size() == run.rows.event_numbers().size())
    for (const EventRecord& event : report.events) {
      all.kinds.push_back(event.kind);
      all.notes.push_back(event.note);
    }
  return all;
}

py::tuple run_state(const py::object& object) {
  const auto& run = object.cast<const RunData&>();
  return py::make_tuple(packed(run.rows.columns()), packed(run.rows.run()), object.attr("rows"),
                        run.rows.event_numbers(), object.attr("event_rows"), packed(run));
}

std::shared_ptr<RunData> run_again(const py::tuple& state) {
  auto run = std::make_shared<RunData>();
  const auto rows = state[2].cast<Numbers>();
  const auto event_rows = state[4].cast<Numbers>();
  run->rows = RowStore(unpacked_columns(state[0]), unpacked_description(state[1]), span_of(rows),
                       state[3].cast<std::vector<int>>(), span_of(event_rows));
  const std::size_t width = run->rows.width();
  const Columns& columns = run->rows.columns();
  for (const auto range : ranges) {
    const auto [begin, end] = columns.*range;
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > width)
      throw py::value_error("these are no columns of a run");
  }
  if (!columns.units.empty() && columns.units.size() != width) throw py::value_error("these are no units of a run");
  if (run->rows.rows().size() != run->rows.count() * width ||
      run->rows.event_rows().size() != run->rows.event_numbers().size() * width)
    throw py::value_error("these are no rows of a run");
  for (const int number : run->rows.event_numbers())
    if (number < 0 || static_cast<std::size_t>(number) >= run->rows.columns().events.size())
      throw py::value_error("these are no events of a run");
  if (!state[5].is_none()) run->kept = unpacked_report(state[5]);
  return run;
}

}  // namespace alembert::python
