#include "alembert/start/finite.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/print.h"
#include "alembert/start/dense.h"
#include "alembert/start/differentiable.h"

namespace alembert::internal {
namespace {

constexpr std::size_t longest_part = 60;  // characters of an expression that are shown

/// Functions with what is said about them. A later group is only looked at when the earlier ones are fine, because one
/// bad energy makes everything after it bad.
struct NamedFunctions {
  int group;
  Exprs functions;
  std::function<std::string(int)> name;  // of the function with this number
  std::function<Place(int)> place;       // where the user wrote it
};

Exprs all_functions(const std::vector<NamedFunctions>& lists) {
  Exprs all;
  for (const NamedFunctions& list : lists) append(all, list.functions);
  return all;
}

/// Where the first statement of an energy stands; its keyword is the first word of `name`.
Place statement_place(const Model& model, const std::string& name) {
  if (!model.source) return {};
  std::vector<Diagnostic> ignored;
  const std::string keyword = name.substr(0, name.find(' '));
  for (const Statement& s : parse(model.source, ignored).statements) {
    if (s.keyword == keyword && s.left) return s.left->place;
  }
  return {};
}

/// The energies as the user wrote them, and the forces of the potential.
std::vector<NamedFunctions> functions_of_model(const Model& model, const Exprs& potential_force) {
  std::vector<NamedFunctions> lists;
  const auto add = [&](Expr energy, const std::string& name) {
    if (!energy) return;
    lists.push_back({0,
                     {energy},
                     [name](int) { return "the " + name; },
                     [&model, name](int) { return statement_place(model, name); }});
  };
  add(model.kinetic, "kinetic energy");
  add(model.potential, "potential");
  if (lists.empty()) add(model.lagrangian, "lagrangian");
  add(model.hamiltonian, "hamiltonian");
  add(model.rayleigh, "rayleigh function");
  const auto force_name = [&model](int i) {
    for (const Block& b : model.coordinates)
      if (i >= b.first && i < b.first + b.size) return "the potential's force on " + entry_name(b, i - b.first);
    return std::string("the potential's force");
  };
  lists.push_back({1, potential_force, force_name, [&model](int i) { return place_of(model.coordinates, i); }});
  return lists;
}

/// The symbols of the model: t, q, velocities or momenta, parameters. An algebraic state may stand in the Hamiltonian
/// with a factor that is 0.
Exprs symbols_of_model(const Model& model) {
  Exprs symbols = joined<Expr>(model.t, model.q, model.form == Form::lagrangian ? model.v : model.p);
  append(symbols, model.parameter_symbols);
  for (const Auxiliary& one : model.auxiliary) symbols.push_back(one.rate);
  if (!model.port) return symbols;
  for (const Constraint& c : model.constraints) symbols.push_back(c.multiplier);
  return symbols;
}

std::vector<NamedFunctions> functions_of_equations(const Model& model, const Equations& e) {
  const auto y_place = [&model](int i) { return place_of(model.coordinates, i); };
  const auto z_place = [&model](int i) { return place_of(blocks_of_z(model), i); };
  const auto g_place = [&](int i) { return model.constraints[e.g_constraint[i]].place; };
  const auto k_place = [&](int i) { return model.constraints[e.k_constraint[i]].place; };
  const bool general = e.form == Form::general || e.port;
  const auto force_name = [&e, general](int i) {
    return general ? "the rate of " + e.z_names[i] : "the force on " + e.y_names[i];
  };
  const auto momentum_name = [&e, general](int i) {
    return (general ? "the quantity of " : "the momentum of ") + e.z_names[i];
  };

  std::vector<NamedFunctions> lists;
  lists.push_back({0, e.g, [&](int i) { return "the constraint " + e.g_names[i]; }, g_place});
  lists.push_back({0, e.k, [&](int i) { return "the constraint " + e.k_names[i]; }, k_place});
  lists.push_back({1, e.g_dot, [&](int i) { return "the derivative of the constraint " + e.g_names[i]; }, g_place});
  lists.push_back({1, e.f, force_name, z_place});
  if (general || e.form == Form::hamiltonian)
    lists.push_back({1, e.v, [&](int i) { return "the velocity of " + e.y_names[i]; }, y_place});
  if (e.form != Form::hamiltonian) lists.push_back({1, e.p, momentum_name, z_place});
  if (e.energy)
    lists.push_back({2, {e.energy}, [](int) { return std::string("the energy"); }, [](int) { return Place{}; }});
  for (const Block& b : model.invariants) {
    const auto first = e.invariants.begin() + b.first;
    lists.push_back({2,
                     {first, first + b.size},
                     [&b](int i) { return "the invariant " + entry_name(b, i); },
                     [&b](int) { return b.place; }});
  }
  return lists;
}

/// Throws with all that is not finite in the first group that has something.
void refuse_not_finite(const Model& model, const std::vector<NamedFunctions>& lists, const std::vector<double>& results,
                       const Exprs& symbols, const std::vector<double>& values, const double* parameters) {
  std::vector<Diagnostic> diagnostics;
  int group = 0;
  std::size_t next = 0;
  for (const NamedFunctions& list : lists) {
    if (list.group != group && !diagnostics.empty()) break;
    group = list.group;
    for (int i = 0; i < static_cast<int>(list.functions.size()); ++i) {
      const double result = results[next++];
      if (std::isfinite(result)) continue;
      const std::string part = first_not_finite(list.functions[i], symbols, values, parameters);
      diagnostics.push_back({model.source, list.place(i),
                             list.name(i) + " is not finite at the start (" + to_text(result) + ")",
                             part.empty() ? "give other initial values or parameters" : part});
    }
  }
  throw InputError(std::move(diagnostics));
}

}  // namespace

std::string first_not_finite(Expr f, const Exprs& symbols, const std::vector<double>& values,
                             const double* parameters) {
  Graph& graph = f.graph();
  std::unordered_map<std::uint32_t, double> known;
  for (std::size_t i = 0; i < symbols.size(); ++i) known[symbols[i].id()] = values[i];
  for (const std::uint32_t id : reachable(std::span(&f, 1))) {
    const Node& node = graph.node(id);
    if (node.op == Op::symbol || node.op == Op::parameter) {
      if (node.op == Op::parameter) known[id] = parameters ? parameters[node.a] : static_cast<double>(graph.value(id));
      if (const double v = known[id]; !std::isfinite(v)) return graph.name(id) + " is " + to_text(v);
      continue;
    }
    const double value = node.op == Op::constant ? static_cast<double>(graph.value(id))
                                                 : evaluate<double>(node.op, known[node.a], known[node.b]);
    known[id] = value;
    if (std::isfinite(value)) continue;
    std::string text = to_infix(Expr(&graph, id));
    if (text.size() > longest_part) text = "... " + std::string(operator_of(node.op).name) + " ...";
    return "'" + text + "' is " + to_text(value) + " there";
  }
  return {};
}

void check_given_values(const Model& model, const Equations& e, const StartValues& given) {
  std::vector<Diagnostic> diagnostics;
  const auto inspect = [&](const std::vector<double>& values, const std::vector<std::string>& names,
                           const std::vector<Block>& blocks) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      diagnostics.push_back({model.source, place_of(blocks, static_cast<int>(i)),
                             "the initial value of " + names[i] + " is not finite (" + to_text(values[i]) + ")",
                             "initial values are finite numbers within the range of double precision"});
    }
  };
  inspect(given.y, e.y_names, model.coordinates);
  inspect(given.z, e.z_names, blocks_of_z(model));
  for (std::size_t i = 0; i < given.multipliers.size(); ++i) {
    if (!given.multipliers[i] || std::isfinite(*given.multipliers[i])) continue;
    diagnostics.push_back({model.source, model.constraints[i].place,
                           "the starting value of the multiplier of " + model.constraints[i].name + " is not finite",
                           ""});
  }
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
}

FiniteCheck::FiniteCheck(const Model& model, const Equations& e)
    : potential_force_(model.potential ? gradient(model.potential, model.q) : Exprs{}),
      parameter_values_(Exprs{}, e.parameter_values, interpreted),
      model_functions_(symbols_of_model(model), all_functions(functions_of_model(model, potential_force_)),
                       interpreted),
      equation_functions_(joined<Expr>(e.t, e.y, e.z), all_functions(functions_of_equations(model, e)), interpreted) {}

void FiniteCheck::check(const Model& model, const Equations& e, const State& state) const {
  const std::vector<double> in = model_values(model, state);
  const std::vector<double> of_model = evaluated(model_functions_, in);
  if (!all_finite(of_model))
    refuse_not_finite(model, functions_of_model(model, potential_force_), of_model, symbols_of_model(model), in,
                      parameters_);
  const std::vector<double> point = flat(state);
  const std::vector<double> of_equations = evaluated(equation_functions_, point);
  if (!all_finite(of_equations))
    refuse_not_finite(model, functions_of_equations(model, e), of_equations, joined<Expr>(e.t, e.y, e.z), point,
                      parameters_);
}

/// One for each of symbols_of_model.
std::vector<double> FiniteCheck::model_values(const Model& model, const State& state) const {
  std::vector<double> values = flat(state);
  append(values, evaluated(parameter_values_, {}));
  values.resize(values.size() + model.auxiliary.size(), 0.0);
  if (model.port) values.resize(values.size() + model.constraints.size(), 0.0);
  return values;
}

void FiniteCheck::bind(const double* parameters) {
  parameters_ = parameters;
  for (Kernel<double>* kernel : {&parameter_values_, &model_functions_, &equation_functions_}) kernel->bind(parameters);
}

}  // namespace alembert::internal
