#include "alembert/derive/show.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/derive/page.h"
#include "alembert/derive/ports/port_equations.h"

namespace alembert::internal {

namespace {

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::vector<Name> names_of(const std::vector<std::string>& symbols) {
  std::vector<Name> names;
  for (const std::string& symbol : symbols) names.push_back(name_of(symbol));
  return names;
}
std::vector<Name> all_indexed(const std::string& letter, const std::vector<std::string>& symbols) {
  std::vector<Name> names;
  for (const std::string& symbol : symbols) names.push_back(indexed(letter, symbol));
  return names;
}
std::vector<Name> derivatives(const std::vector<std::string>& symbols) {
  std::vector<Name> names;
  for (const std::string& symbol : symbols) names.push_back(name_of(symbol + "'"));
  return names;
}
std::vector<Name> zeros(std::size_t count) { return std::vector<Name>(count, {"0", "0"}); }

bool all_zero(const Exprs& list) {
  return std::all_of(list.begin(), list.end(), [](Expr x) { return is_zero(x); });
}

std::string title_of(const Model& model, const Equations& e) {
  const std::string head = (model.title.empty() ? "Model" : model.title) + ", " +
                           (model.multibody ? "multibody" : form_name(model.form)) + " form: ";
  if (e.port) {
    return head + counted(e.z.size(), "differential state") + ", " +
           counted(e.port->system.algebraic.size(), "algebraic state") + ", " + counted(e.port->inputs.size(), "input");
  }
  const auto states = static_cast<std::size_t>(e.first_order);
  return head + counted(e.y.size() - states - e.auxiliary.size(), "coordinate") + ", " +
         (states > 0 ? counted(states, "first-order state") + ", " : "") + counted(e.g.size(), "holonomic constraint") +
         ", " + counted(e.k.size(), "nonholonomic constraint");
}

/// y holds the coordinates, the first-order states beside mechanics, and the auxiliary variables, in this order. Of a
/// list with an entry for each: the states, and all others.
template <class T>
std::vector<T> of_states(const Equations& e, const std::vector<T>& list) {
  const auto last = list.end() - static_cast<long>(e.auxiliary.size());
  return {last - e.first_order, last};
}
template <class T>
std::vector<T> of_coordinates(const Equations& e, std::vector<T> list) {
  const auto last = list.end() - static_cast<long>(e.auxiliary.size());
  list.erase(last - e.first_order, last);
  return list;
}

std::vector<std::string> invariant_names(const Model& model) {
  std::vector<std::string> names;
  for (const Block& b : model.invariants)
    for (int i = 0; i < b.size; ++i) names.push_back(entry_name(b, i));
  return names;
}

std::string symbol_name(Expr e) { return e.graph().name(e.id()); }
std::vector<std::string> symbol_names(const Exprs& list) {
  std::vector<std::string> names;
  for (const Expr e : list) names.push_back(symbol_name(e));
  return names;
}

/// The symbols in the expressions that are in no list: parameters, in the order of the model.
std::vector<std::string> parameters_in(const Equations& e, const Exprs& expressions) {
  Exprs shown = expressions;
  std::erase_if(shown, [](Expr x) { return !x; });
  const Exprs known = joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi, e.z_dot);
  std::vector<std::string> names;
  for (const std::uint32_t id : reachable(shown)) {
    const Expr x(e.graph.get(), id);
    const Op op = e.graph->node(id).op;
    if (op != Op::symbol && op != Op::parameter) continue;
    if (std::find(known.begin(), known.end(), x) != known.end()) continue;
    names.push_back(symbol_name(x));
  }
  return names;
}

/// The letter of the coordinates: q, and y in the general form.
std::string coordinate_letter(const Model& model, const Equations& e) {
  return e.form == Form::general && !model.multibody ? "y" : "q";
}

/// Constraints without a name are called "constraint 2" already.
std::string constraint_name(const std::string& name) {
  return name.starts_with("constraint ") ? name : "constraint " + name;
}

void add_multipliers(std::vector<Meaning>& list, const Model& model, const Equations& e) {
  const auto add = [&](Expr symbol, int constraint, const std::string& kind, const std::string& unit) {
    list.push_back({name_of(symbol_name(symbol)),
                    "multiplier of " + kind + constraint_name(model.constraints[constraint].name) + unit});
  };
  const std::string force = e.ideal ? " (a force per gradient of the constraint" : "";
  for (std::size_t i = 0; i < e.lambda.size(); ++i)
    add(e.lambda[i], e.g_constraint[i], "the holonomic ", e.ideal ? force + ")" : "");
  for (std::size_t i = 0; i < e.psi.size(); ++i)
    add(e.psi[i], e.psi_constraint[i], "the nonholonomic ", e.ideal ? force + " by the velocities)" : "");
}

/// y, z, p, f in the words of the form.
std::vector<Meaning> variables(const Model& model, const Equations& e) {
  const Name t = name_of("t"), q = name_of(coordinate_letter(model, e)), v = name_of("v"), p = name_of("p"),
             f = name_of("f");
  if (e.form == Form::lagrangian) {
    return {{t, "time"},
            {q, "coordinates", {}, of_coordinates(e, e.y_names)},
            {v, "velocities", {}, e.z_names},
            {p, "momenta, the derivatives of the Lagrangian by the velocities"},
            {f, "forces: the derivatives of the Lagrangian by the coordinates, and applied forces"}};
  }
  if (e.form == Form::hamiltonian) {
    return {{t, "time"},
            {q, "coordinates", {}, of_coordinates(e, e.y_names)},
            {p, "momenta", {}, e.z_names},
            {v, "velocities, the derivatives of the Hamiltonian by the momenta"},
            {f, "forces: minus the derivatives of the Hamiltonian by the coordinates, and applied forces"}};
  }
  if (model.multibody) {
    return {{t, "time"},
            {q, "coordinates", {}, of_coordinates(e, e.y_names)},
            {v, "velocities", {}, e.z_names},
            {name_of("Z"), "matrix that makes the rates of the coordinates of the velocities"},
            {p, "momenta, the mass matrix times the velocities"},
            {f, "forces: of the potential, gyroscopic and applied ones"}};
  }
  return {{t, "time"},
          {q, "variables whose rates are given:", {}, e.y_names},
          {v, "their rates"},
          {name_of("z"), "variables in the differentiated quantities:", {}, e.z_names},
          {p, "differentiated quantities"},
          {f, "rates of these without the constraint forces"}};
}

std::vector<Meaning> meanings(const Model& model, const Equations& e, const ShowOptions& options) {
  std::vector<Meaning> list = variables(model, e);
  if (e.first_order > 0)
    list.push_back({{}, "first-order states, whose rates are given:", {}, of_states(e, e.y_names)});
  const std::string q = coordinate_letter(model, e);
  const std::string z = e.form == Form::lagrangian || model.multibody ? "v" : "z";
  const std::string own = "non-ideal constraint forces, as the model writes them";
  if (!all_zero(e.N)) {
    const Name ideal{"-k_" + z + "^T psi", "-k_" + z + "^T \\psi"};
    list.push_back({name_of("N"), e.ideal ? "nonholonomic constraint forces," : own, e.ideal ? ideal : Name{}});
  }
  if (!all_zero(e.r)) {
    const std::string Z_T = model.multibody ? "Z^T " : "";
    const Name ideal{"-" + Z_T + "g_" + q + "^T lambda", "-" + Z_T + "g_" + q + "^T \\lambda"};
    list.push_back({name_of("r"), e.ideal ? "holonomic constraint forces," : own, e.ideal ? ideal : Name{}});
  }
  if (!e.g.empty()) {
    list.push_back({name_of("g"), "holonomic constraints", {"g(t, " + q + ") = 0", "g(t, " + q + ") = 0"}});
    const std::string rate = "g_t + g_" + q + (model.multibody ? " Z v" : " v");
    list.push_back({{rate, rate}, "their time derivative"});
  }
  if (!e.k.empty()) list.push_back({name_of("k"), "nonholonomic constraints"});
  if (!e.auxiliary.empty()) {
    const std::vector<std::string> names(e.y_names.end() - static_cast<long>(e.auxiliary.size()), e.y_names.end());
    list.push_back({name_of("c"), "what determines the auxiliary variables, c = 0:", {}, names});
  }
  add_multipliers(list, model, e);
  if (options.form == ShownForm::ggl)
    for (const std::string& name : e.g_names)
      list.push_back({name_of("mu_" + name), "multiplier that holds " + name + " itself beside its time derivative"});
  if (e.energy) list.push_back({name_of("E"), "energy"});
  if (options.form == ShownForm::all || options.form == ShownForm::index1) {
    list.push_back({{z + "'", "\\dot " + z},
                    e.form == Form::lagrangian ? "accelerations" : "rates of " + z,
                    {},
                    symbol_names(e.z_dot)});
  }
  const std::vector<std::string> parameters =
      parameters_in(e, joined<Expr>(e.v, e.p, e.f, e.N, e.r, e.g, e.g_dot, e.k, e.energy, e.invariants, e.reduced));
  if (!parameters.empty()) list.push_back({{}, "parameters", {}, parameters});
  return list;
}

/// The matrices entry by entry, then the system split into its differential and its algebraic part.
class PortPage {
 public:
  PortPage(Page& page, const Model& model, const Equations& e)
      : page_(page), model_(model), e_(e), port_(*e.port), s_(e.port->system) {
    const int inputs = static_cast<int>(s_.u.size());
    states_ = all_names(s_.states, s_.size());
    inputs_ = all_names(s_.inputs, inputs);
    outputs_ = all_names(s_.outputs, inputs);
  }

  void write() {
    const std::string flow = all_zero(s_.r) ? "" : " + r", right = flow + " = (J - R) z" + inputs_in();
    page_.line({"E x'" + right + (inputs_.empty() ? "" : ",  y = " + output()),
                "\\[ E \\dot x" + right + (inputs_.empty() ? "" : ", \\qquad y = " + output()) + " \\]"});
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
    std::vector<Meaning> list = {{name_of("t"), "time"},
                                 {name_of("x"), "states", {}, states_},
                                 {name_of("H"), "energy, the Hamiltonian"},
                                 {name_of("z"), "efforts,", {"grad H = E^T z", "\\nabla H = E^T z"}},
                                 {name_of("E"), "flow matrix; E(a, b) is its entry in the row of a, the column of b"},
                                 {name_of("J"), "structure matrix, skew: power that is exchanged"},
                                 {name_of("R"), "dissipation matrix, symmetric: power that is lost"}};
    if (!inputs_.empty()) {
      list.push_back({name_of("u"), "inputs", {}, inputs_});
      list.push_back({name_of("y"), "outputs", {}, outputs_});
      list.push_back({name_of("B"), "port matrix: how inputs act on states"});
    }
    if (!s_.P.value.empty()) list.push_back({name_of("P"), "coupling matrix: dissipation between states and inputs"});
    if (!s_.S.value.empty()) list.push_back({name_of("S"), "feedthrough from inputs to outputs, symmetric part"});
    if (!s_.N.value.empty()) list.push_back({name_of("N"), "feedthrough from inputs to outputs, minus its skew part"});
    if (!all_zero(s_.r)) list.push_back({name_of("r"), "drift: what time does to the states"});
    const std::vector<std::string> parameters =
        parameters_in(e_, joined<Expr>(s_.E.value, s_.J.value, s_.R.value, s_.B.value, s_.P.value, s_.S.value,
                                       s_.N.value, s_.r, s_.z, port_.inputs, e_.energy, e_.invariants));
    if (!parameters.empty()) list.push_back({{}, "parameters", {}, parameters});
    return list;
  }

  void matrix(const std::string& title, const std::string& letter, const SparseExprs& entries,
              const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
    std::vector<Name> names;
    for (int i = 0; i < entries.rows; ++i)
      for (int k = entries.row_start[i]; k < entries.row_start[i + 1]; ++k) {
        const std::string& column = columns[entries.column[k]];
        names.push_back({letter + "(" + rows[i] + ", " + column + ")",
                         letter + "_{" + page_.latex(name_of(rows[i])) + ",\\, " + page_.latex(name_of(column)) + "}"});
      }
    page_.section({title, "$" + letter + "$, " + title}, names, entries.value);
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
    if (!all_zero(s_.r)) page_.section({"drift", "Drift"}, all_indexed("r", states_), s_.r);
    page_.section({"efforts", "Efforts"}, all_indexed("z", states_), s_.z);
    page_.section({"inputs", "Inputs"}, names_of(inputs_), port_.inputs);
    page_.section({"outputs", "Outputs"}, names_of(outputs_), port_.outputs);
    page_.section({"energy", "Energy"}, {name_of("H")}, {e_.energy});
    page_.section(
        {"power: dH/dt = supplied - dissipated", "Power, $\\dot H = \\mathrm{supplied} - \\mathrm{dissipated}$"},
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
  std::vector<std::string> states_, inputs_, outputs_;
};

/// The one system, section by section.
class MechanicsPage {
 public:
  MechanicsPage(Page& page, const Model& model, const Equations& e, const ShowOptions& options)
      : page_(page),
        model_(model),
        e_(e),
        options_(options),
        y_(coordinate_letter(model, e)),
        v_(model.multibody ? "Z v" : "v") {}

  void write() {
    page_.meanings(meanings(model_, e_, options_));
    rates();
    momenta();
    constraints();
    contacts();
    if (e_.energy) page_.section({"energy", "Energy"}, {name_of("E")}, {e_.energy}, e_.z);
    page_.section({"invariants", "Invariants"}, names_of(invariant_names(model_)), e_.invariants);
    if (options_.form != ShownForm::all) return;
    reduced();
  }

 private:
  void rates() {
    const Name plain{y_ + "' = " + v_, "$\\dot " + y_ + " = " + v_ + "$"};
    const std::vector<std::string> names = of_coordinates(e_, e_.y_names);
    const Exprs v = of_coordinates(e_, e_.v);
    if (options_.form == ShownForm::ggl && !e_.g.empty()) {
      Exprs mu;
      for (const std::string& name : e_.g_names) mu.push_back(e_.graph->symbol("mu_" + name));
      Exprs rates = total_transposed_product(e_, e_.g, mu);
      for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = e_.v[i] + rates[i];
      page_.section(
          {y_ + "' = " + v_ + " + g_" + y_ + "^T mu", "$\\dot " + y_ + " = " + v_ + " + g_" + y_ + "^T \\mu$"},
          derivatives(names), of_coordinates(e_, rates));
    } else if (v == e_.z && e_.form == Form::lagrangian) {
      page_.note(plain, "the velocities themselves");
    } else {
      page_.section(plain, derivatives(names), v);
    }
    page_.section({"rates of the first-order states", "Rates of the first-order states"},
                  derivatives(of_states(e_, e_.y_names)), of_states(e_, e_.v));
  }

  /// What is left when the constraints are differentiated: an ordinary differential equation, whole but for q' = v.
  void reduced() {
    page_.section({"index-reduced system: d/dt p = " + forces() + and_constraints(),
                   "Index-reduced system: $\\dot p = " + forces() + "$" + and_constraints()},
                  joined<Name>(zeros(e_.reduced.size()), derivatives(of_states(e_, e_.y_names))),
                  joined<Expr>(e_.reduced, of_states(e_, e_.v)), e_.z_dot);
  }

  void momenta() {
    // The rows of the differentiated quantity carry the coordinate's name in the Lagrangian form: p_x1, f_x1.
    std::vector<std::string> rows = e_.form == Form::lagrangian ? e_.y_names : e_.z_names;
    rows.resize(e_.z.size());
    const Exprs multipliers = joined<Expr>(e_.lambda, e_.psi);
    if (e_.p == e_.z)
      page_.note({"p", "$p$"},
                 model_.multibody ? "p = v, the velocities themselves" : "p = z, the variables themselves");
    else page_.section({"p", "$p$"}, all_indexed("p", rows), e_.p, e_.z);
    page_.section({"p' = " + forces() + ", where f", "$\\dot p = " + forces() + "$, where $f$"}, all_indexed("f", rows),
                  e_.f);
    if (!all_zero(e_.N)) page_.section({"N", "$N$"}, all_indexed("N", rows), e_.N, multipliers);
    if (!all_zero(e_.r)) page_.section({"r", "$r$"}, all_indexed("r", rows), e_.r, multipliers);
  }

  // With the reactions that there are.
  std::string forces() const {
    return std::string("f") + (all_zero(e_.N) ? "" : " + N") + (all_zero(e_.r) ? "" : " + r");
  }
  std::string and_constraints() const {
    return std::string(
               e_.g.empty() && e_.k.empty() ? "" : " and the constraints differentiated until accelerations appear") +
           (e_.first_order == 0 ? "" : ", with the rates of the first-order states");
  }

  void constraints() {
    const ShownForm form = options_.form;
    const std::vector<std::string> following(e_.y_names.end() - static_cast<long>(e_.auxiliary.size()),
                                             e_.y_names.end());
    page_.section({"c", "$c$"}, zeros(following.size()), auxiliary_equations(e_), {}, following);
    if (form == ShownForm::index1) {
      const Exprs levels(e_.reduced.begin() + static_cast<long>(e_.z.size()), e_.reduced.end());
      page_.section({"d/dt (g_t + g_" + y_ + " " + v_ + "), d/dt k",
                     "$\\frac{d}{dt}(g_t + g_" + y_ + " " + v_ + "),\\ \\frac{d}{dt} k$"},
                    zeros(levels.size()), levels, e_.z_dot, joined<std::string>(e_.g_names, e_.k_names));
      return;
    }
    if (form == ShownForm::all || form == ShownForm::ggl)
      page_.section({"g", "$g$"}, zeros(e_.g.size()), e_.g, {}, e_.g_names);
    page_.section({"g_t + g_" + y_ + " " + v_, "$g_t + g_" + y_ + " " + v_ + "$"}, zeros(e_.g.size()), e_.g_dot, e_.z,
                  e_.g_names);
    page_.section({"k", "$k$"}, zeros(e_.k.size()), e_.k, e_.z, e_.k_names);
  }

  /// 0 <= gap, 0 <= normal force, complementary; friction along the slips.
  void contacts() {
    std::vector<std::string> names, slipping;
    Exprs gaps, slips;
    for (std::size_t i = 0; i < e_.contacts.size(); ++i) {
      names.push_back(model_.contacts[i].name);
      gaps.push_back(e_.contacts[i].gap);
      for (const auto& friction : e_.contacts[i].friction)
        for (const Expr slip : friction.slip) {
          slipping.push_back(model_.contacts[i].name);
          slips.push_back(slip);
        }
    }
    page_.section({"gaps, at least 0", "Gaps, at least 0"}, names_of(names), gaps);
    page_.section({"slips", "Slips"}, names_of(slipping), slips, e_.z);
  }

  Page& page_;
  const Model& model_;
  const Equations& e_;
  const ShowOptions& options_;
  const std::string y_;
  const std::string v_;  // the rates of y, in words
};

/// All names that may appear: states and parameters first, which keep the look that one expects.
std::vector<std::string> symbols_of(const Model& model, const Equations& e) {
  std::vector<std::string> names = joined<std::string>(e.y_names, e.z_names);
  names.insert(names.end(), {"t"});
  const auto add = [&](const std::vector<Block>& blocks) {
    for (const Block& block : blocks)
      for (int i = 0; i < block.size; ++i) names.push_back(entry_name(block, i));
  };
  add(model.parameters);
  add(model.inputs);
  if (e.port) {
    add(e.port->system.states);
    add(e.port->system.inputs);
    add(e.port->system.outputs);
  }
  add(model.invariants);
  names = joined<std::string>(names, symbol_names(e.lambda), symbol_names(e.psi));
  for (const std::string& name : e.g_names) names.push_back("mu_" + name);
  return names;
}

}  // namespace

std::string show(const Model& model, const Equations& e, const ShowOptions& options) {
  Collector collector({joined<Expr>(e.lambda, e.psi), joined<Expr>(e.t, e.y), e.z, e.z_dot});
  Page page(collector, options, title_of(model, e), symbols_of(model, e));
  if (e.port) PortPage(page, model, e).write();
  else MechanicsPage(page, model, e, options).write();
  return page.take();
}

}  // namespace alembert::internal
