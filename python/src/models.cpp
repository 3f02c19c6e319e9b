// Models, equations and methods.

#include <pybind11/stl.h>

#include <cmath>

#include "core.h"

namespace alembert::python {

SuitedMethod chosen_method(const std::string& name, const Equations& equations, const SimulateOptions& options,
                           double start) {
  const bool unnamed = name.empty() && options.steps.control == Control::tolerance;
  if (unnamed || name == "auto") return suited_method(equations, options, start);
  return {name.empty() ? method_of(equations.model()) : find_method(name), ""};
}

void complete_step(SimulateOptions& options, const Model& model) {
  // The first of steps that a tolerance chooses may be anything; a small part of the whole time is soon left behind.
  constexpr double first_part = 1e-3;
  std::optional<double> first = model.step();
  if (!first && options.steps.control == Control::tolerance) first = first_part * options.end;
  options.step = required("step", options.step, first);
}

double required(const char* field, double given, std::optional<double> from_model) {
  if (!std::isnan(given)) return given;
  if (from_model) return *from_model;
  throw InputError("the model says no " + std::string(field) + ": give `" + field + "`",
                   "or write it into the model, in its solve statement" +
                       std::string(field == std::string("step") ? "; with `tolerance` none is needed" : ""));
}

namespace {

py::list parameters(const Model& model) {
  py::list all;
  for (const Parameter& p : model.parameters()) all.append(py::make_tuple(p.name, p.shape, p.values, p.unit));
  return all;
}

const char* word(Op op) {
  // clang-format off
  constexpr const char* words[] = {
      "constant", "parameter", "symbol", "add", "subtract", "multiply", "divide", "power", "atan2", "min", "max",
      "where", "piecewise", "hypot", "negate", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log",
      "sqrt", "abs", "positive", "sign"};
  // clang-format on
  static_assert(std::size(words) == static_cast<std::size_t>(Op::sign) + 1, "a word for each operator");
  return words[static_cast<int>(op)];
}

/// Of a node that is a table of the model, or the slope of one, at some argument: what stands before that.
std::string table_name(Expr e) {
  const std::string text = to_text(e);
  return text.substr(0, text.find('('));
}

/// The nodes below some expressions, operands first: (operator, a, b) with a and b as places in the list, or
/// ("constant", text), ("symbol", name) and ("table", name, a); and the places of the expressions.
py::tuple nodes_of(const Exprs& expressions) {
  py::list nodes;
  py::list places;
  if (expressions.empty()) return py::make_tuple(nodes, places);
  Graph& graph = expressions.front().graph();
  std::vector<bool> used(graph.size());
  for (const Expr e : expressions) used[e.id()] = true;
  for (std::size_t i = graph.size(); i-- > 0;) {
    const Node& n = graph.node(static_cast<std::uint32_t>(i));
    const int operands = operand_count(n.op);
    if (!used[i]) continue;
    if (operands > 0) used[n.a] = true;
    if (operands > 1) used[n.b] = true;
  }
  std::vector<int> place(graph.size(), -1);
  int count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!used[i]) continue;
    const auto id = static_cast<std::uint32_t>(i);
    const Node& n = graph.node(id);
    place[i] = count++;
    if (n.op == Op::constant) nodes.append(py::make_tuple("constant", to_text(graph.value(id))));
    else if (operand_count(n.op) == 0) nodes.append(py::make_tuple("symbol", graph.name(id)));
    else if (operand_count(n.op) == 1) nodes.append(py::make_tuple(word(n.op), place[n.a]));
    else if (n.op == Op::piecewise) nodes.append(py::make_tuple("table", table_name(Expr(&graph, id)), place[n.a]));
    else nodes.append(py::make_tuple(word(n.op), place[n.a], place[n.b]));
  }
  for (const Expr e : expressions) places.append(place[e.id()]);
  return py::make_tuple(nodes, places);
}

ShownForm shown_form(const std::string& form) {
  if (form == "all") return ShownForm::all;
  if (form == "index1") return ShownForm::index1;
  if (form == "index2") return ShownForm::index2;
  if (form == "ggl") return ShownForm::ggl;
  throw InputError("`form` is all, index1, index2 or ggl, not '" + form + "'");
}

void bind_equations(py::module_& m) {
  py::class_<Equations>(m, "Equations")
      .def_property_readonly("inputs", &Equations::inputs)
      .def("show",
           [](const Equations& e, const std::string& form, bool latex, bool all) {
             ShowOptions options;
             options.form = shown_form(form);
             options.latex = latex;
             if (all) options.rows = options.length = std::numeric_limits<std::size_t>::max();
             return e.show(options);
           })
      .def("nodes", [](const Equations& e, const std::string& letter) { return nodes_of(e.expressions(letter)); });
}

void bind_methods(py::module_& m) {
  py::class_<Method>(m, "Method")
      .def_property_readonly("name", &Method::name, "With its arguments.")
      .def_property_readonly("stages", &Method::stages, "0 where the word has no meaning.")
      .def_property_readonly(
          "order",
          [](const Method& a) {
            const Orders order = a.order();
            return py::make_tuple(order.q, order.v, order.multiplier);
          },
          "Of q, v and the multiplier that is reported.")
      .def_property_readonly("symplectic", &Method::symplectic, "Whether it claims to be.")
      .def_property_readonly("symmetric", &Method::symmetric, "Whether it claims to be.")
      .def_property_readonly("preserves_energy", &Method::preserves_energy, "Whether it claims to.")
      .def_property_readonly("note", &Method::note, "What a user must know of it; may be empty.")
      .def_property_readonly("tableau", &Method::tableau, "Its coefficients as text; empty where it has none.")
      .def("refusal", [](const Method& a, const ModelText& model) { return a.refusal(derive(model.read())); });
  m.def("find_method", find_method);
  m.def("describe_methods", [] {
    py::list all;
    for (const MethodDescription& d : describe_methods())
      all.append(py::make_tuple(d.signature, d.summary, d.source, d.orders, d.example, d.aliases));
    return all;
  });
}

}  // namespace

void bind_models(py::module_& m) {
  m.def("model_text", [](std::string text, std::string name, std::vector<std::string> overrides,
                         std::vector<std::string> observed, std::vector<std::string> inputs) {
    return ModelText{std::move(text), std::move(name), {std::move(overrides), std::move(observed), std::move(inputs)}};
  });
  py::class_<ModelText>(m, "ModelText")
      .def("read", &ModelText::read, py::call_guard<py::gil_scoped_release>())
      .def(
          "derive",
          [](const ModelText& model, std::vector<std::string> inputs, bool symbolic) {
            return derive(model.read(), {.inputs = std::move(inputs), .symbolic_parameters = symbolic});
          },
          py::call_guard<py::gil_scoped_release>());
  py::class_<Model>(m, "Model")
      .def_property_readonly("title", &Model::title)
      .def_property_readonly("parameters", parameters)
      .def_property_readonly("states", &Model::states)
      .def_property_readonly("constraints", &Model::constraints)
      .def_property_readonly("method", &Model::method)
      .def_property_readonly("step", &Model::step)
      .def_property_readonly("end", &Model::end);
  bind_equations(m);
  bind_methods(m);
}

}  // namespace alembert::python
