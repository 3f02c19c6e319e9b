#pragma once

// What the sources of the extension module share. Python knows it as alembert._core and never calls it directly: the
// package around it (python/alembert) has the words and the checks.

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "alembert/alembert.h"

namespace alembert::python {

namespace py = pybind11;

// One function a source, called when the module is made.
void bind_errors(py::module_& m);
void bind_expressions(py::module_& m);
void bind_models(py::module_& m);
void bind_runs(py::module_& m);
void bind_steppers(py::module_& m);
void bind_studies(py::module_& m);

/// A model as Python holds it: what it is read from. Every call reads it anew, so that threads share nothing.
struct ModelText {
  std::string text, name;
  ReadOptions options;

  Model read() const { return read_model_text(text, name, options); }
};

/// The method that was named, with no reason; else that of the model. Where it is "auto", or where none is named and a
/// tolerance chooses the steps, one that suits the model.
SuitedMethod chosen_method(const std::string& name, const Equations& equations, const SimulateOptions& options = {},
                           double start = 0);
/// The step that was given (not NaN), else the model's; where a tolerance chooses the steps, else a part of the end,
/// which must be known by then.
void complete_step(SimulateOptions& options, const Model& model);
/// What was given (not NaN), else what the model says; throws InputError where neither does.
double required(const char* field, double given, std::optional<double> from_model);

/// Long work: it runs in a thread of its own, while the thread that called waits without the GIL, looks for signals and
/// tells the progress, both a few times a second. Ctrl-C sets interrupt.
class LongWork {
 public:
  std::atomic<bool> interrupt{false};
  std::atomic<double> done{0};  // fraction

  /// Called with the GIL. progress is None or a function of the fraction. What `work` throws is thrown here; what a
  /// signal handler or progress raised is kept in raised().
  void run(const std::function<void()>& work, const py::object& progress);
  /// The exception that ended it, as Python has it; None where there is none.
  py::object raised() const { return raised_; }

 private:
  void look(const py::object& progress);

  py::object raised_ = py::none();
};

/// A text for people; what is no UTF-8 in it (a name out of a damaged file) is replaced.
py::str shown(const std::string& text);
/// The same as dictionaries, lists, numbers and texts of Python's own.
py::object object_of(const Tree& tree);
/// Makes it the exception that Python is about to raise.
void set_error(const InputError& error) noexcept;

/// Numbers of a list as an array of its own.
py::object array_of(std::span<const double> values);
/// rows * width numbers that `owner` keeps, not copied, not to be written.
py::object view_of(const double* values, std::size_t rows, std::size_t width, const py::object& owner);

}  // namespace alembert::python
