// What the library throws, as exceptions of alembert.errors.

#include "core.h"

namespace alembert::python {

py::str shown(const std::string& text) {
  PyObject* const made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (!made) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

namespace {

py::list described(const InputError& error) {
  py::list all;
  for (const Diagnostic& d : error.diagnostics())
    all.append(py::make_tuple(shown(d.message), shown(d.hint), shown(d.source ? d.source->name : ""),
                              shown(d.source ? d.source->text : ""), d.place.line, d.place.column, d.place.length,
                              shown(format(d))));
  return all;
}

}  // namespace

// The package makes the exception, so that its class is one that Python code can read.
void set_error(const InputError& error) noexcept {
  try {
    const bool writing = dynamic_cast<const WriteError*>(&error) != nullptr;
    const py::object made = py::module_::import("alembert.errors").attr("input_error")(described(error), writing);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (py::error_already_set& other) { other.restore(); }
}

void bind_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) { set_error(error); }
  });
}

}  // namespace alembert::python
