// Runs: rows, report, files, pages.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>

#include "rows.h"

namespace alembert::python {

py::object array_of(std::span<const double> values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::object view_of(const double* values, std::size_t rows, std::size_t width, const py::object& owner) {
  constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
  const auto n = static_cast<py::ssize_t>(rows), m = static_cast<py::ssize_t>(width);
  py::array_t<double> view({n, m}, {m * size, size}, values, owner);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

py::object object_of(const Tree& tree) {
  struct Maker {
    py::object operator()(std::monostate) const { return py::none(); }
    py::object operator()(bool yes) const { return py::bool_(yes); }
    py::object operator()(long number) const { return py::int_(number); }
    py::object operator()(double number) const { return py::float_(number); }
    py::object operator()(const std::string& word) const { return shown(word); }
    py::object operator()(const Tree::List& list) const {
      py::list all;
      for (const Tree& one : list) all.append(object_of(one));
      return all;
    }
    py::object operator()(const Tree::Members& members) const {
      py::dict all;
      for (const auto& [name, one] : members) all[shown(name)] = object_of(one);
      return all;
    }
  };
  return std::visit(Maker(), tree.value);
}

namespace {

py::list all_shown(const std::vector<std::string>& texts) {
  py::list all;
  for (const std::string& text : texts) all.append(shown(text));
  return all;
}

py::dict groups(const RunData& run) {
  const Columns& c = run.rows.columns();
  py::dict all;
  const auto add = [&](const char* name, const ColumnRange& range) {
    all[name] = py::make_tuple(range.begin, range.end);
  };
  add("q", c.coordinates);
  add("v", c.velocities);
  add("momenta", c.momenta);
  add("multipliers", c.multipliers);
  add("energy", c.energy);
  add("residuals", c.residuals);
  add("invariants", c.invariants);
  add("observed", c.observed);
  add("ports", c.ports);
  return all;
}

py::list warnings(const RunData& run) {
  py::list all;
  const std::vector<Warning>* told = run.kept ? &run.kept->warnings : run.report ? &run.report->warnings : nullptr;
  if (told)
    for (const Warning& w : *told) all.append(py::make_tuple(w.code, w.text, w.t));
  if (!run.note.empty()) all.append(py::make_tuple("cut_short", run.note, run.rows.row_at(run.rows.count() - 1)[0]));
  return all;
}

py::dict description(const RunData& run) {
  const RunDescription& d = run.rows.run();
  py::list parameters;
  for (const Parameter& p : d.parameters)
    parameters.append(py::make_tuple(shown(p.name), p.shape, p.values, shown(p.unit)));
  py::dict all;
  all["model"] = shown(d.model);
  all["model_text"] = shown(d.model_text);
  all["parameters"] = parameters;
  all["method"] = shown(d.method);
  all["step"] = d.step;
  all["version"] = shown(d.version);
  return all;
}

void save(const RunData& run, const std::string& path, const std::vector<std::string>& columns) {
  std::unique_ptr<Observer> writer = make_writer(path);
  if (!columns.empty()) writer = choose_columns(std::move(writer), columns);
  run.rows.replay(*writer);
}

std::shared_ptr<RunData> load(const std::string& path) {
  auto run = std::make_shared<RunData>();
  const Trajectory trajectory = read_trajectory(path);
  run->rows = RowStore(trajectory);
  run->note = trajectory.note;
  return run;
}

/// What is NaN was not given.
std::shared_ptr<RunData> simulate_model(const ModelText& text, const std::string& method, SimulateOptions options,
                                        const py::object& progress) {
  auto run = std::make_shared<RunData>();
  LongWork work;
  options.interrupt = &work.interrupt;
  options.progress = [&](double done) { work.done = done; };
  options.observers.push_back(&run->rows);
  work.run(
      [&] {
        const Model model = text.read();
        const Equations equations = derive(model);
        options.end = required("end", options.end, model.end());
        complete_step(options, model);
        const SuitedMethod chosen = chosen_method(method, equations, options);
        run->report = follow(chosen.method, equations, options);
        run->report->choice = chosen.reason;
      },
      progress);
  run->raised = work.raised();
  return run;
}

void bind_options(py::module_& m) {
  m.def("options", [] {
    SimulateOptions options;
    options.step = options.end = NAN;
    return options;
  });
  py::class_<SimulateOptions>(m, "Options")
      .def_readwrite("end", &SimulateOptions::end)
      .def_readwrite("step", &SimulateOptions::step)
      .def_readwrite("every", &SimulateOptions::every)
      .def_readwrite("at", &SimulateOptions::at)
      .def_readwrite("sample", &SimulateOptions::sample)
      .def_readwrite("dirac", &SimulateOptions::dirac)
      .def_readwrite("strict", &SimulateOptions::strict)
      .def_property(
          "control", [](const SimulateOptions& o) { return static_cast<int>(o.steps.control); },
          [](SimulateOptions& o, int kind) { o.steps.control = static_cast<Control>(kind); })
      .def_property(
          "guess", [](const SimulateOptions& o) { return static_cast<int>(o.steps.guess); },
          [](SimulateOptions& o, int kind) { o.steps.guess = static_cast<Guess>(kind); })
      .def_property(
          "two_matrix", [](const SimulateOptions& o) { return o.newton.linear == LinearSolver::two_matrix; },
          [](SimulateOptions& o, bool yes) { o.newton.linear = yes ? LinearSolver::two_matrix : LinearSolver::exact; })
      .def_property(
          "newton_tolerance", [](const SimulateOptions& o) { return o.newton.tolerance; },
          [](SimulateOptions& o, double value) { o.newton.tolerance = value; })
      .def("limit", [](SimulateOptions& o, const std::string& name, double value) {
        StepOptions& s = o.steps;
        if (name == "tolerance") s.tolerance = value;
        else if (name == "absolute") s.absolute = value;
        else if (name == "largest") s.largest = value;
        else if (name == "smallest") s.smallest = value;
        else if (name == "growth") s.growth = value;
        else if (name == "shrink") s.shrink = value;
        else if (name == "good_steps") s.good_steps = static_cast<long>(value);
        else if (name == "most_steps") s.most_steps = static_cast<long>(value);
        else throw py::key_error(name);
      });
}

}  // namespace

void bind_runs(py::module_& m) {
  bind_options(m);
  py::class_<RunData, std::shared_ptr<RunData>>(m, "RunData")
      .def_property_readonly("rows",
                             [](const py::object& self) {
                               const auto& run = self.cast<const RunData&>();
                               return view_of(run.rows.rows().data(), run.rows.count(), run.rows.width(), self);
                             })
      .def_property_readonly("event_rows",
                             [](const py::object& self) {
                               const auto& run = self.cast<const RunData&>();
                               return view_of(run.rows.event_rows().data(), run.rows.event_numbers().size(),
                                              run.rows.width(), self);
                             })
      .def_property_readonly("event_numbers", [](const RunData& run) { return run.rows.event_numbers(); })
      .def_property_readonly("event_names", [](const RunData& run) { return all_shown(run.rows.columns().events); })
      .def_property_readonly("units", [](const RunData& run) { return all_shown(run.rows.columns().units); })
      .def_property_readonly("names", [](const RunData& run) { return all_shown(run.rows.columns().names); })
      .def_property_readonly("groups", groups)
      .def("columns_named",
           [](const RunData& run, const std::string& name) { return columns_named(run.rows.columns(), name); })
      .def_property_readonly("description", description)
      .def_property_readonly("warnings", warnings)
      .def_property_readonly("ending",
                             [](const RunData& run) {
                               return run.kept ? run.kept->ending : run.report ? word(run.report->ending) : "done";
                             })
      .def_property_readonly("reason",
                             [](const RunData& run) {
                               return run.kept ? run.kept->reason : run.report ? run.report->reason : "";
                             })
      .def_property_readonly("has_report", &RunData::has_report)
      .def_property_readonly("told",
                             [](const RunData& run) {
                               const Told all = told(run);
                               return py::make_tuple(all.tree, all.text, all.kinds, all.notes);
                             })
      .def_readonly("raised", &RunData::raised)
      .def("save", save)
      .def("svg", [](const RunData& run, std::size_t most) { return figure(run.rows.thinned(most)); })
      .def("page", [](const RunData& run, std::size_t most) { return page(run.rows.thinned(most), told(run).text); });
  m.def("load", load);
  m.def("run_state", run_state);
  m.def("run_again", run_again);
  m.def("simulate", simulate_model);
}

}  // namespace alembert::python
