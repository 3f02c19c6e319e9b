#include "alembert/derive/show.h"

#include <algorithm>
#include <unordered_map>

#include "alembert/derive/ports/port_equations.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/print.h"

namespace alembert::internal {

namespace {

/// Operations of the expression written out as a tree: shared parts count each time. Stops growing at a million.
double written_operations(Expr e) {
  constexpr double many = 1e6;
  const Exprs root = {e};
  std::unordered_map<std::uint32_t, double> count;
  for (std::uint32_t id : reachable(root)) {
    const Node& n = e.graph().node(id);
    if (operand_count(n.op) == 0) {
      count[id] = 0;
      continue;
    }
    double c = 1 + count.at(n.a);
    if (operator_of(n.op).operands == 2) c += count.at(n.b);
    count[id] = std::min(c, many);
  }
  return count.at(e.id());
}

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

class Page {
 public:
  Page(const Equations& e, const ShowOptions& options) : e_(e), options_(options) {}

  void line(const std::string& text) { text_ += (options_.latex ? "% " : "") + text + "\n"; }
  void note(const std::string& title, const std::string& latex_title, const std::string& text) {
    heading(title, latex_title);
    if (options_.latex) text_ += "\\text{" + text + "}\n";
    else text_ += "  " + text + "\n";
  }

  /// One section: name = value, row by row. Nothing when there are no rows.
  void section(const std::string& title, const std::string& latex_title, const std::vector<std::string>& names,
               const Exprs& values, const std::vector<std::string>& behind = {}) {
    if (values.empty()) return;
    heading(title, latex_title);
    const std::size_t shown = std::min(values.size(), options_.rows);
    std::size_t width = 0;
    for (std::size_t i = 0; i < shown; ++i) width = std::max(width, names[i].size());
    if (options_.latex) text_ += "\\begin{align*}\n";
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string tail = behind.empty() ? "" : behind[i];
      if (options_.latex) {
        text_ += "  " + name(names[i]) + " &= " + right_side(values[i]);
        if (!tail.empty()) text_ += " && \\text{" + escaped(tail) + "}";
        text_ += i + 1 < shown ? " \\\\\n" : "\n";
      } else {
        text_ += "  " + names[i] + std::string(width - names[i].size(), ' ') + " = " + right_side(values[i]);
        if (!tail.empty()) text_ += "    # " + tail;
        text_ += "\n";
      }
    }
    if (options_.latex) text_ += "\\end{align*}\n";
    if (values.size() > shown)
      line((options_.latex ? "" : "  ") + std::string("... and ") + counted(values.size() - shown, "more equation"));
  }

  std::string take() { return std::move(text_); }

 private:
  void heading(const std::string& title, const std::string& latex_title) {
    if (options_.latex) text_ += "\n\\paragraph{" + latex_title + "}\n";
    else text_ += "\n" + title + "\n";
  }
  std::string right_side(Expr e) const {
    const double operations = written_operations(e);
    const std::string cut = std::to_string(static_cast<long>(operations)) +
                            (operations < 1e6 ? " operations, left out" : " operations or more, left out");
    const std::string shown_cut = options_.latex ? "\\dots\\ \\text{(" + cut + ")}" : "... (" + cut + ")";
    if (operations > static_cast<double>(options_.length)) return shown_cut;
    const std::string text = options_.latex ? to_latex(e) : to_infix(e);
    return text.size() > options_.length ? shown_cut : text;
  }
  std::string name(const std::string& plain) const {
    // Names are set as the symbols of the same name are.
    if (plain == "0") return plain;
    Graph scratch;
    return to_latex(scratch.symbol(plain));
  }
  static std::string escaped(const std::string& text) {
    std::string result;
    for (char c : text) {
      if (std::string("_%#&$^{}~").find(c) != std::string::npos) result += '\\';
      result += c;
    }
    return result;
  }

  const Equations& e_;
  const ShowOptions& options_;
  std::string text_;
};

std::vector<std::string> prefixed(const std::string& prefix, const std::vector<std::string>& names,
                                  const std::string& suffix = "") {
  std::vector<std::string> result;
  for (const std::string& n : names) result.push_back(prefix + n + suffix);
  return result;
}

bool all_zero(const Exprs& list) {
  return std::all_of(list.begin(), list.end(), [](Expr x) { return is_zero(x); });
}

const char* form_name(Form form) {
  switch (form) {
    case Form::lagrangian: return "Lagrangian form";
    case Form::hamiltonian: return "Hamiltonian form";
    case Form::general: return "general form";
    case Form::port_hamiltonian: return "port-Hamiltonian form";
  }
  return "";
}

std::vector<std::string> invariant_names(const Model& model) {
  std::vector<std::string> names;
  for (const Block& b : model.invariants)
    for (int i = 0; i < b.size; ++i) names.push_back(entry_name(b, i));
  return names;
}

/// The matrices entry by entry, then the system split into its differential and its algebraic part.
void show_port(Page& page, const Model& model, const Equations& e) {
  const PortEquations& port = *e.port;
  const PortSystem& s = port.system;
  const auto all_names = [](const std::vector<Block>& blocks, int n) {
    std::vector<std::string> names;
    for (int i = 0; i < n; ++i) names.push_back(flat_name(blocks, i));
    return names;
  };
  const int m = static_cast<int>(s.u.size());
  const std::vector<std::string> states = all_names(s.states, s.size()), inputs = all_names(s.inputs, m),
                                 outputs = all_names(s.outputs, m);
  const auto matrix = [&](const std::string& title, const std::string& letter, const SparseExprs& entries,
                          const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
    std::vector<std::string> names;
    for (int i = 0; i < entries.rows; ++i)
      for (int k = entries.row_start[i]; k < entries.row_start[i + 1]; ++k)
        names.push_back(letter + "(" + rows[i] + ", " + columns[entries.column[k]] + ")");
    page.section(title, "$" + letter + "$", names, entries.value);
  };
  page.line("E x' + r = (J - R) z + (B - P) u,  y = (B + P)^T z + (S - N) u");
  matrix("flow", "E", s.E, states, states);
  matrix("structure", "J", s.J, states, states);
  matrix("dissipation", "R", s.R, states, states);
  matrix("ports", "B", s.B, states, inputs);
  matrix("coupling", "P", s.P, states, inputs);
  matrix("feedthrough, symmetric", "S", s.S, inputs, inputs);
  matrix("feedthrough, skew", "N", s.N, inputs, inputs);
  if (!all_zero(s.r)) page.section("drift", "$r$", prefixed("r_", states), s.r);
  page.section("efforts", "$z$", prefixed("z_", states), s.z);
  page.section("inputs", "$u$", inputs, port.inputs);
  page.section("outputs", "$y$", outputs, port.outputs);
  page.section("energy", "$H$", {"H"}, {e.energy});
  page.section("power: dH/dt = supplied - dissipated", "Power", {"supplied", "dissipated"},
               {port.supplied, port.dissipated});
  page.section("invariants", "Invariants", invariant_names(model), e.invariants);
  // The split form.
  Exprs right = e.f;
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = right[i] + e.N[i];
  Exprs dynamics = e.inertial;
  for (std::size_t i = 0; i < dynamics.size(); ++i) dynamics[i] = dynamics[i] - right[i];
  const auto zeros = [](const Exprs& list) { return std::vector<std::string>(list.size(), "0"); };
  page.section("differential part", "Differential part", zeros(dynamics), dynamics, e.z_names);
  page.section("algebraic part", "Algebraic part", zeros(port.algebraic), port.algebraic, port.algebraic_names);
  page.section("constraints on the differential states (index 2)", "Constraints (index 2)", zeros(e.k), e.k, e.k_names);
  const Exprs hidden(e.reduced.begin() + static_cast<long>(e.z.size()),
                     e.reduced.begin() + static_cast<long>(e.z.size() + e.k.size()));
  page.section("their derivatives: hidden constraints", "Hidden constraints", zeros(hidden), hidden, e.k_names);
}

}  // namespace

std::string show(const Model& model, const Equations& e, const ShowOptions& options) {
  Page page(e, options);
  std::string head = model.title.empty() ? "Model" : model.title;
  head += ", " + std::string(model.multibody ? "multibody form" : form_name(model.form)) + ": ";
  if (e.port) {
    page.line(head + counted(e.z.size(), "differential state") + ", " +
              counted(e.port->system.algebraic.size(), "algebraic state") + ", " +
              counted(e.port->inputs.size(), "input"));
    show_port(page, model, e);
    return page.take();
  }
  head += counted(e.y.size(), "coordinate") + ", " + counted(e.g.size(), "holonomic constraint") + ", " +
          counted(e.k.size(), "nonholonomic constraint");
  page.line(head);

  // The rows of the differentiated quantity carry the coordinate's name in the Lagrangian form: p_x1, f_x1.
  const std::vector<std::string>& rows = e.form == Form::lagrangian ? e.y_names : e.z_names;
  const std::vector<std::string> zeros_g(e.g.size(), "0"), zeros_k(e.k.size(), "0");
  const ShownForm form = options.form;
  if (form == ShownForm::ggl && !e.g.empty()) {
    Exprs mu, rates = e.v;
    for (const std::string& name : e.g_names) mu.push_back(e.graph->symbol("mu_" + name));
    const Exprs push = transposed_product(e.g, e.y, mu);
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = rates[i] + push[i];
    page.section("y' = v + g_y^T mu", "$\\dot y = v + g_y^T \\mu$", prefixed("", e.y_names, "'"), rates);
  } else if (e.v == e.z && e.form == Form::lagrangian)
    page.note("y' = v", "$\\dot y = v$", "the velocities themselves");
  else page.section("y' = v", "$\\dot y = v$", prefixed("", e.y_names, "'"), e.v);
  if (e.p == e.z) page.note("p", "$p$", "p = z, the variables themselves");
  else page.section("p", "$p$", prefixed("p_", rows), e.p);
  page.section("p' = f + N + r, where f", "$\\dot p = f + N + r$, where $f$", prefixed("f_", rows), e.f);
  if (!all_zero(e.N)) page.section("N", "$N$", prefixed("N_", rows), e.N);
  if (!all_zero(e.r)) page.section("r", "$r$", prefixed("r_", rows), e.r);
  const bool all = form == ShownForm::all, twice = form == ShownForm::index1;
  if (all || form == ShownForm::ggl) page.section("g", "$g$", zeros_g, e.g, e.g_names);
  if (!twice) page.section("g_t + g_y v", "$g_t + g_y v$", zeros_g, e.g_dot, e.g_names);
  if (!twice) page.section("k", "$k$", zeros_k, e.k, e.k_names);
  if (twice) {
    const Exprs levels(e.reduced.begin() + static_cast<long>(e.z.size()), e.reduced.end());
    std::vector<std::string> names = e.g_names;
    names.insert(names.end(), e.k_names.begin(), e.k_names.end());
    page.section("d/dt (g_t + g_y v), d/dt k", "$\\frac{d}{dt}(g_t + g_y v),\\ \\frac{d}{dt} k$",
                 std::vector<std::string>(levels.size(), "0"), levels, names);
  }
  if (e.energy) page.section("energy", "Energy", {"E"}, {e.energy});
  page.section("invariants", "Invariants", invariant_names(model), e.invariants);
  if (!all) return page.take();
  page.section("reduced system (linear in z' and, for ideal reactions, in the multipliers)",
               "Reduced system (linear in $\\dot z$ and, for ideal reactions, in the multipliers)",
               std::vector<std::string>(e.reduced.size(), "0"), e.reduced);
  return page.take();
}

}  // namespace alembert::internal
