#include "alembert/derive/show.h"

#include <algorithm>
#include <cctype>
#include <map>

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
std::vector<Name> all_indexed(const Letters& letters, const std::string& letter,
                              const std::vector<std::string>& symbols) {
  std::vector<Name> names;
  for (const std::string& symbol : symbols) names.push_back(letters.indexed(letter, symbol));
  return names;
}
/// Of the multiplier that holds a constraint itself, beside its time derivative.
std::string mu_name(const Letters& letters, const std::string& constraint) {
  return letters("mu").text + "_" + constraint;
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

/// The symbols in the expressions that are in no list: parameters and inputs, in the order of the model.
void add_parameters(std::vector<Meaning>& list, const Model& model, const Equations& e, const Exprs& expressions) {
  Exprs shown = expressions;
  std::erase_if(shown, [](Expr x) { return !x; });
  const Exprs known = joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi, e.z_dot);
  std::vector<std::string> parameters, inputs;
  for (const std::uint32_t id : reachable(shown)) {
    const Expr x(e.graph.get(), id);
    const Op op = e.graph->node(id).op;
    if (op != Op::symbol && op != Op::parameter) continue;
    if (std::find(known.begin(), known.end(), x) != known.end()) continue;
    const bool input = std::any_of(model.inputs.begin(), model.inputs.end(), [&](const Block& block) {
      return symbol_name(x) == block.name || symbol_name(x).starts_with(block.name + "[");
    });
    (input ? inputs : parameters).push_back(symbol_name(x));
  }
  if (!parameters.empty()) list.push_back({{}, "parameters", {}, parameters});
  if (!inputs.empty()) list.push_back({{}, "inputs", {}, inputs});
}

/// The letter of the coordinates: q, and y in the general form.
std::string coordinate_letter(const Model& model, const Equations& e) {
  return e.form == Form::general && !model.multibody ? "y" : "q";
}

/// Constraints without a name are called "constraint 2" already.
std::string constraint_name(const std::string& name) {
  return name.starts_with("constraint ") ? name : "constraint " + name;
}

/// One line for each, or for each family of more than a few.
void add_multipliers(std::vector<Meaning>& list, const Model& model, const Exprs& multipliers,
                     const std::vector<int>& constraint_of, const std::string& kind, const std::string& unit) {
  constexpr std::size_t few = 12;  // lines that one still reads
  std::map<std::string, std::string> constraint;
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    constraint[symbol_name(multipliers[i])] = model.constraints[constraint_of[i]].name;
  for (const std::vector<std::string>& family : families(symbol_names(multipliers))) {
    if (family.size() > few) {
      const std::string first = constraint.at(family.front()), last = constraint.at(family.back());
      list.push_back({{},
                      "multipliers of the " + kind + " constraint" + (first == last ? " " : "s ") + first +
                          (first == last ? "" : ", ..., " + last) + unit + ":",
                      {},
                      family});
      continue;
    }
    for (const std::string& name : family)
      list.push_back({name_of(name), "multiplier of the " + kind + " " + constraint_name(constraint.at(name)) + unit});
  }
}

bool any_gap(const Equations& e) {
  return std::any_of(e.contacts.begin(), e.contacts.end(), [](const auto& c) { return bool(c.restitution); });
}
bool any_slip(const Equations& e) {
  return std::any_of(e.contacts.begin(), e.contacts.end(), [](const auto& c) { return !c.friction.empty(); });
}

/// The laws of contact and friction, in words.
void add_contacts(std::vector<Meaning>& list, const Model& model, const Equations& e, const Letters& letters) {
  if (any_gap(e)) {
    list.push_back({letters("h"), "gaps, at least 0"});
    list.push_back({letters.formula("h_" + coordinate_letter(model, e)), "their derivatives by",
                    letters(coordinate_letter(model, e))});
    list.push_back({letters.formula("lambda_N"), "normal forces: at least 0, and 0 where the gap is not 0"});
  }
  if (any_slip(e)) {
    list.push_back({letters("s"), "slips"});
    list.push_back({letters.formula("s_v"), "their derivatives by the velocities"});
    list.push_back({letters.formula("lambda_T"),
                    "friction: what keeps the slip at 0, if that is at most the coefficient times the normal force; "
                    "else that much, against the slip"});
  }
}

/// y, z, p, f in the words of the form.
std::vector<Meaning> variables(const Model& model, const Equations& e, const Letters& letters) {
  const Name t = letters("t"), q = letters(coordinate_letter(model, e)), v = letters("v"), p = letters("p"),
             f = letters("f");
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
            {letters("Z"), "matrix that makes the rates of the coordinates of the velocities"},
            {p, "momenta, the mass matrix times the velocities"},
            {f, "forces: of the potential, gyroscopic and applied ones"}};
  }
  return {{t, "time"},
          {q, "variables whose rates are given:", {}, e.y_names},
          {v, "their rates"},
          {letters("z"), "variables in the differentiated quantities:", {}, e.z_names},
          {p, "differentiated quantities"},
          {f, "rates of these without the constraint forces"}};
}

/// r and N, the constraints that they belong to, and their multipliers.
void add_constraints(std::vector<Meaning>& list, const Model& model, const Equations& e, const Letters& letters) {
  const std::string q = coordinate_letter(model, e), Z = model.multibody ? " Z" : "";
  const std::string z = e.form == Form::lagrangian || model.multibody ? "v" : "z";
  const std::string own = "non-ideal constraint forces, as the model writes them";
  const auto forces = [&](const std::string& letter, const std::string& kind, const std::string& formula) {
    list.push_back(
        {letters(letter), e.ideal ? kind + " constraint forces," : own, e.ideal ? letters.formula(formula) : Name{}});
  };
  const bool reacts = !all_zero(e.r), reacts_by_velocity = !all_zero(e.N);
  if (reacts_by_velocity) forces("N", "nonholonomic", "-k_" + z + "^T psi");
  if (reacts) forces("r", "holonomic", std::string("-") + (model.multibody ? "Z^T " : "") + "g_" + q + "^T lambda");
  if (!e.g.empty()) {
    list.push_back({letters("g"), "holonomic constraints", letters.formula("g(t, " + q + ") = 0")});
    list.push_back({letters.formula("g_t, g_" + q), "their derivatives by time and by", letters(q)});
    list.push_back({letters.formula("g_t + g_" + q + Z + " v"), "the time derivative of the constraints"});
  }
  if (!e.k.empty()) {
    list.push_back({letters("k"), "nonholonomic constraints"});
    if (reacts_by_velocity && e.ideal) list.push_back({letters.formula("k_" + z), "their derivatives by", letters(z)});
  }
  if (!e.auxiliary.empty()) {
    const std::vector<std::string> names(e.y_names.end() - static_cast<long>(e.auxiliary.size()), e.y_names.end());
    list.push_back({letters("c"), "what determines the auxiliary variables,", letters.formula("c = 0:"), names});
  }
  const std::string force = e.ideal ? " (a force per gradient of the constraint" : "";
  if (reacts && e.ideal) list.push_back({letters("lambda"), "multipliers of the holonomic constraints"});
  add_multipliers(list, model, e.lambda, e.g_constraint, "holonomic", e.ideal ? force + ")" : "");
  if (reacts_by_velocity && e.ideal) list.push_back({letters("psi"), "multipliers of the nonholonomic constraints"});
  add_multipliers(list, model, e.psi, e.psi_constraint, "nonholonomic", e.ideal ? force + " by the velocities)" : "");
}

std::vector<Meaning> meanings(const Model& model, const Equations& e, const ShowOptions& options,
                              const Letters& letters) {
  std::vector<Meaning> list = variables(model, e, letters);
  if (e.first_order > 0)
    list.push_back({{}, "first-order states, whose rates are given:", {}, of_states(e, e.y_names)});
  const std::string z = e.form == Form::lagrangian || model.multibody ? "v" : "z";
  add_constraints(list, model, e, letters);
  add_contacts(list, model, e, letters);
  if (options.form == ShownForm::ggl && !e.g.empty()) {
    list.push_back({letters("mu"), "multipliers that hold the constraints themselves beside their time derivatives"});
    for (const std::string& name : e.g_names)
      list.push_back(
          {name_of(mu_name(letters, name)), "multiplier that holds " + name + " itself beside its time derivative"});
  }
  if (e.energy) list.push_back({letters("E"), "energy"});
  if (options.form == ShownForm::all || options.form == ShownForm::index1) {
    const bool momenta = e.form == Form::hamiltonian;
    list.push_back({letters.formula((momenta ? "p" : z) + "'"),
                    z == "v" ? "accelerations" : "their rates:",
                    {},
                    symbol_names(e.z_dot)});
  }
  Exprs shown = joined<Expr>(e.v, e.p, e.f, e.N, e.r, e.g, e.g_dot, e.k, e.energy, e.invariants, e.reduced,
                             auxiliary_equations(e));
  for (const ContactFunctions& contact : e.contacts) {
    shown.push_back(contact.gap);
    if (contact.restitution) shown.push_back(contact.restitution);
    for (const auto& friction : contact.friction) {
      append(shown, friction.slip);
      shown.insert(shown.end(), {friction.coefficient, friction.at_rest});
    }
  }
  add_parameters(list, model, e, shown);
  return list;
}

/// The matrices entry by entry, then the system split into its differential and its algebraic part.
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
    std::vector<Meaning> list = {{letters_("t"), "time"},
                                 {letters_("x"), "states", {}, states_},
                                 {letters_("H"), "energy, the Hamiltonian"},
                                 {letters_("z"), "efforts,", letters_.formula("grad H = E^T z")},
                                 {letters_("E"), "flow matrix; E(a, b) is its entry in the row of a, the column of b"},
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
        names.push_back(
            {own.text + "(" + rows[i] + ", " + column + ")",
             own.latex + "_{" + page_.latex(name_of(rows[i])) + ",\\, " + page_.latex(name_of(column)) + "}"});
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

/// The one system, section by section.
class MechanicsPage {
 public:
  MechanicsPage(Page& page, const Model& model, const Equations& e, const ShowOptions& options, const Letters& letters)
      : page_(page),
        model_(model),
        e_(e),
        options_(options),
        letters_(letters),
        y_(coordinate_letter(model, e)),
        v_(model.multibody ? "Z v" : "v") {}

  void write() {
    page_.meanings(meanings(model_, e_, options_, letters_));
    rates();
    momenta();
    constraints();
    contacts();
    if (e_.energy) page_.section({"energy", "Energy"}, {letters_("E")}, {e_.energy}, e_.z);
    page_.section({"invariants", "Invariants"}, names_of(invariant_names(model_)), e_.invariants);
    if (options_.form != ShownForm::all) return;
    reduced();
  }

 private:
  void rates() {
    const Name plain = letters_.in_words("", y_ + "' = " + v_);
    const std::vector<std::string> names = of_coordinates(e_, e_.y_names);
    const Exprs v = of_coordinates(e_, e_.v);
    if (options_.form == ShownForm::ggl && !e_.g.empty()) {
      Exprs mu;
      for (const std::string& name : e_.g_names) mu.push_back(e_.graph->symbol(mu_name(letters_, name)));
      Exprs rates = total_transposed_product(e_, e_.g, mu);
      for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = e_.v[i] + rates[i];
      // x' is the velocity here, which is not the rate of x where mu is not 0.
      std::vector<Name> left;
      for (const std::string& name : names)
        left.push_back({"d/dt " + name, "\\frac{d}{dt} " + page_.latex(name_of(name))});
      page_.section(letters_.in_words("", "d/dt " + y_ + " = " + v_ + " + g_" + y_ + "^T mu"), left,
                    of_coordinates(e_, rates));
    } else if (v == e_.z && e_.form == Form::lagrangian) {
      page_.note(plain, {"the velocities themselves", "the velocities themselves"});
    } else {
      page_.section(plain, derivatives(names), v);
    }
    page_.section({"rates of the first-order states", "Rates of the first-order states"},
                  derivatives(of_states(e_, e_.y_names)), of_states(e_, e_.v));
  }

  /// What is left when the constraints are differentiated: an ordinary differential equation, whole but for q' = v.
  void reduced() {
    const Name law = letters_.formula("d/dt p = " + forces()), set = letters_.formula("p' = " + forces());
    page_.section({"index-reduced system: " + law.text + and_constraints(),
                   "Index-reduced system: $" + set.latex + "$" + and_constraints()},
                  joined<Name>(zeros(e_.reduced.size()), derivatives(of_states(e_, e_.y_names))),
                  joined<Expr>(e_.reduced, of_states(e_, e_.v)), e_.z_dot);
  }

  void momenta() {
    // The rows of the differentiated quantity carry the coordinate's name in the Lagrangian form: p_x1, f_x1.
    std::vector<std::string> rows = e_.form == Form::lagrangian ? e_.y_names : e_.z_names;
    rows.resize(e_.z.size());
    const Exprs multipliers = joined<Expr>(e_.lambda, e_.psi);
    if (e_.p == e_.z) page_.note(letters_.in_words("", "p"), themselves());
    else page_.section(letters_.in_words("", "p"), all_indexed(letters_, "p", rows), e_.p, e_.z);
    const Name law = letters_.in_words("", "p' = " + forces() + contact_forces(), ", where "),
               f = letters_.in_words("", "f");
    page_.section({law.text + f.text, law.latex + f.latex}, all_indexed(letters_, "f", rows), e_.f);
    const auto reactions = [&](const char* letter, const Exprs& list) {
      if (!all_zero(list))
        page_.section(letters_.in_words("", letter), all_indexed(letters_, letter, rows), list, multipliers);
    };
    reactions("N", e_.N);
    reactions("r", e_.r);
  }

  // Where p is what stands in z.
  Name themselves() const {
    if (e_.form == Form::hamiltonian) return {"the momenta themselves", "the momenta themselves"};
    if (e_.form == Form::lagrangian || model_.multibody)
      return letters_.in_words("", "p = v", ", the velocities themselves");
    return letters_.in_words("", "p = z", ", the variables themselves");
  }

  // With the reactions that there are.
  std::string forces() const {
    return std::string("f") + (all_zero(e_.N) ? "" : " + N") + (all_zero(e_.r) ? "" : " + r");
  }
  std::string contact_forces() const {
    return (any_gap(e_) ? " + h_" + y_ + "^T lambda_N" : "") + (any_slip(e_) ? " + s_v^T lambda_T" : "");
  }
  std::string and_constraints() const {
    return std::string(
               e_.g.empty() && e_.k.empty() ? "" : " and the constraints differentiated until accelerations appear") +
           (any_gap(e_) ? ", while all contacts are open" : "") + (any_slip(e_) ? ", without friction" : "") +
           (e_.first_order == 0 ? "" : ", with the rates of the first-order states");
  }

  void constraints() {
    const ShownForm form = options_.form;
    const std::vector<std::string> following(e_.y_names.end() - static_cast<long>(e_.auxiliary.size()),
                                             e_.y_names.end());
    page_.section(letters_.in_words("", "c"), zeros(following.size()), auxiliary_equations(e_), {}, following);
    if (form == ShownForm::index1) {
      const Exprs levels(e_.reduced.begin() + static_cast<long>(e_.z.size()), e_.reduced.end());
      page_.section(letters_.in_words("", "d/dt (g_t + g_" + y_ + " " + v_ + "), d/dt k"), zeros(levels.size()), levels,
                    e_.z_dot, joined<std::string>(e_.g_names, e_.k_names));
      return;
    }
    if (form == ShownForm::all || form == ShownForm::ggl)
      page_.section(letters_.in_words("", "g"), zeros(e_.g.size()), e_.g, {}, e_.g_names);
    page_.section(letters_.in_words("", "g_t + g_" + y_ + " " + v_), zeros(e_.g.size()), e_.g_dot, e_.z, e_.g_names);
    page_.section(letters_.in_words("", "k"), zeros(e_.k.size()), e_.k, e_.z, e_.k_names);
  }

  /// Named values of contacts, with a title of one word or more.
  struct Rows {
    std::vector<Name> names = {};
    Exprs values = {};
    void add(const std::string& name, Expr value) {
      names.push_back(name_of(name));
      values.push_back(value);
    }
  };
  void rows(const std::string& title, const Rows& list, const Exprs& unknowns = {}) {
    std::string large = title;
    large[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(large[0])));
    page_.section({title, large}, list.names, list.values, unknowns);
  }

  /// What the laws of contact and friction, which stand among the symbols, need of the model.
  void contacts() {
    Rows gaps, restitution, loads, slips, coefficients, at_rest;
    for (std::size_t i = 0; i < e_.contacts.size(); ++i) {
      const ContactFunctions& contact = e_.contacts[i];
      const std::string& name = model_.contacts[i].name;
      (contact.restitution ? gaps : loads).add(name, contact.gap);
      if (contact.restitution) restitution.add(name, contact.restitution);
      for (const auto& friction : contact.friction) {
        for (const Expr slip : friction.slip) slips.add(name, slip);
        coefficients.add(name, friction.coefficient);
        if (friction.at_rest != friction.coefficient) at_rest.add(name, friction.at_rest);
      }
    }
    rows("gaps, at least 0", gaps);
    rows("restitution: the share of the speed that an impact gives back", restitution);
    rows("normal forces in joints and constraints", loads, joined<Expr>(e_.z, e_.lambda, e_.psi));
    rows("slips", slips, e_.z);
    rows("coefficients of friction", coefficients);
    rows("coefficients of friction at rest", at_rest);
  }

  Page& page_;
  const Model& model_;
  const Equations& e_;
  const ShowOptions& options_;
  const Letters& letters_;
  const std::string y_;
  const std::string v_;  // the rates of y, in words
};

/// The letters of the page. Names of multipliers are the page's own: lambda_rod is an entry of lambda.
Letters letters_of(const Model& model, const Equations& e, std::vector<std::string> names) {
  const std::vector<std::string> own = joined<std::string>(symbol_names(e.lambda), symbol_names(e.psi));
  std::erase_if(names, [&](const std::string& name) {
    return (std::find(own.begin(), own.end(), name) != own.end() && name.find('_') != std::string::npos) || name == "t";
  });
  std::map<std::string, std::vector<std::string>> lists;
  const std::string q = coordinate_letter(model, e);
  lists[q] = of_coordinates(e, e.y_names);
  if (model.multibody) lists["v"] = e.z_names;
  else if (e.form == Form::hamiltonian) lists["p"] = e.z_names;
  else if (e.form == Form::general) lists["z"] = e.z_names;
  std::vector<std::string> indices = joined<std::string>(e.y_names, e.z_names);
  if (e.port) {
    const PortSystem& s = e.port->system;
    lists.clear();
    for (int i = 0; i < s.size(); ++i) lists["x"].push_back(flat_name(s.states, i));
    for (int i = 0; i < static_cast<int>(s.u.size()); ++i) {
      lists["u"].push_back(flat_name(s.inputs, i));
      lists["y"].push_back(flat_name(s.outputs, i));
    }
    indices = lists["x"];
  }
  indices.insert(indices.end(), {"t", "q", "y", "v", "z"});
  return {names, indices, joined<std::string>(e.g_names, e.k_names), lists};
}

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
  return joined<std::string>(names, symbol_names(e.lambda), symbol_names(e.psi));
}

}  // namespace

std::string show(const Model& model, const Equations& e, const ShowOptions& options) {
  Collector collector({joined<Expr>(e.lambda, e.psi), joined<Expr>(e.t, e.y), e.z, e.z_dot});
  std::vector<std::string> symbols = symbols_of(model, e);
  const Letters letters = letters_of(model, e, symbols);
  for (const std::string& name : e.g_names) symbols.push_back(mu_name(letters, name));
  Page page(collector, options, title_of(model, e), symbols);
  if (e.port) PortPage(page, model, e, letters).write();
  else MechanicsPage(page, model, e, options, letters).write();
  return page.take();
}

}  // namespace alembert::internal
