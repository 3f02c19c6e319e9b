// Expressions of a model that is built in Python: nodes of the graph of its builder.

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <map>

#include "core.h"

namespace alembert::python {
namespace {

/// The graph of a model in the making. Symbols of one name are one symbol.
class Workshop : public std::enable_shared_from_this<Workshop> {
 public:
  Expr symbol(const std::string& name) {
    const auto found = symbols_.find(name);
    if (found != symbols_.end()) return found->second;
    return symbols_[name] = graph_.symbol(name);
  }
  Graph& graph() { return graph_; }

 private:
  Graph graph_;
  std::map<std::string, Expr> symbols_;
};

struct Expression {
  std::shared_ptr<Workshop> owner;
  Expr e;
};

Expression of(const Expression& like, Expr e) { return {like.owner, e}; }

Expr in(const Expression& where, const Expression& other) {
  if (where.owner != other.owner) throw py::value_error("the expressions belong to two models");
  return other.e;
}
Expr constant(Workshop& workshop, double number) {
  if (!std::isfinite(number))
    throw py::value_error(std::string(std::isnan(number) ? "nan" : "inf") + " cannot stand in an expression");
  return workshop.graph().constant(number);
}
Expr in(const Expression& where, double number) { return constant(*where.owner, number); }

using Binary = Expr (*)(Expr, Expr);
using Unary = Expr (*)(Expr);

Expr difference_positive(Expr a, Expr b) { return positive(a - b); }
Expr not_negative(Expr a, Expr b) { return 1 - positive(b - a); }
Expr less(Expr a, Expr b) { return difference_positive(b, a); }
Expr at_most(Expr a, Expr b) { return not_negative(b, a); }
Expr conjunction(Expr a, Expr b) { return a * b; }
Expr disjunction(Expr a, Expr b) { return max(a, b); }
Expr opposite(Expr a) { return 1 - a; }

template <class Class>
void binary(Class& c, const char* name, Binary f) {
  c.def(
      name, [f](const Expression& a, const Expression& b) { return of(a, f(a.e, in(a, b))); }, py::is_operator());
  c.def(
      name, [f](const Expression& a, double b) { return of(a, f(a.e, in(a, b))); }, py::is_operator());
}
template <class Class>
void reflected(Class& c, const char* name, Binary f) {
  c.def(
      name, [f](const Expression& a, double b) { return of(a, f(in(a, b), a.e)); }, py::is_operator());
}
template <class Class>
void unary(Class& c, const char* name, Unary f) {
  c.def(name, [f](const Expression& a) { return of(a, f(a.e)); });
}

Expr plus(Expr a, Expr b) { return a + b; }
Expr minus(Expr a, Expr b) { return a - b; }
Expr times(Expr a, Expr b) { return a * b; }
Expr over(Expr a, Expr b) { return a / b; }
Expr raised(Expr a, Expr b) { return pow(a, b); }
Expr turned(Expr a) { return Expr() == a ? a : -a; }

template <class Class>
void arithmetic(Class& c) {
  const std::pair<const char*, Binary> both[] = {
      {"add__", plus}, {"sub__", minus}, {"mul__", times}, {"truediv__", over}, {"pow__", raised}};
  for (const auto& [name, f] : both) {
    binary(c, (std::string("__") + name).c_str(), f);
    reflected(c, (std::string("__r") + name).c_str(), f);
  }
  unary(c, "__neg__", turned);
  c.def("__pos__", [](const Expression& a) { return a; });
  unary(c, "__abs__", static_cast<Unary>(abs));
  binary(c, "__gt__", difference_positive);
  binary(c, "__ge__", not_negative);
  binary(c, "__lt__", less);
  binary(c, "__le__", at_most);
  binary(c, "__and__", conjunction);
  binary(c, "__or__", disjunction);
  unary(c, "__invert__", opposite);
}

// The names that NumPy calls.
template <class Class>
void functions(Class& c) {
  const std::pair<const char*, Unary> one[] = {{"sin", sin},     {"cos", cos},     {"tan", tan},   {"arcsin", asin},
                                               {"arccos", acos}, {"arctan", atan}, {"sinh", sinh}, {"cosh", cosh},
                                               {"tanh", tanh},   {"exp", exp},     {"log", log},   {"sqrt", sqrt},
                                               {"sign", sign},   {"absolute", abs}};
  for (const auto& [name, f] : one) unary(c, name, f);
  const std::pair<const char*, Binary> two[] = {
      {"arctan2", atan2}, {"hypot", hypot}, {"minimum", min}, {"maximum", max}};
  for (const auto& [name, f] : two) binary(c, name, f);
  c.def("where", [](const Expression& condition, const Expression& a, const Expression& b) {
    return of(condition, choose(condition.e, in(condition, a), in(condition, b)));
  });
}

}  // namespace

void bind_expressions(py::module_& m) {
  py::class_<Workshop, std::shared_ptr<Workshop>>(m, "Workshop")
      .def("symbol",
           [](Workshop& w, const std::string& name) {
             return Expression{w.shared_from_this(), w.symbol(name)};
           })
      .def("number", [](Workshop& w, double value) {
        return Expression{w.shared_from_this(), constant(w, value)};
      });
  m.def("workshop", [] { return std::make_shared<Workshop>(); });
  py::class_<Expression> expression(m, "Expression");
  arithmetic(expression);
  functions(expression);
  expression
      .def_property_readonly(
          "text", [](const Expression& a) { return to_text(a.e); }, "As the model language writes it.")
      .def_property_readonly(
          "latex", [](const Expression& a) { return to_latex(a.e); }, "As LaTeX writes it.")
      .def_property_readonly(
          "workshop", [](const Expression& a) { return a.owner; }, "What all expressions of a model have in common.")
      .def("same", [](const Expression& a, const Expression& b) { return a.owner == b.owner && a.e == b.e; });
}

}  // namespace alembert::python
