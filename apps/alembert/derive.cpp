// alembert derive: the equations behind a model, readable or as LaTeX.

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "alembert/derive/equations.h"
#include "alembert/derive/ports/to_port.h"
#include "alembert/derive/show.h"
#include "alembert/error.h"
#include "alembert/start/initial.h"
#include "alembert/start/nearest.h"
#include "commands.h"

namespace alembert::internal::app {

namespace {

struct Arguments {
  std::string model;
  std::string form, change;
  bool latex = false, values = false, all = false, port = false, autonomous = false;
};

double start_of(const Model& model, int state) {
  const std::vector<int>& numbers = model.port->differential;
  return static_cast<double>(model.z0[std::find(numbers.begin(), numbers.end(), state) - numbers.begin()]);
}

/// "x = r*cos(a), y = r*sin(a), r = 1, a = 0.5": what stands for states, and the new states with values near which
/// they start. Changes the initial values with the system.
PortSystem change(const Model& model, const PortSystem& system, const std::string& text, std::vector<double>& x0) {
  const auto wrong = [](const std::string& message) { return InputError("--change: " + message); };
  const Text parsed = parse(std::make_shared<const Source>(Source{"--change", "let " + text + "\n"}));
  std::vector<int> replaced;
  std::vector<std::string> names, starts, expressions;
  for (const Statement& statement : parsed.statements)
    for (const Item& item : statement.items) {
      const std::string name = print(item.target);
      const auto block =
          std::find_if(system.states.begin(), system.states.end(), [&](const Block& b) { return b.name == name; });
      if (block == system.states.end()) {
        names.push_back(name);
        starts.push_back(print(*item.value));
      } else {
        if (block->size != 1) throw wrong("'" + name + "' is not a single number; only such states can be replaced");
        replaced.push_back(block->first);
        expressions.push_back(print(*item.value));
      }
    }
  if (names.size() != replaced.size())
    throw wrong(fmt::format("{} states are replaced by {} new ones (give each of them a value near which it starts)",
                            replaced.size(), names.size()));
  // The expressions are read as those of a model with the same parameters and all states.
  std::string reader = parameters_text(model);
  for (const Block& block : system.states)
    if (std::find(replaced.begin(), replaced.end(), block.first) == replaced.end())
      reader += "state " + block.name + (block.size > 1 ? fmt::format("[{}]", block.size) : "") + "\n";
  for (std::size_t i = 0; i < names.size(); ++i) reader += "state " + names[i] + " = " + starts[i] + "\n";
  for (std::size_t i = 0; i < names.size(); ++i) reader += fmt::format("conserve c{}: {}\n", i, expressions[i]);
  reader += "hamiltonian 0\n";
  const Model read = read_model(std::make_shared<const Source>(Source{"--change", reader}));
  Graph& graph = system.H.graph();
  Exprs unknowns;
  for (const std::string& name : names) unknowns.push_back(graph.symbol(name));
  const auto state_named = [&](const std::string& name) {
    for (const Exprs* list : {&system.x, static_cast<const Exprs*>(&unknowns)})
      for (const Expr x : *list)
        if (graph.name(x.id()) == name) return x;
    throw wrong("unknown state '" + name + "'");
  };
  const auto carried = [&](const Exprs& list, bool values) {
    Exprs from{read.t}, to{system.t};
    for (std::size_t i = 0; i < read.parameter_symbols.size(); ++i) {
      const Expr p = read.parameter_symbols[i];
      from.push_back(p);
      to.push_back(values ? graph.constant(read.parameter_values[i]) : graph.symbol(p.graph().name(p.id())));
    }
    for (const Expr x : read.port->x) {
      from.push_back(x);
      to.push_back(state_named(x.graph().name(x.id())));
    }
    return substitute(list, from, to, graph);
  };
  // Values of the new states that give those of the old ones.
  Exprs inputs{system.t}, equations = carried(read.invariant_values, true);
  NearestPoint::Request request;
  request.inputs = {0};
  for (std::size_t i = 0; i < names.size(); ++i) {
    equations[i] = equations[i] - graph.constant(x0[replaced[i]]);
    request.active.push_back(static_cast<int>(i));
    const auto at = std::find_if(read.port->x.begin(), read.port->x.end(),
                                 [&](Expr x) { return x.graph().name(x.id()) == names[i]; });
    request.given.push_back(start_of(read, static_cast<int>(at - read.port->x.begin())));
  }
  for (std::size_t i = 0; i < system.x.size(); ++i)
    if (std::find(replaced.begin(), replaced.end(), static_cast<int>(i)) == replaced.end()) {
      inputs.push_back(system.x[i]);
      request.inputs.push_back(x0[i]);
    }
  request.fixed.assign(names.size(), false);
  request.metric = identity_rows(static_cast<int>(names.size()));
  const NearestPoint::Result found = NearestPoint(inputs, unknowns, equations).solve(request);
  if (!found.converged) throw wrong("no values of the new states found that give the initial ones; start nearer");
  for (std::size_t i = 0; i < names.size(); ++i) x0[replaced[i]] = found.x[i];
  return changed(system, replaced, carried(read.invariant_values, false), unknowns);
}

/// Initial values are those that are consistent.
int print_port(const Model& model, const Arguments& arguments) {
  for (const auto& [given, option] : {std::pair{arguments.latex, "--latex"}, {arguments.all, "--all"}})
    if (given) throw InputError(fmt::format("--port-hamiltonian prints a model; {} does not go with it", option));
  if (model.port && !arguments.form.empty())
    throw InputError("--form says how holonomic constraints are written, and this model is port-Hamiltonian already",
                     "its rows stay as they are");
  if (!arguments.form.empty() && arguments.form != "ggl" && arguments.form != "index2")
    throw InputError("with --port-hamiltonian --form is index2 or ggl, not '" + arguments.form + "'");
  if (model.port && arguments.values)
    throw InputError("--values: the parameters of a port-Hamiltonian model stay as they are written");
  const InitialValues start = make_consistent(model, derive(model));
  const Equations e = derive(model, {.symbolic_parameters = !arguments.values});
  PortSystem system = to_port(model, e, {arguments.form == "ggl", arguments.autonomous});
  std::vector<double> x0(system.x.size(), 0.0);
  if (model.port) {
    for (std::size_t i = 0; i < model.port->differential.size(); ++i) x0[model.port->differential[i]] = start.z[i];
    for (std::size_t i = 0; i < model.port->algebraic.size(); ++i) x0[model.port->algebraic[i]] = start.psi[i];
  } else {
    std::copy(start.y.begin(), start.y.end(), x0.begin());
    std::copy(start.z.begin(), start.z.end(), x0.begin() + static_cast<long>(start.y.size()));
  }
  if (!arguments.change.empty()) system = change(model, system, arguments.change, x0);
  fmt::print("{}", port_text(model, system, x0));
  return done;
}

}  // namespace

Command add_derive(CommandLine& program) {
  Options options = program.command("derive", "Show the equations derived from a model");
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.option("--form", arguments->form, "FORM",
                 "One system of equations only: index1, index2 or ggl say how holonomic constraints stand in it");
  options.flag("--latex", arguments->latex, "Print LaTeX");
  options.flag("--values", arguments->values, "Put in the values of the parameters");
  options.flag("--all", arguments->all, "Show every equation, however many and however long");
  options.flag("--port-hamiltonian", arguments->port,
               "The model as a port-Hamiltonian system, a text that runs; --form ggl holds both levels of constraints");
  options.flag("--autonomous", arguments->autonomous, "With --port-hamiltonian: time as a state");
  options.option("--change", arguments->change, "LIST",
                 "With --port-hamiltonian: other variables, and where the new ones start near: \"x = r*cos(a), y = "
                 "r*sin(a), r = 1, a = 0\"");
  return {options, [arguments] {
            const Model model = load_model(arguments->model);
            if (arguments->port) return print_port(model, *arguments);
            if (arguments->autonomous || !arguments->change.empty())
              throw InputError("--autonomous and --change go with --port-hamiltonian");
            if (model.port && !arguments->form.empty())
              throw InputError("--form says how holonomic constraints stand, and a port-Hamiltonian model has none");
            ShowOptions options;
            options.latex = arguments->latex;
            if (arguments->form == "index1") options.form = ShownForm::index1;
            else if (arguments->form == "index2") options.form = ShownForm::index2;
            else if (arguments->form == "ggl") options.form = ShownForm::ggl;
            else if (!arguments->form.empty())
              throw InputError("--form is index1, index2 or ggl, not '" + arguments->form + "'");
            if (arguments->all) options.rows = options.length = std::numeric_limits<std::size_t>::max();
            fmt::print("{}", show(model, derive(model, {.symbolic_parameters = !arguments->values}), options));
            return done;
          }};
}

}  // namespace alembert::internal::app
