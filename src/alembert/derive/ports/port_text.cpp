// A port-Hamiltonian system as a text in the model language.

#include <algorithm>
#include <cmath>

#include "alembert/default_methods.h"
#include "alembert/derive/ports/to_port.h"
#include "alembert/error.h"
#include "alembert/expr/print.h"

namespace alembert::internal {

namespace {

/// Items of a statement, as many in a line as there is room for; long statements are several of them.
class Writer {
 public:
  explicit Writer(const Model& model) : model_(model) {}

  void text(const std::string& lines) { text_ += lines; }
  void line(const std::string& text) { text_ += text + "\n"; }
  void item(const std::string& keyword, const std::string& item) {
    if (keyword == open_ && text_.size() - line_begin_ + item.size() + 2 <= width) {
      text_ += ", " + item;
      return;
    }
    close();
    open_ = keyword;
    line_begin_ = text_.size();
    text_ += keyword + " " + item;
  }
  void close() {
    if (!open_.empty()) text_ += "\n";
    open_.clear();
  }
  std::string expression(Expr e) const {
    std::string text = to_infix(e);
    if (text.ends_with("..."))
      throw InputError(std::vector<Diagnostic>{
          {model_.source,
           {},
           "an expression of the port-Hamiltonian form is too long to be written",
           "the matrices can be used without being written: `examine(model)` tells their sizes"}});
    return text;
  }
  std::string take() {
    close();
    return std::move(text_);
  }

 private:
  static constexpr std::size_t width = 110;  // characters of a line
  const Model& model_;
  std::string text_, open_;
  std::size_t line_begin_ = 0;
};

/// (1, 2), ((1, 2), (3, 4)): the entries of a block.
std::string nested(const std::vector<std::string>& entries, const std::vector<int>& shape, std::size_t level,
                   std::size_t& next) {
  if (level == shape.size()) return entries[next++];
  std::string text = "(";
  for (int i = 0; i < shape[level]; ++i) text += (i ? ", " : "") + nested(entries, shape, level + 1, next);
  return text + ")";
}

std::string declared(const Block& block, const std::vector<std::string>& entries) {
  std::string text = block.name;
  for (const int n : block.shape) text += "[" + std::to_string(n) + "]";
  std::size_t next = 0;
  return text + " = " + nested(entries, block.shape, 0, next);
}

bool is_one(Expr x) { return is_constant(x) && constant_value(x) == 1; }

}  // namespace

std::string parameters_text(const Model& model) {
  Writer w(model);
  for (const Block& parameter : model.parameters) {
    std::vector<std::string> values;
    for (int i = 0; i < parameter.size; ++i) {
      const Quad value = model.parameter_values[parameter.first + i];
      values.push_back(Quad(double(value)) == value ? to_text(double(value)) : to_text(value));
    }
    w.item("parameter", declared(parameter, values));
  }
  return w.take();
}

std::string port_text(const Model& model, const PortSystem& s, const std::vector<double>& x0) {
  Writer w(model);
  if (!model.title.empty()) w.line("model \"" + model.title + (model.port ? "\"" : ", as a port-Hamiltonian system\""));
  if (!model.origin.empty()) w.line("source \"" + model.origin + "\"");
  w.text(parameters_text(model));
  const auto name = [&](int i) { return flat_name(s.states, i); };
  for (const Block& block : s.states) {
    std::vector<std::string> values;
    bool given = false;
    for (int i = 0; i < block.size; ++i) {
      const double value = x0.empty() || std::isnan(x0[block.first + i]) ? 0 : x0[block.first + i];
      given = given || value != 0;
      values.push_back(to_text(value));
    }
    const std::string declaration = declared(block, values);
    w.item("state", given ? declaration : declaration.substr(0, declaration.find(" = ")));
  }
  // E: the identity where nothing is said, so that only what differs is written, zeros of the diagonal among it.
  for (int i = 0; i < s.size(); ++i) {
    bool diagonal = false;
    for (int k = s.E.row_start[i]; k < s.E.row_start[i + 1]; ++k) {
      const int j = s.E.column[k];
      diagonal = diagonal || j == i;
      if (j != i || !is_one(s.E.value[k]))
        w.item("flow", "E(" + name(i) + ", " + name(j) + ") = " + w.expression(s.E.value[k]));
    }
    if (!diagonal) w.item("flow", "E(" + name(i) + ", " + name(i) + ") = 0");
  }
  const auto halves = [&](const char* keyword, const std::string& letter, const SparseExprs& m) {
    for (int i = 0; i < m.rows; ++i)
      for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k)
        if (m.column[k] >= i)
          w.item(keyword, letter + "(" + name(i) + ", " + name(m.column[k]) + ") = " + w.expression(m.value[k]));
  };
  halves("structure", "J", s.J);
  halves("dissipation", "R", s.R);
  const auto input = [&](int j) { return flat_name(s.inputs, j); };
  const auto ports = [&](const char* keyword, const std::string& letter, const SparseExprs& m) {
    for (int i = 0; i < m.rows; ++i)
      for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k)
        w.item(keyword, letter + "(" + name(i) + ", " + input(m.column[k]) + ") = " + w.expression(m.value[k]));
  };
  ports("port", "B", s.B);
  ports("coupling", "P", s.P);
  for (int i = 0; i < s.S.rows; ++i)
    for (int j = 0; j < s.S.columns; ++j) {
      Expr value;
      for (const auto& [m, sign] : {std::pair(&s.S, 1), std::pair(&s.N, -1)})
        for (int k = m->row_start[i]; k < m->row_start[i + 1]; ++k)
          if (m->column[k] == j) {
            const Expr part = sign > 0 ? m->value[k] : -m->value[k];
            value = value ? value + part : part;
          }
      if (value && !is_zero(value))
        w.item("feedthrough", "D(" + input(i) + ", " + input(j) + ") = " + w.expression(value));
    }
  for (int i = 0; i < s.size(); ++i)
    if (!is_zero(s.r[i])) w.item("drift", name(i) + " = " + w.expression(s.r[i]));
  for (std::size_t i = 0; i < s.u.size(); ++i)
    w.item("input", input(static_cast<int>(i)) + " = " + w.expression(s.u_value[i]));
  for (std::size_t i = 0; i < s.y.size(); ++i)
    w.item("output", flat_name(s.outputs, static_cast<int>(i)) + " of " + input(static_cast<int>(i)));
  // Efforts of algebraic states are the states themselves where nothing is said.
  for (int i = 0; i < s.size(); ++i)
    if (!std::binary_search(s.algebraic.begin(), s.algebraic.end(), i) || !(s.z[i] == s.x[i]))
      w.item("effort", name(i) + " = " + w.expression(s.z[i]));
  w.close();
  w.line("hamiltonian " + w.expression(s.H));
  std::string solve = "solve " ALEMBERT_DEFAULT_PORT_METHOD;
  if (model.solve.step) solve += " step " + to_text(*model.solve.step);
  if (model.solve.end) solve += " end " + to_text(*model.solve.end);
  w.line(solve);
  return w.take();
}

}  // namespace alembert::internal
