// A port-Hamiltonian system as a text in the model language.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "alembert/default_methods.h"
#include "alembert/derive/ports/to_port.h"
#include "alembert/error.h"
#include "alembert/expr/piecewise.h"
#include "alembert/expr/print.h"

namespace alembert::internal {

namespace {

[[noreturn]] void cannot_be_written(const Model& model, const std::string& what, const std::string& hint) {
  throw InputError(std::vector<Diagnostic>{{model.source, {}, what, hint}});
}

/// "road''" -> "road_slope_slope": slopes of tables, which the language has no word for.
std::string table_word(const std::string& name) {
  std::string word;
  for (const char c : name) word += c == '\'' ? std::string("_slope") : std::string(1, c);
  return word;
}

/// With as many digits as it takes: derivatives of what is written are compared with each other.
std::string number_text(Quad value) { return Quad(double(value)) == value ? to_text(double(value)) : to_text(value); }

/// A table by the formulas between its points, so that its slope can be written too.
class TableText {
 public:
  explicit TableText(const Piecewise& table) : table_(table) {}
  std::string text() const { return between(0, table_.exact_pieces().size() - 1); }

 private:
  std::string between(std::size_t first, std::size_t last) const {
    if (first == last) return formula(table_.exact_pieces()[first]);
    const std::size_t middle = (first + last + 1) / 2;
    return "if(x < " + number_text(table_.exact_knots()[middle - 1]) + ", " + between(first, middle - 1) + ", " +
           between(middle, last) + ")";
  }
  static std::string formula(const Piecewise::Piece<Quad>& p) {
    const std::string u = p.at == 0 ? "x" : "(x - (" + number_text(p.at) + "))";
    std::string text;
    for (const Quad coefficient : {p.d, p.c, p.b}) {
      if (text.empty() && coefficient == 0) continue;
      text = text.empty() ? u + "*(" + number_text(coefficient) + ")"
                          : u + "*(" + number_text(coefficient) + " + " + text + ")";
    }
    return text.empty() ? number_text(p.f) : number_text(p.f) + " + " + text;
  }

  const Piecewise& table_;
};

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
  std::string expression(Expr e) {
    std::string text = to_infix(e);
    if (text.ends_with("..."))
      cannot_be_written(model_, "an expression of the port-Hamiltonian form is too long to be written",
                        "the matrices can be used without being written: `examine(model)` tells their sizes");
    find_tables(e);
    for (const auto& [name, table] : tables_)
      if (table->order() > 0)
        for (std::size_t at = 0; (at = text.find(name + "(", at)) != std::string::npos;)
          text.replace(at, name.size(), table_word(name));
    return text;
  }
  /// Tables stand here, before what uses them.
  void tables_here() { tables_at_ = text_.size(); }
  std::string take() {
    close();
    std::string tables;
    for (const auto& [name, table] : tables_) {
      if (table->pieces().size() > most_pieces)
        cannot_be_written(model_,
                          "the table '" + table->plain_name() + "' has " + std::to_string(table->knots().size()) +
                              " points, too many to be written into the port-Hamiltonian form",
                          "write at most " + std::to_string(most_pieces - 1));
      tables += "let " + table_word(name) + "(x) = " + TableText(*table).text() + "\n";
    }
    text_.insert(tables_at_, tables);
    return std::move(text_);
  }

 private:
  static constexpr std::size_t width = 110;         // characters of a line
  static constexpr std::size_t most_pieces = 2000;  // of a table: about 100 kB of text
  void find_tables(Expr e) {
    if (!looked_at_.insert(e.id()).second) return;
    Graph& graph = e.graph();
    const Node node = graph.node(e.id());
    if (node.op == Op::piecewise) {
      const Piecewise& table = piecewise_of(e);
      tables_.emplace(table.name(), &table);
    }
    for (int k = 0; k < operand_count(node.op); ++k) find_tables(Expr(&graph, k == 0 ? node.a : node.b));
  }

  const Model& model_;
  std::string text_, open_;
  std::size_t line_begin_ = 0, tables_at_ = 0;
  std::map<std::string, const Piecewise*> tables_;
  std::set<std::uint32_t> looked_at_;
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
      values.push_back(number_text(model.parameter_values[parameter.first + i]));
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
  if (!model.inputs.empty()) {
    std::string names;
    for (const Block& block : model.inputs) names += (names.empty() ? "" : ", ") + block.name;
    w.line("# Inputs are what they are where nobody sets them: " + names);
  }
  w.tables_here();
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
