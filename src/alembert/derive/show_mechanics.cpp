// The page of a mechanical system.

#include <algorithm>
#include <cctype>
#include <map>

#include "alembert/base/lists.h"
#include "alembert/derive/indices.h"
#include "alembert/derive/show_parts.h"

namespace alembert::internal {

namespace {

std::vector<Name> derivatives(const std::vector<std::string>& symbols) {
  std::vector<Name> names;
  for (const std::string& symbol : symbols) names.push_back(name_of(symbol + "'"));
  return names;
}

/// Constraints without a name are called "constraint 2" already.
std::string constraint_name(const std::string& name) {
  return name.starts_with("constraint ") ? name : "constraint " + name;
}

/// One line for each, or for each family of more than a few.
void add_multipliers(std::vector<Meaning>& list, const Model& model, const Exprs& multipliers,
                     const std::vector<int>& constraint_of, const std::string& kind, const std::string& unit) {
  constexpr std::size_t few = 3;  // lines that one still reads beside each other
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

}  // namespace

void write_mechanics(Page& page, const Model& model, const Equations& e, const ShowOptions& options,
                     const Letters& letters) {
  MechanicsPage(page, model, e, options, letters).write();
}

}  // namespace alembert::internal
