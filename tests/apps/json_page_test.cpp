// docs/json.md against the program: every key that is printed is on the page, and every key of the page is printed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;
using Paths = std::set<std::string>;

const std::string source_root = source_folder();

/// The names in the first column of the tables under a heading.
Paths documented(const std::string& heading) {
  const std::string page = file_text(source_root + "/docs/json.md");
  const std::size_t begin = page.find("\n## " + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  Paths found;
  const std::regex row("\\n\\|([^|]*)\\|"), name("`([^`]+)`");
  for (std::sregex_iterator i(section.begin(), section.end(), row), end; i != end; ++i) {
    const std::string cell = (*i)[1];
    for (std::sregex_iterator k(cell.begin(), cell.end(), name); k != end; ++k) found.insert((*k)[1]);
  }
  return found;
}

bool begins(const Paths& paths, const std::string& start) {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& p) { return p.starts_with(start); });
}

/// Puts the paths of a value into `found`, with NAME where the page says so.
void walk(const Json& at, const std::string& path, const Paths& page, Paths& found) {
  if (at.is_array() && !at.empty() && at[0].is_object()) {
    for (const Json& one : at) walk(one, path, page, found);
    return;
  }
  if (!at.is_object()) {
    found.insert(path);
    return;
  }
  const std::string start = path.empty() ? "" : path + ".";
  const bool names = page.contains(start + "NAME") || begins(page, start + "NAME.");
  for (const auto& [key, value] : at.items()) walk(value, start + (names ? "NAME" : key), page, found);
}

/// A value whose keys are names of the model, or an empty list, may be empty; then only its own path is there.
bool group(const Paths& page, const std::string& path) { return begins(page, path + "."); }

void expect_page(const std::string& heading, const std::vector<std::vector<std::string>>& commands) {
  const Paths page = documented(heading);
  Paths printed;
  for (const std::vector<std::string>& command : commands) {
    const Outcome outcome = program(command);
    ASSERT_FALSE(outcome.out.empty()) << command[1] << outcome.err;
    walk(Json::parse(outcome.out), "", page, printed);
  }
  for (const std::string& path : printed)
    EXPECT_TRUE(page.contains(path) || group(page, path)) << heading << " prints " << path << ", the page has it not";
  for (const std::string& path : page)
    EXPECT_TRUE(printed.contains(path) || group(printed, path))
        << "the page has " << path << ", " << heading << " prints it not";
}

std::string gallery(const std::string& name) { return source_root + "/models/" + name + ".alm"; }

TEST(JsonPage, HasTheKeysOfRun) {
  const Folder folder;
  const std::string redundant = folder.write(
      "redundant.alm",
      "coordinate x = 1.1, y\nkinetic (x'^2 + y'^2)/2\nforce x = -x'\nconstraint a: x^2 + y^2 = 1\n"
      "constraint b: 2*x^2 + 2*y^2 = 2\nconserve x*y' - y*x'\nobserve s: x + y\nsolve gauss(2) step 0.01 end 0.1\n");
  const std::string flat =
      folder.write("flat.alm",
                   "body a planar mass 1 inertia 1 at (1/2, 0)\njoint revolute top from a point (-1/2, 0) to ground\n"
                   "gravity (0, -9.81)\nevent low: a.r[1] = 0\nsolve gauss(2) step 0.01 end 1\n");
  const std::string rod = folder.write(
      "rod.alm",
      "parameter a = 0.79\ncoordinate x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/24\n"
      "contact tip: y - sin(th)/2 >= 0 restitution 0.9 friction 0.588 along x' + sin(th)/2*th'\n"
      "initial th = a, y = sin(a)/2 + 0.001, y' = -1, x' = -0.16, th' = 4.95\nsolve gauss(3) step 0.001 end 0.05\n");
  const std::string flow = folder.write("flow.alm", "variable x = 1\nrate x' = -x\nsolve gauss(2) step 3 end 30\n");
  expect_page("run", {{"run", redundant, "--json"},
                      {"run", flat, "--json"},
                      {"run", flow, "--json"},
                      {"run", rod, "--json"},
                      {"run", gallery("pendulum"), "--json", "--end", "1", "--tolerance", "1e-5"},
                      {"run", gallery("pendulum"), "--json", "--end", "1", "-m", "gauss_collocation(2)"},
                      {"run", gallery("pendulum"), "--json", "--end", "1", "-m", "energy_momentum"},
                      {"run", gallery("rolling_disk"), "--json", "--end", "0.1", "-m", "energy_momentum"},
                      {"run", gallery("n_four_bar"), "--json", "--profile"},
                      {"run", gallery("ph_motor_pendulum"), "--json"}});
}

TEST(JsonPage, HasTheKeysOfTheOtherCommands) {
  const Folder folder;
  const std::string moved = folder.write("moved.alm",
                                         "coordinate x = 1.1, y\nkinetic (x'^2 + y'^2)/2\n"
                                         "constraint a: x^2 + y^2 = 1\nsolve energy_momentum step 0.01 end 0.1\n");
  expect_page("check", {{"check", moved, "--json"},
                        {"check", gallery("bouncing_ball"), "--json"},
                        {"check", gallery("ph_motor_pendulum"), "--json"}});
  expect_page("verify", {{"verify", gallery("pendulum"), "--json", "--step", "0.1", "--end", "1"}});
  const std::string fast = folder.write("fast.alm",
                                        "parameter k = 100\ncoordinate x = 1\nkinetic x'^2/2\npotential k*x^2/2\n"
                                        "solve gauss(2) step 0.3 end 5\n");
  expect_page("sweep", {{"sweep", moved, "--json", "--vary", "x=1,1.1", "--report", "t"},
                        {"sweep", fast, "--json", "--vary", "k=1,100", "--report", "t"}});
}

TEST(JsonPage, HasEveryCodeOfAWarning) {
  const std::regex code("(?:warn\\(|Warning\\{)\\s*\"([a-z_]+)\"");
  Paths used;
  for (const char* folder : {"run", "study"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_root + "/src/alembert/" + folder)) {
      const std::string text = file_text(entry.path().string());
      for (std::sregex_iterator i(text.begin(), text.end(), code), end; i != end; ++i) used.insert((*i)[1]);
    }
  EXPECT_GE(used.size(), 6u);
  EXPECT_EQ(used, documented("Warnings"));
}

}  // namespace
}  // namespace alembert::internal::apps_test
