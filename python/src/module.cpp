#include "core.h"

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
}
