// alembert bench: ours, steps by hand and the programs of others in one run. A program of its own beside this one,
// since it links theirs.

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "commands.h"

namespace alembert::internal::app {
namespace {

struct BenchArguments {
  std::vector<std::string> contests;
  bool quick = false;
  std::string rounds, json, page;
};

/// Does not come back where it works.
int perform_bench(const BenchArguments& arguments) {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string beside = (self.parent_path() / "alembert_bench").string();
  if (unknown || ::access(beside.c_str(), X_OK) != 0)
    throw InputError("this program was built without its benchmarks",
                     "build the target alembert_bench (ALEMBERT_BENCH=ON): it lies beside the program then");
  std::vector<std::string> words{beside, "--program", self.string()};
  words.insert(words.end(), arguments.contests.begin(), arguments.contests.end());
  if (arguments.quick) words.emplace_back("--quick");
  for (const auto& [option, value] :
       {std::pair{"--rounds", &arguments.rounds}, {"--json", &arguments.json}, {"--page", &arguments.page}})
    if (!value->empty()) words.insert(words.end(), {option, *value});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(beside.c_str(), argv.data());
  say("cannot start " + beside + ": " + std::strerror(errno));
  return failed;
}

}  // namespace

Command add_bench(CommandLine& program) {
  Options options =
      program.command("bench", "Measure steps against steps by hand and the programs of others (developers' build)");
  auto arguments = std::make_shared<BenchArguments>();
  options.optional_arguments("CONTEST", arguments->contests,
                             "steps, precision, rods, links, process; all where none is given");
  options.flag("--quick", arguments->quick, "Small sizes and one round: whether it works, not how fast");
  options.option("--rounds", arguments->rounds, "N", "Rounds in which all take their turn; 7 where not given");
  options.option("--json", arguments->json, "FILE", "Everything as one JSON object");
  options.option("--page", arguments->page, "FILE", "A page with work-precision diagrams and tables");
  return {options, [arguments] { return perform_bench(*arguments); }};
}

}  // namespace alembert::internal::app
