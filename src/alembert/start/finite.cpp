#include "alembert/start/finite.h"

#include <cmath>
#include <unordered_map>
#include <utility>

#include "alembert/code/kernel.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/print.h"

namespace alembert::internal {
namespace {

constexpr std::size_t longest_part = 60;  // characters of an expression that are shown

std::vector<double> evaluate_all(const Exprs& symbols, const Exprs& functions, const std::vector<double>& values) {
  const Kernel<double> kernel(symbols, functions, {.backend = Backend::interpreter});
  std::vector<double> out(kernel.outputs());
  std::vector<double> work(kernel.work());
  kernel(values.data(), out.data(), work.data());
  return out;
}

/// Collects what is not finite, group by group; a later group is only looked at when the earlier ones are fine, because
/// one bad energy makes everything after it bad.
class Inspection {
 public:
  Inspection(const Model& model, Exprs symbols, std::vector<double> values)
      : model_(model), symbols_(std::move(symbols)), values_(std::move(values)) {}

  /// name(i) says what functions[i] is, place(i) where the user wrote it.
  template <class Name, class PlaceOf>
  void inspect(const Exprs& functions, Name name, PlaceOf place) {
    if (functions.empty()) return;
    const std::vector<double> result = evaluate_all(symbols_, functions, values_);
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (std::isfinite(result[i])) continue;
      const std::string part = first_not_finite(functions[i], symbols_, values_);
      diagnostics_.push_back({model_.source, place(i),
                              name(i) + " is not finite at the start (" + to_text(result[i]) + ")",
                              part.empty() ? "give other initial values or parameters" : part});
    }
  }
  void close_group() {
    if (!diagnostics_.empty()) throw InputError(std::move(diagnostics_));
  }

 private:
  const Model& model_;
  Exprs symbols_;
  std::vector<double> values_;
  std::vector<Diagnostic> diagnostics_;
};

void append(Exprs& a, const Exprs& b) { a.insert(a.end(), b.begin(), b.end()); }

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
void inspect_model(const Model& model, const State& state) {
  Exprs symbols = {model.t};
  append(symbols, model.q);
  append(symbols, model.form == Form::lagrangian ? model.v : model.p);
  append(symbols, model.parameter_symbols);
  std::vector<double> values = flat(state);
  for (const Quad v : model.parameter_values) values.push_back(static_cast<double>(v));
  // An algebraic state may stand in the Hamiltonian with a factor that is 0.
  for (const Constraint& c : model.constraints)
    if (model.port) symbols.push_back(c.multiplier), values.push_back(0);
  Inspection inspection(model, symbols, values);

  Exprs energies;
  std::vector<std::string> names;
  const auto add = [&](Expr e, const char* name) {
    if (!e) return;
    energies.push_back(e);
    names.emplace_back(name);
  };
  add(model.kinetic, "kinetic energy");
  add(model.potential, "potential");
  if (energies.empty()) add(model.lagrangian, "lagrangian");
  add(model.hamiltonian, "hamiltonian");
  add(model.rayleigh, "rayleigh function");
  inspection.inspect(
      energies, [&](std::size_t i) { return "the " + names[i]; },
      [&](std::size_t i) { return statement_place(model, names[i]); });
  inspection.close_group();

  if (model.potential) {
    std::vector<std::string> coordinates;
    for (const Block& b : model.coordinates) {
      for (int i = 0; i < b.size; ++i) coordinates.push_back(entry_name(b, i));
    }
    inspection.inspect(
        gradient(model.potential, model.q), [&](std::size_t i) { return "the potential's force on " + coordinates[i]; },
        [&](std::size_t i) { return place_of(model.coordinates, static_cast<int>(i)); });
    inspection.close_group();
  }
}

}  // namespace

std::vector<double> flat(const State& state) {
  std::vector<double> values = {state.t};
  values.insert(values.end(), state.y.begin(), state.y.end());
  values.insert(values.end(), state.z.begin(), state.z.end());
  return values;
}

Place place_of(const std::vector<Block>& blocks, int flat_number) {
  for (const Block& b : blocks) {
    if (flat_number >= b.first && flat_number < b.first + b.size) return b.place;
  }
  return {};
}

std::string first_not_finite(Expr f, const Exprs& symbols, const std::vector<double>& values) {
  Graph& graph = f.graph();
  std::unordered_map<std::uint32_t, double> known;
  for (std::size_t i = 0; i < symbols.size(); ++i) known[symbols[i].id()] = values[i];
  for (const std::uint32_t id : reachable(std::span(&f, 1))) {
    const Node& node = graph.node(id);
    if (node.op == Op::symbol) {
      if (const double v = known[id]; !std::isfinite(v)) return graph.name(id) + " is " + to_text(v);
      continue;
    }
    const double value = operand_count(node.op) == 0 ? static_cast<double>(graph.value(id))
                                                     : evaluate<double>(node.op, known[node.a], known[node.b]);
    known[id] = value;
    if (std::isfinite(value)) continue;
    std::string text = to_infix(Expr(&graph, id));
    if (text.size() > longest_part) text = "... " + std::string(operator_of(node.op).name) + " ...";
    return "'" + text + "' is " + to_text(value) + " there";
  }
  return {};
}

void check_given_values(const Model& model, const Equations& e) {
  std::vector<Diagnostic> diagnostics;
  const auto inspect = [&](const std::vector<Quad>& values, const std::vector<std::string>& names,
                           const std::vector<Block>& blocks) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double v = static_cast<double>(values[i]);
      if (std::isfinite(v)) continue;
      diagnostics.push_back({model.source, place_of(blocks, static_cast<int>(i)),
                             "the initial value of " + names[i] + " is not finite (" + to_text(v) + ")",
                             "initial values are finite numbers within the range of double precision"});
    }
  };
  inspect(model.q0, e.y_names, model.coordinates);
  inspect(model.z0, e.z_names, model.form == Form::lagrangian ? model.coordinates : model.momenta);
  for (std::size_t i = 0; i < model.multiplier0.size(); ++i) {
    if (!model.multiplier0[i] || std::isfinite(static_cast<double>(*model.multiplier0[i]))) continue;
    diagnostics.push_back({model.source, model.constraints[i].place,
                           "the starting value of the multiplier of " + model.constraints[i].name + " is not finite",
                           ""});
  }
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
}

void check_finite(const Model& model, const Equations& e, const State& state) {
  inspect_model(model, state);

  Exprs symbols = {e.t};
  append(symbols, e.y);
  append(symbols, e.z);
  Inspection inspection(model, symbols, flat(state));
  const std::vector<Block>& z_blocks = model.form == Form::lagrangian ? model.coordinates : model.momenta;
  const auto y_place = [&](std::size_t i) { return place_of(model.coordinates, static_cast<int>(i)); };
  const auto z_place = [&](std::size_t i) { return place_of(z_blocks, static_cast<int>(i)); };
  const auto g_place = [&](std::size_t i) { return model.constraints[e.g_constraint[i]].place; };
  const auto k_place = [&](std::size_t i) { return model.constraints[e.k_constraint[i]].place; };
  const bool general = e.form == Form::general || e.port;

  inspection.inspect(
      e.g, [&](std::size_t i) { return "the constraint " + e.g_names[i]; }, g_place);
  inspection.inspect(
      e.k, [&](std::size_t i) { return "the constraint " + e.k_names[i]; }, k_place);
  inspection.close_group();
  inspection.inspect(
      e.g_dot, [&](std::size_t i) { return "the derivative of the constraint " + e.g_names[i]; }, g_place);
  inspection.inspect(
      e.f, [&](std::size_t i) { return (general ? "the rate of " + e.z_names[i] : "the force on " + e.y_names[i]); },
      z_place);
  if (general || e.form == Form::hamiltonian) {
    inspection.inspect(
        e.v, [&](std::size_t i) { return "the velocity of " + e.y_names[i]; }, y_place);
  }
  if (e.form != Form::hamiltonian) {
    inspection.inspect(
        e.p, [&](std::size_t i) { return (general ? "the quantity of " : "the momentum of ") + e.z_names[i]; },
        z_place);
  }
  inspection.close_group();
  if (e.energy) {
    inspection.inspect(
        {e.energy}, [](std::size_t) { return std::string("the energy"); }, [](std::size_t) { return Place{}; });
  }
  for (const Block& b : model.invariants) {
    const Exprs entries(e.invariants.begin() + b.first, e.invariants.begin() + b.first + b.size);
    inspection.inspect(
        entries, [&](std::size_t i) { return "the invariant " + entry_name(b, static_cast<int>(i)); },
        [&](std::size_t) { return b.place; });
  }
  inspection.close_group();
}

}  // namespace alembert::internal
