// alembert converge: measured orders and work of methods on a model.

#include <fmt/format.h>

#include <algorithm>

#include "alembert/default_methods.h"
#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/study/converge.h"
#include "commands.h"
#include "interrupt.h"
#include "limits.h"
#include "progress.h"
#include "run_options.h"

namespace alembert::internal::app {
namespace {

struct ConvergeArguments {
  std::string model;
  std::vector<std::string> methods, set, input;
  std::string steps, end, stages, svg, csv, precision, time_limit;  // as written; empty where not given
  bool json = false;
};

std::vector<double> read_steps(const std::string& text) {
  std::vector<double> steps;
  for (const std::string& step : split_list(text)) steps.push_back(read_real("--steps", step));
  return steps;
}

bool read_precision(const std::string& text) {
  if (text.empty() || text == "double") return false;
  if (text == "quad") return true;
  throw InputError("--precision is double or quad, not '" + text + "'");
}

/// A table stays a table: which study it was stands beside it.
std::string beside(const std::string& csv) {
  return csv.substr(0, csv.ends_with(".csv") ? csv.size() - 4 : csv.size()) + ".run.json";
}

int converge_methods(const ConvergeArguments& arguments) {
  Limits limits(read_time_limit(arguments.time_limit), 0);
  Complaints wrong;
  std::optional<Model> read;
  wrong.attempt([&] { read = load_model(arguments.model, arguments.set, {}, arguments.input); });
  ConvergeOptions options;
  wrong.attempt([&] { options.quad = read_precision(arguments.precision); });
  std::vector<std::string> seen;
  for (const std::string& text : arguments.methods)
    wrong.attempt([&] {
      const Method method = read ? chosen_method(text, arguments.stages, *read) : read_method("--method", text);
      if (std::find(seen.begin(), seen.end(), method.name) != seen.end())
        throw InputError("--method names " + method.name + " twice");
      seen.push_back(method.name);
      options.methods.push_back(method);
    });
  wrong.attempt([&] {
    if (arguments.methods.empty() && read) options.methods.push_back(chosen_method("", arguments.stages, *read));
  });
  wrong.attempt([&] {
    if (!arguments.steps.empty()) options.steps = read_steps(arguments.steps);
  });
  wrong.attempt([&] {
    if (!arguments.end.empty()) options.end = read_real("--end", arguments.end);
  });
  wrong.raise();
  const Model& model = *read;
  const Equations equations = derive(model);

  ProgressBar bar(!arguments.json);
  if (bar.active()) options.progress = [&](double done) { bar.show(done); };
  const InterruptGuard guard;
  options.interrupt = &guard.interrupted();
  limits.check();
  const Convergence measured = converge(model, equations, options);
  bar.clear();
  if (guard.interrupted())
    say((limits.reached().empty() ? "interrupted" : limits.reached()) + ": the rest is not measured");
  const std::string about = description(model, equations, options, measured);
  if (!arguments.svg.empty()) write_file("--svg", arguments.svg, to_svg(measured, about));
  if (!arguments.csv.empty()) {
    write_file("--csv", arguments.csv, to_csv(measured));
    write_file("--csv", beside(arguments.csv), "{\"attributes\":" + about + "}\n");
  }
  fmt::print("{}{}", arguments.json ? to_json(measured) : to_text(measured), arguments.json ? "\n" : "");
  return measured.failed() ? failed : done;
}

}  // namespace

Command add_converge(CommandLine& program) {
  Options options = program.command("converge", "Measure the orders and the work of methods on a model");
  auto arguments = std::make_shared<ConvergeArguments>();
  options.model(arguments->model);
  options.repeated("-m,--method", arguments->methods, "M",
                   "Method, such as " ALEMBERT_DEFAULT_METHOD "; may be repeated");
  options.option("-s,--stages", arguments->stages, "S", "Replaces the methods' number of stages");
  options.option("--steps", arguments->steps, "H1,H2,...", "Step sizes that divide the end: 0.1,0.05,0.025");
  options.option("--end", arguments->end, "T", "Time at which the errors are measured");
  options.overrides(arguments->set);
  declare_inputs(options, arguments->input);
  options.option("--precision", arguments->precision, "double|quad",
                 "Of the measured runs: double, or quad to see high orders");
  options.option("--svg", arguments->svg, "FILE", "Writes a figure: error against step size and CPU time");
  options.option("--csv", arguments->csv, "FILE", "Writes the table");
  options.flag("--json", arguments->json, "Print one JSON object instead of the table");
  options.option("--time-limit", arguments->time_limit, "S",
                 "End after so many seconds, with a table of what is measured by then");
  options.footer(
      "Steps not given: the model's times 4, 2, 1 and 1/2. End not given: the model's, but at most 100 of its steps.\n"
      "The reference is a method of at least four orders more, in quadruple precision, with half the smallest step.\n"
      "Exit code 1: a run or the reference failed; the other rows are printed all the same.");
  return {options, [arguments] { return converge_methods(*arguments); }};
}

}  // namespace alembert::internal::app
