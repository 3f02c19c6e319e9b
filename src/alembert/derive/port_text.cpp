// A port-Hamiltonian system as a text in the model language, and with time as a state.

#include <algorithm>
#include <cmath>

#include "alembert/base/error.h"
#include "alembert/derive/to_port.h"
#include "alembert/expr/print.h"

namespace alembert {

namespace {

/// Items of a statement, as many in a line as there is room for; long statements are several of them.
class Writer {
 public:
  explicit Writer(const Model& model) : model_(model) {}

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
           "the matrices can be used without being written: `alembert check` tells their sizes"}});
    return text;
  }
  std::string take() {
    close();
    return std::move(text_);
  }

 private:
  static constexpr std::size_t width = 110;
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

PortSystem autonomous(const PortSystem& system) {
  const Exprs with_time = [&] {
    Exprs all = system.z;
    for (const SparseExprs* m : {&system.E, &system.J, &system.R, &system.B, &system.P, &system.S, &system.N})
      all.insert(all.end(), m->value.begin(), m->value.end());
    all.insert(all.end(), system.r.begin(), system.r.end());
    all.push_back(system.H);
    return all;
  }();
  if (!depends(with_time, Exprs{system.t})) return system;
  PortSystem s = system;
  Graph& graph = s.H.graph();
  const auto fresh = [&](std::string name) {
    const auto taken = [&](const std::vector<Block>& blocks) {
      return std::any_of(blocks.begin(), blocks.end(), [&](const Block& b) { return b.name == name; });
    };
    while (taken(s.states) || taken(s.inputs) || taken(s.outputs)) name += "_";
    return name;
  };
  const int n = s.size(), m = static_cast<int>(s.u.size());
  const std::string time = fresh("time"), clock = fresh("clock"), output = fresh("y_" + clock);
  s.states.push_back({time, {}, n, 1, {}});
  s.inputs.push_back({clock, {}, m, 1, {}}), s.outputs.push_back({output, {}, m, 1, {}});
  s.x.push_back(graph.symbol(time)), s.u.push_back(graph.symbol(clock)), s.y.push_back(graph.symbol(output));
  s.differential.push_back(n);
  s.u_value.push_back(graph.constant(1));
  // [E r; 0 1], a port that lets time run, and an effort of 0: its power is none.
  const auto grown = [&](SparseExprs& from, int rows, int columns, const Entries& more) {
    Entries entries = more;
    for (int i = 0; i < from.rows; ++i)
      for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k) entries[{i, from.column[k]}] = from.value[k];
    from = sparse(rows, columns, entries);
  };
  Entries last{{{n, n}, graph.constant(1)}};
  for (int i = 0; i < n; ++i) last[{i, n}] = s.r[i];
  grown(s.E, n + 1, n + 1, last);
  grown(s.J, n + 1, n + 1, {}), grown(s.R, n + 1, n + 1, {});
  grown(s.B, n + 1, m + 1, {{{n, m}, graph.constant(1)}}), grown(s.P, n + 1, m + 1, {});
  grown(s.S, m + 1, m + 1, {}), grown(s.N, m + 1, m + 1, {});
  s.z.push_back(graph.constant(0));
  s.r.assign(s.x.size(), graph.constant(0));
  const Exprs from{s.t}, to{s.x.back()};
  const Expr t = s.t;
  s = carried(s, [&](const Exprs& list) { return list.empty() ? list : substitute(list, from, to, graph); });
  s.t = t;
  return s;
}

std::string port_text(const Model& model, const PortSystem& s, const std::vector<double>& x0) {
  Writer w(model);
  if (!model.title.empty()) w.line("model \"" + model.title + (model.port ? "\"" : ", as a port-Hamiltonian system\""));
  if (!model.origin.empty()) w.line("source \"" + model.origin + "\"");
  for (const Block& parameter : model.parameters) {
    std::vector<std::string> values;
    for (int i = 0; i < parameter.size; ++i) {
      const Real value = model.parameter_values[parameter.first + i];
      values.push_back(Real(double(value)) == value ? to_text(double(value)) : to_text(value));
    }
    w.item("parameter", declared(parameter, values));
  }
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
  std::string solve = "solve gauss_collocation(3)";
  if (model.solve.step) solve += " step " + to_text(*model.solve.step);
  if (model.solve.end) solve += " end " + to_text(*model.solve.end);
  w.line(solve);
  return w.take();
}

}  // namespace alembert
