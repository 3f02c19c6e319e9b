// alembert reproduce: remakes the figures and tables of the papers, and says where a number misses.

#include "alembert/lab/reproduce.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>

#include "alembert/error.h"
#include "alembert/version.h"
#include "commands.h"
#include "progress.h"

namespace alembert::internal::app {
namespace {

constexpr char default_folder[] = "reproduction";

struct ReproduceArguments {
  std::vector<std::string> ids, set;
  std::string out = default_folder;
  bool quick = false, list = false, json = false, anew = false;

  /// Whether anything is said about what is made and how.
  bool chooses() const { return !ids.empty() || !set.empty() || out != default_folder || quick || json || anew; }
};

/// The version and what this file of the program contains: every change of it makes all results anew.
std::string identity() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::uint64_t sum = 14695981039346656037ull;
  std::vector<char> block(std::size_t{1} << 20);
  while (self.read(block.data(), static_cast<std::streamsize>(block.size())) || self.gcount() > 0) {
    const auto length = static_cast<std::size_t>(self.gcount());
    for (std::size_t i = 0; i + 8 <= length; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, block.data() + i, 8);
      sum = (sum ^ word) * 1099511628211ull;
    }
  }
  return fmt::format("{} {:016x}", version, sum);
}

int list() {
  for (const reproduce::Paper& paper : reproduce::papers()) {
    fmt::print("{}  {}. {}\n", paper.id, paper.authors, paper.title);
    for (const reproduce::Entry& entry : paper.entries) fmt::print("  {:<16} {}\n", entry.id, entry.title);
  }
  return done;
}

int perform(const ReproduceArguments& arguments) {
  if (arguments.list) {
    if (arguments.chooses()) throw InputError("--list prints all figures and tables: nothing else goes with it");
    return list();
  }
  reproduce::Options options;
  options.ids = arguments.ids;
  options.quick = arguments.quick;
  options.overrides = arguments.set;
  if (!arguments.anew) options.cache = arguments.out + "/.cache";
  options.program = identity();
  ProgressBar bar(!arguments.json);
  if (bar.active()) {
    options.progress = [&](double share, const std::vector<std::string>& running) {
      bar.show(share, fmt::format("{}", fmt::join(running, ", ")));
    };
  }
  const reproduce::Reproduction made = reproduce::reproduce(options);
  bar.clear();
  reproduce::write_pages(made, arguments.out);
  if (arguments.json) {
    fmt::print("{}", to_json(made));
  } else {
    fmt::print("{}pages: {}/index.html\n", to_text(made), arguments.out);
  }
  if (made.passed()) return done;
  std::fflush(stdout);
  for (const auto& results : made.results) {
    for (const reproduce::Result& result : results) {
      if (!result.findings.passed()) say(result.entry.id + " missed: " + result.entry.title);
    }
  }
  return failed;
}

}  // namespace

Command add_reproduce(CommandLine& program) {
  Options options = program.command("reproduce", "Remake the figures and tables of the papers");
  auto arguments = std::make_shared<ReproduceArguments>();
  options.optional_arguments("ID", arguments->ids, "A paper (003) or a figure (003/8.1); all where none is given");
  options.flag("--quick", arguments->quick, "The same checks on shorter runs");
  options.option("-o,--out", arguments->out, "DIR", "Folder of the pages, figures and data");
  options.repeated("--set", arguments->set, "NAME=VALUE",
                   "Replaces a parameter or an initial value of the models; may be repeated");
  options.flag("--anew", arguments->anew, "Make everything anew, also what did not change");
  options.flag("--list", arguments->list, "Print all figures and tables and make none");
  options.flag("--json", arguments->json, "Print the verdict as one JSON object");
  options.footer(
      "Writes index.html, one page for each paper, figures/*.svg, data/*.csv, verdict.json and summary.md. Results "
      "are\n"
      "kept in DIR/.cache; a second run remakes what changed. Exit code 1: a number missed, its figure is named.");
  return {options, [arguments] { return perform(*arguments); }};
}

}  // namespace alembert::internal::app
