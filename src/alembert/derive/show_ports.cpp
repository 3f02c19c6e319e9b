// The page of a port-Hamiltonian system.

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/derive/show_parts.h"

namespace alembert::internal {

namespace {

class PortPage {
 public:
  PortPage(Page& page, const Model& model, const Equations& e, const Letters& letters)
      : page_(page), model_(model), e_(e), port_(*e.port), s_(e.port->system), letters_(letters) {
    const int inputs = static_cast<int>(s_.u.size());
    states_ = all_names(s_.states, s_.size());
    inputs_ = all_names(s_.inputs, inputs);
    outputs_ = all_names(s_.outputs, inputs);
  }

  void write() {
    const std::string flow = all_zero(s_.r) ? "" : " + r", right = flow + " = (J - R) z" + inputs_in();
    const Name law = letters_.formula("E x'" + right), outputs = letters_.formula("y = " + output());
    page_.line({law.text + (inputs_.empty() ? "" : ",  " + outputs.text),
                "\\[ " + law.latex + (inputs_.empty() ? "" : ", \\qquad " + outputs.latex) + " \\]"});
    page_.meanings(meanings());
    matrices();
    functions();
    split();
  }

 private:
  static std::vector<std::string> all_names(const std::vector<Block>& blocks, int n) {
    std::vector<std::string> names;
    for (int i = 0; i < n; ++i) names.push_back(flat_name(blocks, i));
    return names;
  }

  // The parts that this system has: no letter is shown that stands for nothing.
  std::string inputs_in() const {
    if (inputs_.empty()) return "";
    return s_.P.value.empty() ? " + B u" : " + (B - P) u";
  }
  std::string output() const {
    const bool S = !s_.S.value.empty(), N = !s_.N.value.empty();
    const std::string through = S && N ? " + (S - N) u" : S ? " + S u" : N ? " - N u" : "";
    return (s_.P.value.empty() ? "B^T z" : "(B + P)^T z") + through;
  }

  std::vector<Meaning> meanings() const {
    const Name E = letters_("E"), entry{E.text + "(a, b)", E.latex + "_{a,\\, b}"};
    std::vector<Meaning> list = {{letters_("t"), "time"},
                                 {letters_("x"), "states", {}, states_},
                                 {letters_("H"), "energy, the Hamiltonian"},
                                 {letters_("z"), "efforts,", letters_.formula("grad H = E^T z")},
                                 {letters_("E"), "flow matrix; in the row of a and the column of b stands", entry},
                                 {letters_("J"), "structure matrix, skew: power that is exchanged"},
                                 {letters_("R"), "dissipation matrix, symmetric: power that is lost"}};
    if (!inputs_.empty()) {
      list.push_back({letters_("u"), "inputs", {}, inputs_});
      list.push_back({letters_("y"), "outputs", {}, outputs_});
      list.push_back({letters_("B"), "port matrix: how inputs act on states"});
    }
    if (!s_.P.value.empty()) list.push_back({letters_("P"), "coupling matrix: dissipation between states and inputs"});
    if (!s_.S.value.empty()) list.push_back({letters_("S"), "feedthrough from inputs to outputs, symmetric part"});
    if (!s_.N.value.empty()) list.push_back({letters_("N"), "feedthrough from inputs to outputs, minus its skew part"});
    if (!all_zero(s_.r)) list.push_back({letters_("r"), "drift: what time does to the states"});
    add_parameters(list, model_, e_,
                   joined<Expr>(s_.E.value, s_.J.value, s_.R.value, s_.B.value, s_.P.value, s_.S.value, s_.N.value,
                                s_.r, s_.z, port_.inputs, e_.energy, e_.invariants));
    return list;
  }

  void matrix(const std::string& title, const std::string& letter, const SparseExprs& entries,
              const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
    const Name own = letters_(letter);
    std::vector<Name> names;
    for (int i = 0; i < entries.rows; ++i)
      for (int k = entries.row_start[i]; k < entries.row_start[i + 1]; ++k) {
        const std::string& column = columns[entries.column[k]];
        names.push_back({.text = own.text + "(" + rows[i] + ", " + column + ")",
                         .letter = own.latex,
                         .symbol = rows[i],
                         .second = column});
      }
    page_.section({title, "$" + own.latex + "$, " + title}, names, entries.value);
  }
  void matrices() {
    matrix("flow", "E", s_.E, states_, states_);
    matrix("structure", "J", s_.J, states_, states_);
    matrix("dissipation", "R", s_.R, states_, states_);
    matrix("ports", "B", s_.B, states_, inputs_);
    matrix("coupling", "P", s_.P, states_, inputs_);
    matrix("feedthrough, symmetric", "S", s_.S, inputs_, inputs_);
    matrix("feedthrough, skew", "N", s_.N, inputs_, inputs_);
  }
  void functions() {
    if (!all_zero(s_.r)) page_.section({"drift", "Drift"}, all_indexed(letters_, "r", states_), s_.r);
    page_.section({"efforts", "Efforts"}, all_indexed(letters_, "z", states_), s_.z);
    page_.section({"inputs", "Inputs"}, names_of(inputs_), port_.inputs);
    page_.section({"outputs", "Outputs"}, names_of(outputs_), port_.outputs);
    page_.section({"energy", "Energy"}, {letters_("H")}, {e_.energy});
    const Name H = letters_("H");
    page_.section({"power: d" + H.text + "/dt = supplied - dissipated",
                   "Power, $\\dot " + H.latex + " = \\mathrm{supplied} - \\mathrm{dissipated}$"},
                  {name_of("supplied"), name_of("dissipated")}, {port_.supplied, port_.dissipated});
    page_.section({"invariants", "Invariants"}, names_of(invariant_names(model_)), e_.invariants);
  }
  void split() {
    Exprs dynamics = e_.inertial;
    for (std::size_t i = 0; i < dynamics.size(); ++i) dynamics[i] = dynamics[i] - (e_.f[i] + e_.N[i]);
    const auto rows = [this](const Name& title, const Exprs& list, const std::vector<std::string>& behind) {
      page_.section(title, zeros(list.size()), list, e_.z_dot, behind);
    };
    rows({"differential part", "Differential part"}, dynamics, e_.z_names);
    rows({"algebraic part", "Algebraic part"}, port_.algebraic, port_.algebraic_names);
    rows({"constraints on the differential states (index 2)", "Constraints on the differential states (index 2)"}, e_.k,
         e_.k_names);
    const auto first = e_.reduced.begin() + static_cast<long>(e_.z.size());
    const Exprs hidden(first, first + static_cast<long>(e_.k.size()));
    rows({"their derivatives: hidden constraints", "Their derivatives: hidden constraints"}, hidden, e_.k_names);
  }

  Page& page_;
  const Model& model_;
  const Equations& e_;
  const PortEquations& port_;
  const PortSystem& s_;
  const Letters& letters_;
  std::vector<std::string> states_, inputs_, outputs_;
};

}  // namespace

void write_ports(Page& page, const Model& model, const Equations& e, const Letters& letters) {
  PortPage(page, model, e, letters).write();
}

}  // namespace alembert::internal
