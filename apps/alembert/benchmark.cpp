// alembert benchmark: the benchmarks of others, our runs beside the published ones.

#include "alembert/lab/benchmark.h"

#include <fmt/format.h>

#include "alembert/error.h"
#include "commands.h"
#include "progress.h"

namespace alembert::internal::app {
namespace {

struct BenchmarkArguments {
  std::vector<std::string> names;
  bool quick = false, json = false, markdown = false;
};

int perform(const BenchmarkArguments& arguments) {
  if (arguments.json && arguments.markdown) throw InputError("--json and --markdown are two forms: choose one");
  benchmark::Options options;
  options.names = arguments.names;
  options.quick = arguments.quick;
  ProgressBar bar(!arguments.json);
  if (bar.active()) options.progress = [&](double done, const std::string& running) { bar.show(done, running); };
  const benchmark::Benchmarks made = benchmark::run_benchmarks(options);
  bar.clear();
  fmt::print("{}", arguments.json ? to_json(made) : arguments.markdown ? to_markdown(made) : to_text(made));
  if (made.passed()) return done;
  std::fflush(stdout);
  for (const benchmark::Result& result : made.results)
    if (!result.missed().empty()) say(result.problem.name + " missed: " + result.missed());
  return failed;
}

}  // namespace

Command add_benchmark(CommandLine& program) {
  Options options = program.command("benchmark", "Run the benchmarks of others beside their published tables");
  auto arguments = std::make_shared<BenchmarkArguments>();
  options.optional_arguments("NAME", arguments->names, "Such as car_axis; all where none is given");
  options.flag("--quick", arguments->quick, "Leave the longest runs out");
  options.flag("--json", arguments->json, "Print one JSON object");
  options.flag("--markdown", arguments->markdown, "Print the page of the documentation");
  options.footer(
      "Digits reached, steps, evaluations, Newton iterations and CPU time of several methods at several accuracies.\n"
      "Exit code 1: a run failed, a reference was not met to 1e-10, or a published solver needs fewer steps.");
  return {options, [arguments] { return perform(*arguments); }};
}

}  // namespace alembert::internal::app
