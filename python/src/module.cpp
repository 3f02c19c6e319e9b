#include "core.h"

namespace py = pybind11;

namespace {

/// What only functions give cannot be made by its class: an empty one would hold nothing, and pybind11 would not
/// notice.
void seal(py::module_& m, const char* name) {
  const py::cpp_function refuse([name = std::string(name)](const py::args&, const py::kwargs&) -> py::object {
    throw py::type_error("'" + name + "' is made by functions, not by its class");
  });
  m.attr(name).attr("__new__") = py::module_::import("builtins").attr("staticmethod")(refuse);
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  using namespace alembert::python;
  m.doc() = "The library alembert, for the package around it.";
  m.attr("__version__") = alembert::version;
  bind_errors(m);
  bind_expressions(m);
  bind_models(m);
  bind_runs(m);
  bind_steppers(m);
  bind_studies(m);
  for (const char* name :
       {"Workshop", "Expression", "ModelText", "Model", "Equations", "Method", "Options", "RunData", "Table"})
    seal(m, name);
}
