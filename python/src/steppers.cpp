// Steps in the hand. One thread at a time may use a stepper; a second one is told so.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "rows.h"

namespace alembert::python {
namespace {

using Clock = std::chrono::steady_clock;

// Giving back and taking the GIL costs 0.1 microseconds, and where other threads want it up to their whole turn of
// 5 ms: not for a step that is shorter than this.
constexpr auto long_step = std::chrono::microseconds(200);
// Between two looks for Ctrl-C; what is made without looking at the clock grows until it takes a tenth of that.
constexpr auto between_looks = std::chrono::milliseconds(50);

class PyStepper {
 public:
  PyStepper(const ModelText& text, const std::string& method, std::vector<std::string> inputs,
            const CompileOptions& options)
      : stepper_(made(text, method, std::move(inputs), options)) {
    for (const std::string& name : stepper_.equations().inputs())
      names_.push_back(py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name.c_str())));
  }
  PyStepper(const PyStepper& other) : stepper_(other.copied()), names_(other.names_) {}

  /// While it lives the stepper belongs to this thread.
  class Use {
   public:
    explicit Use(const PyStepper& stepper) : stepper_(stepper) {
      if (stepper_.busy_.exchange(true, std::memory_order_acquire))
        throw std::runtime_error("the stepper is in use by another thread: give each thread a copy");
    }
    ~Use() { stepper_.busy_.store(false, std::memory_order_release); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const PyStepper& stepper_;
  };

  Stepper& held() { return stepper_; }
  const Stepper& held() const { return stepper_; }

  /// What is given by keywords: names of open parameters or whole vectors of them, finite numbers. Nothing is set where
  /// one is wrong.
  void take(PyObject* const* values, PyObject* keywords);
  void advance();
  void advance(long n);
  /// Those that the last step(), or all steps of the last steps(), met.
  const std::vector<EventRecord>& events() const { return events_; }

 private:
  static Stepper made(const ModelText& text, const std::string& method, std::vector<std::string> inputs,
                      const CompileOptions& options) {
    const py::gil_scoped_release release;
    const Equations equations = derive(text.read(), {.inputs = std::move(inputs)});
    SimulateOptions run;  // what a method is chosen for: steps that become no longer
    run.end = equations.model().end().value_or(options.start + options.steps * options.step);
    run.steps.largest = std::abs(options.step != 0 ? options.step : equations.model().step().value_or(0));
    return compile(chosen_method(method, equations, run, options.start).method, equations, options);
  }
  Stepper copied() const {
    const Use use(*this);
    return stepper_;
  }
  std::optional<std::size_t> place_of(PyObject* name) const;
  void take_vector(PyObject* name, PyObject* value);
  bool make(long n);
  [[noreturn]] void fail() const;

  Stepper stepper_;
  std::vector<py::object> names_;  // of the open parameters, interned
  std::vector<EventRecord> events_;
  std::vector<std::pair<std::size_t, double>> given_;  // to a step; kept, so that a step allocates nothing
  bool slow_ = false;                                  // the last step took long
  mutable std::atomic<bool> busy_{false};
};

std::string text_of(PyObject* object) { return py::str(py::handle(object)); }

[[noreturn]] void refuse_type(PyObject* name, const std::string& wanted, PyObject* value) {
  throw py::type_error("'" + text_of(name) + "' must be " + wanted + ", not " + Py_TYPE(value)->tp_name);
}

double finite(PyObject* name, double value) {
  if (!std::isfinite(value)) throw InputError("'" + text_of(name) + "' must be a finite number");
  return value;
}

double number(PyObject* name, PyObject* value) {
  const double given = PyFloat_AsDouble(value);
  if (given != -1 || !PyErr_Occurred()) return finite(name, given);
  const bool overflow = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  if (!overflow && !PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();  // what __float__ raised
  PyErr_Clear();
  if (overflow) finite(name, INFINITY);
  refuse_type(name, "a number", value);
}

std::optional<std::size_t> PyStepper::place_of(PyObject* name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].ptr() == name || PyUnicode_Compare(names_[i].ptr(), name) == 0) return i;
  return {};
}

void PyStepper::take_vector(PyObject* name, PyObject* value) {
  const std::vector<std::string> known = stepper_.equations().inputs();
  const std::string text = text_of(name);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].starts_with(text + "[")) places.push_back(i);
  if (places.empty()) {
    const std::string near = nearest_name(text, known);
    throw InputError(
        "'" + text + "' is not open in this stepper",
        !near.empty() ? "did you mean '" + near + "'?" : "name it where the stepper is compiled: `inputs`");
  }
  const auto numbers = py::array::ensure(py::handle(value));
  if (!numbers) PyErr_Clear();
  if (!numbers || std::string("iuf").find(numbers.dtype().kind()) == std::string::npos)
    refuse_type(name, "a list of " + std::to_string(places.size()) + " numbers", value);
  if (static_cast<std::size_t>(numbers.size()) != places.size())
    throw InputError("'" + text + "' has " + std::to_string(places.size()) + " entries, not " +
                     std::to_string(numbers.size()));
  const auto flat = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(numbers);
  for (std::size_t i = 0; i < places.size(); ++i) given_.emplace_back(places[i], finite(name, flat.data()[i]));
}

void PyStepper::take(PyObject* const* values, PyObject* keywords) {
  const Py_ssize_t count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  given_.clear();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const name = PyTuple_GET_ITEM(keywords, i);
    if (const std::optional<std::size_t> place = place_of(name)) given_.emplace_back(*place, number(name, values[i]));
    else take_vector(name, values[i]);
  }
  for (const auto& [place, value] : given_) stepper_.parameters()[place] = value;
}

void PyStepper::fail() const {
  const py::object made = py::module_::import("alembert.errors").attr("step_error")(stepper_.failure(), stepper_.t());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  throw py::error_already_set();
}

bool PyStepper::make(long n) {
  if (stepper_.event_names().empty()) return stepper_.steps(n);
  for (; n > 0; --n) {
    if (!stepper_.step()) return false;
    const std::span<const EventRecord> found = stepper_.events();
    events_.insert(events_.end(), found.begin(), found.end());
  }
  return true;
}

void PyStepper::advance() {
  const Clock::time_point begin = Clock::now();
  events_.clear();
  bool made = false;
  if (slow_) {
    const py::gil_scoped_release release;
    made = make(1);
  } else {
    made = make(1);
  }
  slow_ = Clock::now() - begin > long_step;
  if (!made) fail();
}

void PyStepper::advance(long n) {
  long at_once = 1;
  events_.clear();
  while (n > 0) {
    bool made = true;
    {
      const py::gil_scoped_release release;
      Clock::time_point now = Clock::now();
      const Clock::time_point until = now + between_looks;
      while (made && n > 0 && now < until) {
        const long part = std::min(n, at_once);
        made = make(part);
        n -= part;
        const Clock::time_point then = std::exchange(now, Clock::now());
        if (now - then < between_looks / 10) at_once *= 2;
      }
    }
    if (!made) fail();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

/// What a Python object holds. One that was never initialised holds nothing, and pybind11 would not notice.
PyStepper& stepper_of(const py::handle& object) {
  if (!py::isinstance<PyStepper>(object)) throw py::type_error("a stepper is needed");
  auto* instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  if (!instance->get_value_and_holder().holder_constructed()) throw py::type_error("this stepper was never made");
  return py::cast<PyStepper&>(object);
}

// step() is called in the innermost loop of a controller: without the dispatcher of pybind11, which makes a dictionary
// of the keywords, it costs a third.
PyObject* call_step(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  try {
    if (count != 0) throw py::type_error("step() takes inputs by name: step(F=1)");
    PyStepper& stepper = stepper_of(self);
    const PyStepper::Use use(stepper);
    stepper.take(arguments, keywords);
    stepper.advance();
    Py_RETURN_NONE;
  } catch (py::error_already_set& error) { error.restore(); } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const InputError& error) { set_error(error); } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyMethodDef step_method = {"step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_step)),
                           METH_FASTCALL | METH_KEYWORDS,
                           "step(**inputs)\n--\n\nOne step of size h, with open inputs set before it."};

long whole_number(const py::args& arguments) {
  if (arguments.size() != 1) throw py::type_error("steps() takes their number, then inputs by name: steps(100, F=1)");
  PyObject* const given = arguments[0].ptr();
  if (!PyIndex_Check(given))
    throw py::type_error(std::string("the number of steps must be a whole number, not ") + Py_TYPE(given)->tp_name);
  const Py_ssize_t n = PyNumber_AsSsize_t(given, PyExc_OverflowError);
  if (n == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    throw InputError("the number of steps is too large");
  }
  if (n < 0) throw py::value_error("the number of steps must not be negative");
  return n;
}

void steps(const py::object& object, const py::args& arguments, const py::kwargs& inputs) {
  PyStepper& self = stepper_of(object);
  const long n = whole_number(arguments);
  const PyStepper::Use use(self);
  std::vector<PyObject*> values;
  py::list names;
  for (const auto& [name, value] : inputs) {
    names.append(name);
    values.push_back(value.ptr());
  }
  const py::tuple keywords(names);
  self.take(values.data(), keywords.ptr());
  self.advance(n);
}

using Named = std::map<std::string, double>;

void set_state(const py::object& object, const std::vector<double>& state) {
  PyStepper& self = stepper_of(object);
  const PyStepper::Use use(self);
  self.held().set_state(state);
}

std::shared_ptr<RunData> simulate_from(const py::object& object, SimulateOptions options, const py::object& progress) {
  PyStepper& self = stepper_of(object);
  const PyStepper::Use use(self);
  auto run = std::make_shared<RunData>();
  LongWork work;
  options.interrupt = &work.interrupt;
  options.progress = [&](double done) { work.done = done; };
  options.observers.push_back(&run->rows);
  if (std::isnan(options.step)) options.step = 0;
  options.end = required("end", options.end, self.held().equations().model().end());
  work.run([&] { run->report = follow(self.held(), options); }, progress);
  run->raised = work.raised();
  return run;
}

/// (name, t, state, kind, note) of each.
py::list events_of(const py::object& object) {
  PyStepper& self = stepper_of(object);
  const PyStepper::Use use(self);
  py::list all;
  for (const EventRecord& one : self.events())
    all.append(py::make_tuple(self.held().event_names()[static_cast<std::size_t>(one.event)], one.t,
                              array_of(one.state), one.kind, one.note));
  return all;
}

/// A member of the stepper as a property or method that no other thread disturbs.
template <class Function>
auto used(Function f) {
  return [f](const py::object& object) {
    PyStepper& self = stepper_of(object);
    const PyStepper::Use use(self);
    return f(self.held());
  };
}

template <class Class>
void bind_state(Class& c) {
  c.def_property_readonly("t", used([](Stepper& s) { return s.t(); }), "The time.")
      .def_property_readonly("h", used([](Stepper& s) { return s.h(); }),
                             "The size of the steps from now on; negative: backward in time.")
      .def_property_readonly("stopped", used([](Stepper& s) { return s.stopped(); }),
                             "The event that has stopped the motion; empty while none has.")
      .def_property_readonly("event_records", events_of, "What `events` is made of.")
      .def_property_readonly("event_names", used([](Stepper& s) { return s.event_names(); }),
                             "Of the events that may be met.")
      .def_property_readonly("steps_made", used([](Stepper& s) { return s.steps_made(); }),
                             "Since the start, or since the step or the state was set.")
      .def_property_readonly("names", used([](Stepper& s) { return s.names(); }), "Of the entries of the state.")
      .def_property_readonly("inputs", used([](Stepper& s) { return s.equations().inputs(); }),
                             "The open parameters and inputs.")
      .def_property_readonly("state", used([](Stepper& s) { return array_of(s.state()); }),
                             "Coordinates, then velocities or momenta. What is set moves the shortest way onto the "
                             "constraints.")
      .def_property_readonly("parameters", used([](Stepper& s) { return array_of(s.parameters()); }), "Their values.")
      .def_property_readonly("accelerations", used([](Stepper& s) { return array_of(s.accelerations()); }),
                             "At the present state, from the index-reduced system.")
      .def_property_readonly("multipliers", used([](Stepper& s) { return array_of(s.multipliers()); }),
                             "At the present state.")
      .def_property_readonly("energy", used([](Stepper& s) { return s.energy(); }),
                             "Of the present state; nan where the model has none.")
      .def_property_readonly("residuals", used([](Stepper& s) {
                               return py::make_tuple(s.position_residual(), s.velocity_residual(),
                                                     s.nonholonomic_residual());
                             }),
                             "Largest |g|, |g'| and |k| at the present state.")
      .def_property_readonly("method", used([](Stepper& s) { return s.method().name(); }), "The name of its method.")
      .def_property_readonly("compile_seconds", used([](Stepper& s) { return s.compile_seconds(); }),
                             "What compiling took.");
}

}  // namespace

void bind_steppers(py::module_& m) {
  py::class_<PyStepper> stepper(m, "Stepper");
  stepper
      .def(py::init([](const ModelText& text, const std::string& method, std::vector<std::string> inputs, double start,
                       double step, double steps) {
        CompileOptions options;
        options.start = start;
        options.step = step;
        options.steps = steps;
        return std::make_unique<PyStepper>(text, method, std::move(inputs), options);
      }))
      .def(py::init([](const py::object& other) { return std::make_unique<PyStepper>(stepper_of(other)); }))
      .def("steps", steps)
      .def("value",
           [](const py::object& object, const std::string& name) {
             PyStepper& self = stepper_of(object);
             const PyStepper::Use use(self);
             return self.held().value(name);
           })
      .def("set_state", set_state)
      .def("set_step",
           [](const py::object& object, double h) {
             PyStepper& self = stepper_of(object);
             const PyStepper::Use use(self);
             self.held().set_step(h);
           })
      .def("set_values",
           [](const py::object& object, const Named& values) {
             PyStepper& self = stepper_of(object);
             const PyStepper::Use use(self);
             self.held().set(values);
           })
      .def("restart_with",
           [](const py::object& object, const Named& values) {
             PyStepper& self = stepper_of(object);
             const PyStepper::Use use(self);
             std::vector<MovedValue> moved;
             {
               const py::gil_scoped_release release;
               moved = self.held().restart(values);
             }
             py::list all;
             for (const auto& [name, from, to] : moved) all.append(py::make_tuple(shown(name), from, to));
             return all;
           })
      .def("save", used([](Stepper& s) {
             const std::vector<std::byte> bytes = s.save();
             return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
           }))
      .def("load",
           [](const py::object& object, const py::bytes& bytes) {
             PyStepper& self = stepper_of(object);
             const PyStepper::Use use(self);
             const std::string_view text = bytes;
             self.held().load({reinterpret_cast<const std::byte*>(text.data()), text.size()});
           })
      .def("follow", simulate_from);
  bind_state(stepper);
  const auto method = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(stepper.ptr()), &step_method));
  stepper.attr("step") = method;
}

}  // namespace alembert::python
