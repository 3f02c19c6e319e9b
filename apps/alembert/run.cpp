// alembert run: integrates a model, writes trajectories, and reports what was preserved.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "alembert/base/files.h"
#include "alembert/base/utf8.h"
#include "alembert/default_methods.h"
#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "alembert/output/attributes.h"
#include "alembert/plot/figures.h"
#include "alembert/report.h"
#include "alembert/run/report_names.h"
#include "alembert/run/simulate.h"
#include "alembert/trajectory.h"
#include "commands.h"
#include "interrupt.h"
#include "limits.h"
#include "progress.h"
#include "run_options.h"
#include "run_profile.h"

namespace alembert::internal::app {
namespace {

struct RunOptions {
  std::string model;
  RunChoices choices;
  std::string every, at, sample, columns;  // as written; empty where not given
  std::vector<std::string> out, plot, input;
  bool json = false, quiet = false;
  bool dirac = false, strict = false, profile = false;
  std::string start, time_limit, memory_limit;
  std::string checkpoint, checkpoint_every, resume;
};

/// All that a run writes.
std::vector<NamedFile> files_of(const RunOptions& options) {
  std::vector<NamedFile> files;
  for (const std::string& path : options.out) {
    files.push_back({"--out", path});
    if (!path.ends_with(".csv")) continue;
    for (const char* beside : {".events.csv", ".run.json"})
      files.push_back({"--out " + path, path.substr(0, path.size() - 4) + beside});
  }
  for (const std::string& path : options.plot) files.push_back({"--plot", path});
  if (!options.checkpoint.empty()) files.push_back({"--checkpoint", options.checkpoint});
  return files;
}

std::vector<std::unique_ptr<Observer>> make_writers(const std::vector<std::string>& paths,
                                                    const std::vector<std::string>& columns) {
  std::vector<std::unique_ptr<Observer>> writers;
  for (const std::string& path : paths) {
    writers.push_back(make_writer(path));
    if (!columns.empty()) writers.back() = choose_columns(std::move(writers.back()), columns);
  }
  return writers;
}

void require_plot(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".html")) {
    throw InputError("--plot cannot tell the format of '" + path + "' by its ending",
                     "the endings .svg and .html are known");
  }
  require_writable("--plot", path);
}

std::string plot_text(const std::string& path, const Trajectory& trajectory, const std::string& words,
                      const std::string& model) {
  if (path.ends_with(".svg")) {
    Figure figure = figure_of(trajectory);
    figure.about = to_json(attributes_of(trajectory.run));
    return to_svg(figure);
  }
  if (!page_note().empty()) say("note: " + page_note());
  return page_of(trajectory, figure_of(trajectory).title, words, model == "-" ? "" : model);
}

/// As many rows as memory has room for: a page thins them itself and keeps their extremes.
std::size_t rows_to_record(const Equations& equations) {
  constexpr std::size_t most_rows = 2'000'000, most_numbers = 60'000'000;  // half a gigabyte
  const std::size_t numbers = 2 * (equations.y.size() + equations.z.size()) + 10;
  return std::clamp(most_numbers / numbers, std::size_t(10'000), most_rows);
}

/// "t,tip,norm(a, b)" at the commas that stand outside brackets.
std::vector<std::string> chosen_columns(const RunOptions& options) {
  if (options.columns.empty()) return {};
  if (options.out.empty())
    throw InputError("--columns chooses the columns of a trajectory: say --out where to write it");
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : options.columns) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) names.emplace_back();
    else if (c != ' ') names.back() += c;
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw InputError("--columns has an empty name", "as in: --columns t,tip,energy");
    if (!seen.insert(name).second) throw InputError("--columns names '" + name + "' twice");
  }
  return names;
}

/// What is no column of the model is an expression to observe: a reaction, an angle, the force of a spring.
Model load(const RunOptions& options, const std::vector<std::string>& columns) {
  Model model = load_model(options.model, options.choices.set, {}, options.input);
  if (columns.empty()) return model;
  const Columns known = columns_with_contacts(model, derive(model), options.dirac);
  std::vector<std::string> others;
  for (const std::string& name : columns)
    if (columns_named(known, name).empty()) others.push_back(name);
  return others.empty() ? std::move(model) : load_model(options.model, options.choices.set, others, options.input);
}

/// "500": steps; "30s": seconds.
void read_checkpoint(const RunOptions& options, SimulateOptions& simulation) {
  simulation.checkpoint.path = options.checkpoint;
  const std::string& every = options.checkpoint_every;
  if (!every.empty() && options.checkpoint.empty())
    throw InputError("--checkpoint-every has no meaning here", "it goes with --checkpoint");
  if (every.ends_with('s')) {
    simulation.checkpoint.seconds = read_real("--checkpoint-every", every.substr(0, every.size() - 1));
    if (!(simulation.checkpoint.seconds > 0)) throw InputError("--checkpoint-every wants a time above 0, not " + every);
  } else if (!every.empty()) {
    simulation.checkpoint.steps = read_whole("--checkpoint-every", every, 1);
  }
  if (!options.checkpoint.empty()) require_regular("--checkpoint", options.checkpoint);
  if (options.resume.empty()) return;
  if (!options.plot.empty())
    throw InputError("--plot does not go with --resume: it would begin at the checkpoint",
                     "write --out, and let alembert view draw it");
  const std::optional<std::string> bytes = read_file(options.resume);
  if (!bytes || bytes->empty()) throw InputError("cannot read the checkpoint '" + options.resume + "'");
  const auto* first = reinterpret_cast<const std::byte*>(bytes->data());
  simulation.resume.assign(first, first + bytes->size());
}

/// The numbers were computed, but not all could be written.
int write_plots(const RunOptions& options, const Trajectory& trajectory, const Report& report) {
  int code = done;
  for (const std::string& path : options.plot) {
    try {
      write_file("--plot", path, plot_text(path, trajectory, to_text(report), options.model));
    } catch (const WriteError& error) {
      say(error.what());
      code = failed;
    }
  }
  return code;
}

/// Which rows are written.
void read_rows(const RunOptions& options, SimulateOptions& simulation, Complaints& wrong) {
  wrong.attempt([&] {
    if (!options.every.empty()) simulation.every = read_whole("--every", options.every, 1);
  });
  if (!options.at.empty())
    for (const std::string& time : split_list(options.at))
      wrong.attempt([&] { simulation.at.push_back(read_real("--at", time)); });
  wrong.attempt([&] {
    if (options.sample.empty()) return;
    simulation.sample = read_real("--sample", options.sample);
    if (simulation.sample <= 0) throw InputError("--sample wants a number above 0, not " + options.sample);
  });
  wrong.attempt([&] {
    const bool chosen = !options.at.empty() || !options.sample.empty() || !options.every.empty();
    if (chosen && options.out.empty() && options.plot.empty())
      throw InputError("--every, --at and --sample choose the rows of a trajectory: say --out where to write it");
  });
}

Limits read_limits(const RunOptions& options) {
  double bytes = 0;
  if (!options.memory_limit.empty()) bytes = read_bytes("--memory-limit", options.memory_limit);
  return Limits(read_time_limit(options.time_limit), bytes);
}

/// All that the command line and the model say, and all that is wrong with it at once.
struct Reading {
  std::vector<std::string> columns;
  std::optional<Model> model;
  double start = 0;
  SimulateOptions rows;  // what the command line says of them

  explicit Reading(const RunOptions& options) {
    Complaints wrong;
    wrong.attempt([&] { columns = chosen_columns(options); });
    wrong.attempt([&] { model = load(options, columns); });
    options.choices.check(model ? &*model : nullptr, wrong);
    wrong.attempt([&] {
      if (!options.start.empty()) start = read_real("--start", options.start);
    });
    read_rows(options, rows, wrong);
    for (const std::string& path : options.plot) wrong.attempt([&] { require_plot(path); });
    wrong.attempt([&] { require_distinct(options.model, files_of(options)); });
    wrong.attempt([&] {
      if (options.profile && options.quiet && !options.json)
        throw InputError("--profile is printed below the report: not with --quiet");
    });
    wrong.raise();
  }
};

int run(const RunOptions& options) {
  std::optional<Profile> profile;
  if (options.profile) profile.emplace();
  Limits limits = read_limits(options);
  const Reading reading(options);
  const Model& model = *reading.model;
  const Equations equations = derive(model);
  const auto [method, choice] = options.choices.chosen_method(model, equations);
  SimulateOptions simulation = options.choices.simulation(model, reading.start);
  simulation.every = reading.rows.every;
  simulation.at = reading.rows.at;
  simulation.sample = reading.rows.sample;
  simulation.dirac = options.dirac;
  simulation.strict = options.strict;
  if (options.dirac && (!model.port || options.out.empty()))
    throw InputError("--dirac adds columns to the trajectory of a port-Hamiltonian model: " +
                     std::string(model.port ? "say --out where to write it" : "this one has another form"));
  read_checkpoint(options, simulation);
  const std::vector<std::unique_ptr<Observer>> writers = make_writers(options.out, reading.columns);
  Recorder recorder(rows_to_record(equations));
  if (!options.plot.empty()) simulation.observers.push_back(&recorder);
  for (const auto& writer : writers) simulation.observers.push_back(writer.get());

  ProgressBar bar(!options.quiet && !options.json);
  if (bar.active()) simulation.progress = [&](double done) { bar.show(done); };
  const InterruptGuard guard;
  simulation.interrupt = &guard.interrupted();
  limits.check();
  Report report = simulate(model, equations, method, simulation, reading.start);
  report.choice = choice;
  report.reason = in_words_of_the_program(std::move(report.reason));
  for (Warning& warning : report.warnings) warning.text = in_words_of_the_program(std::move(warning.text));
  if (report.ending == Ending::interrupted && !limits.reached().empty())
    report.reason = limits.reached() + " at t = " + to_text(report.t);
  for (const auto& writer : writers) writer->end();
  bar.clear();
  const int plotted = write_plots(options, recorder.trajectory, report);

  if (options.json) {
    fmt::print("{}\n", profile ? with_profile(to_json(report), *profile) : to_json(report));
  } else if (!options.quiet) {
    fmt::print("{}", to_text(report));
    std::vector<std::string> written = options.out;
    written.insert(written.end(), options.plot.begin(), options.plot.end());
    if (!written.empty()) fmt::print("  {:<12}{}\n", "written", printable(fmt::format("{}", fmt::join(written, ", "))));
    if (profile) fmt::print("{}", profile_text(*profile));
  }
  // The report says these too, but a person may not see that one. Who asks for checkpoints relies on them.
  const bool unseen = options.json || options.quiet || !::isatty(STDOUT_FILENO);
  for (const Warning& warning : report.warnings)
    if (unseen && warning.code == "checkpoint") say("warning: " + warning.text);
  if (report.ending == Ending::done) return plotted;
  if (unseen) say(report.reason.empty() ? "stopped at t = " + to_text(report.t) : report.reason);
  return failed;
}

}  // namespace

Command add_run(CommandLine& program) {
  Options options = program.command("run", "Integrate a model and report what was preserved");
  auto arguments = std::make_shared<RunOptions>();
  options.model(arguments->model);
  arguments->choices.declare(options);
  options.repeated("-o,--out", arguments->out, "FILE", "Trajectory, by ending .csv, .h5 or .json; may be repeated");
  options.repeated("--plot", arguments->plot, "FILE",
                   "Figures of the run, by ending .svg or .html (with the animation); may be repeated");
  options.option("--every", arguments->every, "N", "Write every Nth step, beside the first and the last");
  options.option("--at", arguments->at, "T1,T2,...",
                 "Write rows at these times instead of the steps (beside them with --every)");
  options.option("--sample", arguments->sample, "DT", "The same for the multiples of a time, from the start on");
  declare_inputs(options, arguments->input);
  options.option("--columns", arguments->columns, "NAME,...",
                 "Write these columns only, behind t; also reactions, angles, forces: hinge.force, strut.length");
  options.flag("--dirac", arguments->dirac,
               "Port-Hamiltonian models: also write the flows E x' and the efforts z of all states");
  options.option("--start", arguments->start, "T",
                 "Time to start at, with the model's initial values; 0 where not given");
  options.option("--time-limit", arguments->time_limit, "S",
                 "The run ends after so many seconds: what was computed is written, and the exit code is 1");
  options.option("--memory-limit", arguments->memory_limit, "SIZE", "The same for memory: 500M, 2G");
  options.option("--checkpoint", arguments->checkpoint, "FILE",
                 "Leave what it takes to go on: once a minute, and where the run is interrupted");
  options.option("--checkpoint-every", arguments->checkpoint_every, "N",
                 "The same after so many steps, or seconds: 500, 10s");
  options.option("--resume", arguments->resume, "FILE",
                 "Go on from a checkpoint of the same run, with the same bits; the files of --out go on too");
  options.flag("--strict", arguments->strict, "Warnings end the run with exit code 1");
  options.flag("--profile", arguments->profile,
               "Say where the time went: evaluation, factorisation, prediction, watching, output");
  options.flag("--json", arguments->json, "Print one JSON object instead of the report");
  options.flag("-q,--quiet", arguments->quiet, "Print no report and no progress");
  options.footer(
      "What is not given comes from the model's solve statement; the method is " ALEMBERT_DEFAULT_METHOD
      " where that has none.\n"
      "Ctrl-C, SIGTERM and SIGHUP end the run after the current step: what was computed is written, and the exit code\n"
      "is 1.");
  return {options, [arguments] { return run(*arguments); }, [arguments] { const Reading all(*arguments); }};
}

}  // namespace alembert::internal::app
