// alembert derive: the equations behind a model, readable or as LaTeX.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "alembert/base/error.h"
#include "alembert/derive/equations.h"
#include "alembert/derive/show.h"
#include "alembert/derive/to_port.h"
#include "alembert/solve/initial.h"
#include "commands.h"

namespace alembert::app {

namespace {

struct Arguments {
  std::string model;
  std::string form;
  bool latex = false, values = false, all = false, port = false, autonomous = false;
};

/// Initial values are those that are consistent.
int print_port(const Model& model, const Arguments& arguments) {
  if (arguments.latex) throw InputError("--port-hamiltonian prints a model; --latex does not go with it");
  if (!arguments.form.empty() && arguments.form != "ggl" && arguments.form != "index2")
    throw InputError("with --port-hamiltonian --form is index2 or ggl, not '" + arguments.form + "'");
  if (model.port && arguments.values)
    throw InputError("--values: a port-Hamiltonian model keeps its parameters as they are written");
  const InitialValues start = make_consistent(model, derive(model));
  const Equations e = derive(model, {.symbolic_parameters = !arguments.values});
  const PortSystem system = to_port(model, e, {arguments.form == "ggl", arguments.autonomous});
  std::vector<double> x0(system.x.size(), 0.0);
  if (model.port) {
    for (std::size_t i = 0; i < model.port->differential.size(); ++i) x0[model.port->differential[i]] = start.z[i];
    for (std::size_t i = 0; i < model.port->algebraic.size(); ++i) x0[model.port->algebraic[i]] = start.psi[i];
  } else {
    std::copy(start.y.begin(), start.y.end(), x0.begin());
    std::copy(start.z.begin(), start.z.end(), x0.begin() + static_cast<long>(start.y.size()));
  }
  fmt::print("{}", port_text(model, system, x0));
  return done;
}

}  // namespace

Command add_derive(CLI::App& program) {
  CLI::App* app = program.add_subcommand("derive", "Show the equations derived from a model");
  auto arguments = std::make_shared<Arguments>();
  app->add_option("MODEL", arguments->model, "Model file; - is standard input")->required()->type_name("");
  app->add_option("--form", arguments->form,
                  "One system of equations only: index1, index2 or ggl say how holonomic constraints stand in it")
      ->type_name("FORM");
  app->add_flag("--latex", arguments->latex, "Print LaTeX");
  app->add_flag("--values", arguments->values, "Put in the values of the parameters");
  app->add_flag("--all", arguments->all, "Show every equation, however many and however long");
  app->add_flag(
      "--port-hamiltonian", arguments->port,
      "The model as a port-Hamiltonian system, a text that runs; --form ggl keeps both levels of constraints");
  app->add_flag("--autonomous", arguments->autonomous, "With --port-hamiltonian: time as a state");
  return {app, [arguments] {
            const Model model = load_model(arguments->model);
            if (arguments->port) return print_port(model, *arguments);
            if (arguments->autonomous) throw InputError("--autonomous goes with --port-hamiltonian");
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

}  // namespace alembert::app
