// alembert sweep: studies with many values of a model, on all cores and nodes.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "alembert/code/gpu.h"
#include "alembert/error.h"
#include "alembert/study/nodes.h"
#include "alembert/study/program_members.h"
#include "alembert/study/table_sinks.h"
#include "alembert/trajectory.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "run_options.h"

namespace alembert::internal::app {
namespace {

/// As written; empty where not given.
struct SweepArguments {
  std::string model, report, out, members, seed, sampling, map, statistics, keep, every, threads, device;
  std::vector<std::string> vary, draw, plot;
  RunChoices choices;
  std::vector<std::string> input;
  bool json = false, quiet = false, strict = false, resume = false;
};

Sampling read_sampling(const std::string& text) {
  if (text.empty() || text == "random") return Sampling::random;
  if (text == "latin") return Sampling::latin;
  if (text == "sobol") return Sampling::sobol;
  const std::string near = nearest_name(text, {"random", "latin", "sobol"});
  throw InputError("--sampling knows no '" + text + "'",
                   near.empty() ? "random, latin (hypercube) and sobol are known" : "did you mean '" + near + "'?");
}

/// Who runs the members.
MemberEngineMaker read_device(const std::string& text) {
  if (text.empty() || text == "cpu") return make_scalar_engine;
  if (text == "lanes") return make_lane_engine;
  if (text == "gpu") {
    if (const std::string why = why_no_gpu(); !why.empty())
      throw InputError("--device gpu: " + why, "leave --device out to run on the CPU");
    return make_gpu_engine;
  }
  const std::string near = nearest_name(text, {"cpu", "lanes", "gpu"});
  throw InputError("--device knows no '" + text + "'",
                   near.empty() ? "cpu, lanes and gpu are known" : "did you mean '" + near + "'?");
}

void read_draws(const SweepArguments& arguments, SweepOptions& options, Complaints& wrong) {
  for (const std::string& text : arguments.draw) options.draws.push_back(read_draw(text, wrong.list));
  if (arguments.draw.empty()) {
    for (const auto& [option, text] :
         {std::pair{"--members", &arguments.members}, {"--seed", &arguments.seed}, {"--sampling", &arguments.sampling}})
      if (!text->empty())
        wrong.add(std::string(option) + " goes with --draw", "say what is drawn: --draw \"x=normal(0, 1)\"");
    return;
  }
  if (arguments.members.empty()) wrong.add("--draw needs --members", "how often is drawn: --members 1000");
  else
    wrong.attempt([&] { options.members = static_cast<std::uint64_t>(read_whole("--members", arguments.members, 1)); });
  if (!arguments.seed.empty())
    wrong.attempt([&] { options.seed = static_cast<std::uint64_t>(read_whole("--seed", arguments.seed, 0)); });
  wrong.attempt([&] { options.sampling = read_sampling(arguments.sampling); });
}

/// Columns of the table; that of the map is one of them.
void read_columns(const SweepArguments& arguments, const MapRequest& map, SweepOptions& options, Complaints& wrong) {
  if (!arguments.report.empty()) options.columns = split_list(arguments.report);
  for (const std::string& column : options.columns)
    if (column.empty()) wrong.add("--report has an empty name", "as in: --report energy.max_error,q.x1");
  const bool listed = std::find(options.columns.begin(), options.columns.end(), map.column) != options.columns.end();
  if (!map.column.empty() && !listed) options.columns.push_back(map.column);
}

SweepOptions read_options(const SweepArguments& arguments, MapRequest& map, Complaints& wrong) {
  SweepOptions options;
  wrong.attempt([&] { options.model = read_source(arguments.model); });
  options.set = arguments.choices.set;
  options.inputs = arguments.input;
  std::set<std::string> inputs;
  for (const std::string& one : arguments.input)
    if (!inputs.insert(set_name(one)).second) wrong.add("--input gives '" + set_name(one) + "' twice");
  if (arguments.vary.empty() && arguments.draw.empty())
    wrong.add("nothing varies", "say --vary l=1,2,4 or --vary l=0.5:2:100, or --draw \"x=normal(0, 0.1)\"");
  for (const std::string& text : arguments.vary) options.axes.push_back(read_axis(text, wrong.list));
  read_draws(arguments, options, wrong);
  if (!arguments.map.empty()) map = read_map(arguments.map, wrong.list);
  read_columns(arguments, map, options, wrong);
  if (!arguments.map.empty() && arguments.plot.empty())
    wrong.add("--map needs --plot", "where the picture goes: --plot map.svg (or .png, .html)");
  if (arguments.map.empty() && !arguments.plot.empty())
    wrong.add("--plot needs --map", "what is drawn: --map \"l1, l2 -> events.flip.t\"");
  wrong.attempt([&] { options.engine = read_device(arguments.device); });
  if (!arguments.threads.empty())
    wrong.attempt(
        [&] { options.threads = static_cast<int>(std::min(read_whole("--threads", arguments.threads, 1), 4096L)); });
  options.method = [&](const Model& model) { return arguments.choices.chosen_method(model); };
  options.simulation = [&](const Model& model) {
    SimulateOptions simulation = arguments.choices.simulation(model);
    simulation.strict = arguments.strict;
    return simulation;
  };
  // What decides the rows beside what the study itself knows: all other words about the run.
  const RunChoices& c = arguments.choices;
  for (const std::string* word :
       {&c.method, &c.stages, &c.newton, &c.newton_tolerance, &c.guess, &c.control, &c.tolerance, &c.absolute_tolerance,
        &c.min_step, &c.max_step, &c.growth, &c.shrink, &c.good_steps, &c.max_steps})
    options.words += *word + "|";
  options.words += arguments.device + "|";
  options.words += arguments.strict ? "strict" : "";
  options.say = [](std::string text) { return in_words_of_the_program(std::move(text)); };
  return options;
}

/// The members whose rows are wanted, each with its file beside the table: study.17.csv.
std::vector<std::unique_ptr<Observer>> make_trajectories(const SweepArguments& arguments, SweepOptions& options) {
  std::vector<std::unique_ptr<Observer>> writers;
  if (arguments.keep.empty()) return writers;
  if (arguments.out.empty())
    throw InputError("--keep goes with --out", "trajectories are written beside the table: study.17.csv for member 17");
  const std::size_t dot = arguments.out.rfind('.');
  std::set<long> seen;
  for (const std::string& text : split_list(arguments.keep)) {
    const long member = read_whole("--keep", text, 1);
    if (!seen.insert(member).second) throw InputError("--keep names member " + text + " twice");
    writers.push_back(make_writer(arguments.out.substr(0, dot) + "." + text + arguments.out.substr(dot)));
    options.trajectories.emplace_back(static_cast<std::uint64_t>(member - 1), writers.back().get());
  }
  return writers;
}

void require_map_file(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png") && !path.ends_with(".html"))
    throw InputError("--plot cannot tell the format of '" + path + "' by its ending",
                     "the endings .svg, .png and .html are known");
  require_writable("--plot", path);
}

std::string map_file(const std::string& path, const HeatMap& map, const std::string& words) {
  if (path.ends_with(".png")) return to_png(map);
  return path.ends_with(".svg") ? to_svg(map) : to_html(map, words);
}

/// Tables up to this long are printed; longer ones are not read on a screen, but summed up.
constexpr std::size_t printed_rows = 200;

std::string said(const FirstRows& first, const StatisticsSink& statistics, const SweepOutcome& outcome, bool drawn) {
  std::string text;
  const bool whole = outcome.members <= printed_rows;
  if (whole) text = to_text(first.sweep);
  else
    text = (first.sweep.model.empty() ? "Model without a name" : first.sweep.model) +
           fmt::format(": {} members\n", outcome.members);
  if (!whole || drawn) text += to_text(statistics.statistics());
  if (!whole) text += first.notes();
  if (!whole && outcome.failed > 0) text += fmt::format("  {} of {} members failed\n", outcome.failed, outcome.members);
  if (!whole && outcome.warned > 0) text += fmt::format("  {} members have warnings\n", outcome.warned);
  if (!outcome.why_alone.empty()) text += "  members ran one at a time: " + outcome.why_alone + "\n";
  if (outcome.judged < outcome.members)
    text += fmt::format(
        "  the accuracy was estimated for a sample of {} of the {} members, and for those that had to run alone; the "
        "others have no warning about it\n",
        outcome.judged, outcome.members);
  if (outcome.resumed > 0) text += fmt::format("  {} members were there already\n", outcome.resumed);
  return text;
}

/// What a study writes, but for the trajectories of single members.
std::vector<NamedFile> files_of(const SweepArguments& arguments) {
  std::vector<NamedFile> files;
  if (!arguments.out.empty()) files = {{"--out", arguments.out}, {"--out", arguments.out + ".journal"}};
  if (arguments.out.ends_with(".csv"))
    files.push_back({"--out " + arguments.out, arguments.out.substr(0, arguments.out.size() - 4) + ".run.json"});
  for (const std::string& path : arguments.plot) files.push_back({"--plot", path});
  if (!arguments.statistics.empty()) files.push_back({"--statistics", arguments.statistics});
  return files;
}

/// The process that has the files, or the only one.
int lead_study(const SweepArguments& arguments, SweepOptions& options, const MapRequest& request, Complaints& wrong) {
  std::unique_ptr<SweepSink> table, json;
  std::unique_ptr<MapSink> map;
  std::vector<std::unique_ptr<Observer>> trajectories;
  if (!arguments.map.empty() && !request.column.empty())
    wrong.attempt([&] { map = std::make_unique<MapSink>(request, options.axes); });
  for (const std::string& path : arguments.plot) wrong.attempt([&] { require_map_file(path); });
  if (!arguments.statistics.empty()) wrong.attempt([&] { require_regular("--statistics", arguments.statistics); });
  wrong.attempt([&] { require_distinct(arguments.model, files_of(arguments)); });
  if (!arguments.out.empty()) wrong.attempt([&] { table = make_table_sink(arguments.out); });
  wrong.attempt([&] { trajectories = make_trajectories(arguments, options); });
  if (!arguments.every.empty() && arguments.keep.empty())
    wrong.add("--every goes with --keep", "it chooses the rows of trajectories");
  if (arguments.resume && arguments.out.empty())
    wrong.add("--resume goes with --out", "the finished members are beside that file");
  wrong.raise();

  FirstRows first(printed_rows);
  StatisticsSink statistics(arguments.statistics);
  options.sinks = {&first, &statistics};
  if (table) options.sinks.push_back(table.get());
  if (map) options.sinks.push_back(map.get());
  if (arguments.json)
    json = make_json_sink([](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  if (json) options.sinks.push_back(json.get());
  options.journal = arguments.out.empty() ? "" : arguments.out + ".journal";
  options.table = arguments.out;
  options.resume = arguments.resume;

  ProgressBar bar(!arguments.json && !arguments.quiet);
  if (bar.active()) options.progress = [&](double done) { bar.show(done); };
  const SweepOutcome outcome = run_sweep(options);
  for (const auto& writer : trajectories) writer->end();
  bar.clear();
  const std::string words = said(first, statistics, outcome, !options.draws.empty());
  for (const std::string& path : arguments.plot) write_file("--plot", path, map_file(path, map->map(), words));
  if (!arguments.json && !arguments.quiet) fmt::print("{}", words);
  if (outcome.done < outcome.members) {
    std::fflush(stdout);
    say(fmt::format("interrupted: {} of {} members are done{}", outcome.done, outcome.members,
                    arguments.out.empty() ? "" : "; --resume makes the others"));
  }
  return outcome.failed > 0 || outcome.done < outcome.members ? failed : done;
}

int perform_sweep(const SweepArguments& arguments) {
  const std::unique_ptr<Nodes> nodes = find_nodes();
  const bool leads = !nodes || nodes->rank() == 0;
  Complaints wrong;
  MapRequest request;
  SweepOptions options = read_options(arguments, request, wrong);
  options.nodes = nodes.get();
  if (!arguments.every.empty())
    wrong.attempt([&] {
      const long every = read_whole("--every", arguments.every, 1);
      options.simulation = [inner = options.simulation, every](const Model& model) {
        SimulateOptions simulation = inner(model);
        simulation.every = every;
        return simulation;
      };
    });
  const InterruptGuard guard;
  options.interrupt = &guard.interrupted();
  int code = done;
  try {
    if (leads) code = lead_study(arguments, options, request, wrong);
    else {
      wrong.raise();
      run_sweep(options);
    }
  } catch (const InputError&) {
    if (leads) throw;
    return wrong_input;  // the first process says what is wrong
  }
  if (nodes) nodes->finish();
  return code;
}

}  // namespace

Command add_sweep(CommandLine& program) {
  Options options = program.command("sweep", "Run a model with many values of its parameters, on all cores and nodes");
  auto arguments = std::make_shared<SweepArguments>();
  options.model(arguments->model);
  options.repeated("--vary", arguments->vary, "NAME=VALUES",
                   "Values of a parameter or an initial value: m2=1,0.1 or l=0.5:2:100 (100 values from 0.5 to 2); "
                   "may be repeated: all combinations are run");
  options.repeated("--draw", arguments->draw, "NAME=DIST",
                   "Draws them instead: \"x'=normal(0, 0.1)\" (mean, deviation), a=uniform(-pi, pi); may be repeated");
  options.option("--members", arguments->members, "N", "How often is drawn, for each combination of --vary");
  options.option("--seed", arguments->seed, "N", "Another seed, other draws; 0 where not given");
  options.option("--sampling", arguments->sampling, "KIND",
                 "How draws are spread: random (the default), latin (hypercube) or sobol");
  options.option("--report", arguments->report, "PATH,...",
                 "Columns of the table, as paths into what run --json prints: energy.max_error,q.x1; and of events: "
                 "events.flip.t (first time), events.flip.last, events.flip.count");
  arguments->choices.declare(options);
  declare_inputs(options, arguments->input);
  options.option("-o,--out", arguments->out, "FILE",
                 "Writes the table while it grows, by ending .csv, .h5 or .json; finished members are safe beside it");
  options.flag("--resume", arguments->resume,
               "Goes on with a study that was ended: makes the members that are missing");
  options.option("--statistics", arguments->statistics, "FILE",
                 "Mean, deviation, quantiles and histogram of all columns as JSON, while it runs");
  options.option("--map", arguments->map, "X, Y -> PATH",
                 "A column over two axes as a picture: \"l1, l2 -> events.flip.t\"");
  options.repeated("--plot", arguments->plot, "FILE", "The picture of --map, by ending .svg, .png or .html");
  options.option("--keep", arguments->keep, "N,...",
                 "Writes the trajectories of these members (from 1) beside the table: study.17.csv");
  options.option("--every", arguments->every, "N", "Every Nth step of these");
  options.option("--device", arguments->device, "NAME",
                 "Who makes the steps: cpu (one motion at a time), lanes (several side by side in a core), gpu");
  options.option("--threads", arguments->threads, "N",
                 "Cores to use; all where not given. The table does not depend on it");
  options.flag("--json", arguments->json, "Print one JSON object instead of the table");
  options.flag("--strict", arguments->strict, "A run with a warning has failed");
  options.flag("-q,--quiet", arguments->quiet, "Print no table and no progress");
  options.footer(
      "A path that names a group (energy, q) stands for all in it. Runs that fail are rows with their reason;\n"
      "the exit code is 1 then, as where Ctrl-C ends it. mpirun -n 4 alembert sweep ... shares the work.");
  return {options, [arguments] { return perform_sweep(*arguments); }};
}

}  // namespace alembert::internal::app
