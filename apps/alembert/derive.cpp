// alembert derive: the equations behind a model, readable or as LaTeX.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "alembert/base/error.h"
#include "alembert/derive/equations.h"
#include "alembert/derive/show.h"
#include "commands.h"

namespace alembert::app {

Command add_derive(CLI::App& program) {
  struct Arguments {
    std::string model;
    std::string form;
    bool latex = false, values = false, all = false;
  };
  CLI::App* app = program.add_subcommand("derive", "Show the equations derived from a model");
  auto arguments = std::make_shared<Arguments>();
  app->add_option("MODEL", arguments->model, "Model file; - is standard input")->required()->type_name("");
  app->add_option("--form", arguments->form,
                  "One system of equations only: index1, index2 or ggl say how holonomic constraints stand in it")
      ->type_name("FORM");
  app->add_flag("--latex", arguments->latex, "Print LaTeX");
  app->add_flag("--values", arguments->values, "Put in the values of the parameters");
  app->add_flag("--all", arguments->all, "Show every equation, however many and however long");
  return {app, [arguments] {
            const Model model = load_model(arguments->model);
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
