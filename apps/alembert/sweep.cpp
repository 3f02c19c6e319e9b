// alembert sweep: a parameter study on all cores.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "alembert/error.h"
#include "alembert/study/sweep.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "run_options.h"

namespace alembert::internal::app {
namespace {

struct SweepArguments {
  std::string model, report, out;  // as written; empty where not given
  std::vector<std::string> vary;
  RunChoices choices;
  bool json = false, quiet = false, strict = false;
};

SweepAxis read_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError("--vary wants NAME=VALUE,VALUE,..., not '" + text + "'", "as in: --vary m2=1,0.1,0.01");
  return {text.substr(0, equals), split_list(text.substr(equals + 1))};
}

bool ends_with(const std::string& path, const char* ending) { return path.ends_with(ending); }

int run_sweep(const SweepArguments& arguments) {
  SweepOptions options;
  options.model = read_source(arguments.model);
  options.set = arguments.choices.set;
  for (const std::string& text : arguments.vary) {
    options.axes.push_back(read_axis(text));
    for (std::size_t i = 0; i + 1 < options.axes.size(); ++i)
      if (options.axes[i].name == options.axes.back().name)
        throw InputError("--vary names '" + options.axes[i].name + "' twice", "put all its values into one list");
    for (const std::string& set : options.set)
      if (set_name(set) == options.axes.back().name)
        throw InputError("--set and --vary both give '" + options.axes.back().name + "'", "leave one of them out");
  }
  if (!arguments.report.empty()) options.columns = split_list(arguments.report);
  if (!arguments.out.empty() && !ends_with(arguments.out, ".csv") && !ends_with(arguments.out, ".json"))
    throw InputError("cannot tell the format of '" + arguments.out + "' by its ending",
                     "the endings .csv and .json are known");
  options.method = [&](const Model& model) { return arguments.choices.chosen_method(model); };
  options.simulation = [&](const Model& model) {
    SimulateOptions simulation = arguments.choices.simulation(model);
    simulation.strict = arguments.strict;
    return simulation;
  };
  std::ofstream file;
  if (!arguments.out.empty()) {
    file.open(arguments.out, std::ios::binary | std::ios::app);
    if (!file) throw InputError("--out cannot write '" + arguments.out + "'");
    file.close();
  }

  ProgressBar bar(!arguments.json && !arguments.quiet);
  if (bar.active()) options.progress = [&](double done) { bar.show(done); };
  const InterruptGuard guard;
  options.interrupt = &guard.interrupted();
  Sweep table = sweep(options);
  for (SweepRow& row : table.rows) {
    row.failure = in_words_of_the_program(std::move(row.failure));
    for (Warning& warning : row.warnings) warning.text = in_words_of_the_program(std::move(warning.text));
  }
  bar.clear();
  if (!arguments.out.empty()) {
    file.open(arguments.out, std::ios::binary | std::ios::trunc);
    file << (ends_with(arguments.out, ".csv") ? to_csv(table) : to_json(table) + "\n");
    file.close();
    if (!file) throw InputError("--out cannot write '" + arguments.out + "'");
  }
  if (arguments.json) fmt::print("{}\n", to_json(table));
  else if (!arguments.quiet) fmt::print("{}", to_text(table));
  return table.failed() ? failed : done;
}

}  // namespace

Command add_sweep(CommandLine& program) {
  Options options = program.command("sweep", "Run a model with many values of its parameters, on all cores");
  auto arguments = std::make_shared<SweepArguments>();
  options.argument("MODEL", arguments->model, "Model file; - is standard input");
  options.required("--vary", arguments->vary, "NAME=V1,V2,...",
                   "Values of a parameter or an initial value: m2=1,0.1; may be repeated: all combinations are run");
  options.option("--report", arguments->report, "PATH,...",
                 "Columns of the table, as paths into what run --json prints: energy.max_error,q.x1");
  arguments->choices.declare(options);
  options.option("-o,--out", arguments->out, "FILE", "Writes the table, by ending .csv or .json");
  options.flag("--json", arguments->json, "Print one JSON object instead of the table");
  options.flag("--strict", arguments->strict, "A run with a warning has failed");
  options.flag("-q,--quiet", arguments->quiet, "Print no table and no progress");
  options.footer(
      "A path that names a group (energy, q) stands for all in it. Runs that fail are rows with their reason;\n"
      "the exit code is 1 then.");
  return {options, [arguments] { return run_sweep(*arguments); }};
}

}  // namespace alembert::internal::app
