// alembert bench: ours, code by hand and the programs of others, in turn.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>

#include "contests.h"
#include "rivals.h"

namespace alembert::bench {

std::vector<std::string> absent_rivals() {
  std::vector<std::string> absent;
  if (sundials_rivals().empty()) absent.emplace_back("SUNDIALS (libsundials-dev)");
  if (links_rivals().empty()) absent.emplace_back("MuJoCo (libmujoco-dev)");
  return absent;
}

namespace {

constexpr char help[] =
    "alembert bench [CONTEST...] [--quick] [--rounds N] [--json FILE] [--page FILE]\n"
    "  CONTEST      steps, precision, mechanisms, rods, links, process; all where none is named\n"
    "  --quick      small sizes and one round: whether it works, not how fast\n"
    "  --rounds N   rounds in which all take their turn; 7 where not given\n"
    "  --json FILE  everything as one JSON object\n"
    "  --page FILE  a page with work-precision diagrams and tables\n";

int refuse(const std::string& message) {
  fmt::print(stderr, "alembert bench: {}\n{}", message, help);
  return 2;
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) fmt::print(stderr, "alembert bench: cannot write '{}'\n", path);
  return static_cast<bool>(out);
}

struct Contest {
  const char* name;
  void (*run)(const BenchOptions&, Results&);
};
constexpr Contest contests[] = {{"steps", compare_steps},           {"precision", compare_precision},
                                {"mechanisms", compare_mechanisms}, {"rods", compare_rods},
                                {"links", compare_links},           {"process", compare_processes}};

}  // namespace

int main(const std::vector<std::string>& words) {
  BenchOptions options;
  std::string json, page;
  std::vector<const Contest*> chosen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      fmt::print("{}", help);
      return 0;
    }
    if (word == "--quick") {
      options.quick = true;
      options.rounds = 1;
      continue;
    }
    std::string* value = word == "--json"      ? &json
                         : word == "--page"    ? &page
                         : word == "--program" ? &options.program
                                               : nullptr;
    if (value || word == "--rounds") {
      if (++i == words.size() || words[i].empty()) return refuse(word + " is given without a value");
      if (value) *value = words[i];
      else options.rounds = std::atoi(words[i].c_str());
      if (options.rounds < 1) return refuse("--rounds wants a whole number above 0, not " + words[i]);
      continue;
    }
    const auto* contest =
        std::find_if(std::begin(contests), std::end(contests), [&](const Contest& c) { return word == c.name; });
    if (contest == std::end(contests)) return refuse("'" + word + "' is not known");
    chosen.push_back(contest);
  }
  if (chosen.empty())
    for (const Contest& contest : contests) chosen.push_back(&contest);
  Results results;
  results.absent = absent_rivals();
  for (const Contest* contest : chosen) contest->run(options, results);
  fmt::print("{}", to_text(results));
  bool written = true;
  if (!json.empty()) written = write(json, to_json(results)) && written;
  if (!page.empty()) written = write(page, to_page(results)) && written;
  return written ? 0 : 1;
}

}  // namespace alembert::bench

int main(int argc, char** argv) {
  try {
    return alembert::bench::main({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "alembert bench: {}\n", error.what());
    return 1;
  }
}
