// Options that are taken and then ignored: none. Every option of every command refuses an empty value, and every option
// of a run changes something or is refused.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

struct ListedOption {
  std::string name;  // "--step"
  bool has_value = false;
};

/// The options that the help of a command lists.
std::vector<ListedOption> options_of(const std::string& command) {
  const Outcome help = program({command, "--help"});
  EXPECT_EQ(help.code, 0) << command;
  std::vector<ListedOption> list;
  std::istringstream lines(help.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  -", 0) != 0) continue;
    const std::string names = line.substr(2, line.find(' ', 2) - 2);
    const std::size_t end = 2 + names.size();
    const bool has_value = end + 1 < line.size() && line[end + 1] != ' ';
    list.push_back({names.substr(names.rfind(',') + 1), has_value});
  }
  EXPECT_FALSE(list.empty()) << help.out;
  return list;
}

const char* const commands[] = {"run",      "check",   "derive", "methods", "fmt",       "grammar",
                                "converge", "verify",  "sweep",  "view",    "reproduce", "benchmark",
                                "studio",   "gallery", "audit",  "bench",   "export"};

TEST(EveryOption, RefusesAnEmptyValue) {
  int tried = 0;
  for (const std::string command : commands) {
    for (const ListedOption& option : options_of(command)) {
      if (!option.has_value) continue;
      std::vector<std::string> arguments{command, option.name, ""};
      if (command == "sweep" && option.name != "--vary") arguments.insert(arguments.end(), {"--vary", "m=1,2"});
      if (command != "methods" && command != "reproduce" && command != "benchmark" && command != "audit")
        arguments.push_back("-");
      const Outcome outcome = program(arguments, pendulum);
      EXPECT_EQ(outcome.code, 2) << command << " " << option.name << "\n" << outcome.out;
      EXPECT_NE(outcome.err.find(option.name), std::string::npos) << command << " " << option.name << outcome.err;
      const Outcome without = program({command, "-", option.name}, pendulum);
      EXPECT_EQ(without.code, 2) << command << " " << option.name;
      EXPECT_NE(without.err.find(option.name + " is given without a value\n    as in " + option.name),
                std::string::npos)
          << command << "\n"
          << without.err;
      ++tried;
    }
  }
  EXPECT_GT(tried, 40);
}

/// What a run says and writes, without what differs from run to run.
std::string trace(const std::vector<std::string>& more, const std::string& model, int& code) {
  const Folder folder;
  std::vector<std::string> arguments{"run", folder.write("model.alm", model)};
  const bool json = std::find(more.begin(), more.end(), "--quiet") == more.end();
  if (json) arguments.push_back("--json");
  for (std::string word : more) {
    if (word.rfind("FOLDER/", 0) == 0) word = folder / word.substr(7);
    arguments.push_back(word);
  }
  const Outcome outcome = program(arguments);
  code = outcome.code;
  std::string said = outcome.out;
  if (json && code != 2) {
    Json object = Json::parse(outcome.out);
    object["statistics"].erase("compile_seconds");
    object["statistics"].erase("run_seconds");
    said = object.dump();
  }
  for (const char* file : {"a.csv", "b.csv", "a.svg"})
    if (std::filesystem::exists(folder / file)) said += file + file_text(folder / file);
  return said;
}

struct Setting {
  std::string name;
  std::string model;
  std::vector<std::string> arguments;
};

std::vector<Setting> settings() {
  const auto gallery = [](const char* name) { return file_text(source_folder() + "/models/" + name + ".alm"); };
  const std::string ph = gallery("ph_pendulum"), kepler = gallery("kepler"), knife = gallery("knife_edge");
  return {
      {"fixed", pendulum, {"--end", "0.5"}},
      {"with rows", pendulum, {"--end", "0.5", "--out", "FOLDER/a.csv"}},
      {"collocation", pendulum, {"--end", "0.5", "--method", "murua(2)"}},
      {"composition", pendulum, {"--end", "0.5", "--method", "symmetric(true_euler)"}},
      {"controlled", pendulum, {"--end", "0.5", "--step", "0.0005", "--control", "tolerance", "--out", "FOLDER/a.csv"}},
      {"reversible", kepler, {"--end", "1", "--control", "reversible", "--out", "FOLDER/a.csv"}},
      {"nonholonomic", knife, {"--end", "0.5", "--out", "FOLDER/a.csv"}},
      {"port-Hamiltonian", ph, {"--end", "0.5", "--out", "FOLDER/a.csv"}}};
}

/// Values that ask for something else than what happens anyway.
const std::map<std::string, std::vector<std::string>> values = {
    {"--method", {"gauss(2)"}},
    {"--stages", {"5"}},
    {"--step", {"0.005"}},
    {"--end", {"0.25"}},
    {"--set", {"gravity=9"}},
    {"--control", {"tolerance", "reversible"}},
    {"--tolerance", {"1e-5"}},
    {"--absolute-tolerance", {"1e-3"}},
    {"--min-step", {"0.2"}},
    {"--max-step", {"0.001"}},
    {"--growth", {"1.2"}},
    {"--shrink", {"0.9"}},
    {"--good-steps", {"6"}},
    {"--max-steps", {"3"}},
    {"--newton", {"two-matrix"}},
    {"--newton-tolerance", {"1e-2"}},
    {"--guess", {"naive", "educated"}},
    {"--out", {"FOLDER/b.csv"}},
    {"--plot", {"FOLDER/a.svg"}},
    {"--every", {"7"}},
    {"--at", {"0.123"}},
    {"--sample", {"0.03"}},
    {"--columns", {"energy"}},
    {"--input", {"F=nowhere.csv"}},
    {"--start", {"0.1"}},
    {"--resume", {"nowhere"}},
    {"--checkpoint-every", {"5"}},
    {"--dirac", {""}},
    {"--quiet", {""}},
};
// --help, --json and --profile speak for themselves; --strict acts where there are warnings, limits where they are
// reached, and checkpoints in runs that are taken up again.
const std::set<std::string> elsewhere = {"--help",       "--json",         "--profile",   "--strict",
                                         "--time-limit", "--memory-limit", "--checkpoint"};
// Where no step is rejected, none is shrunk.
const std::set<std::string> limits = {"--shrink"};

TEST(EveryOption, OfARunChangesSomethingOrIsRefused) {
  for (const ListedOption& option : options_of("run"))
    EXPECT_TRUE(values.contains(option.name) || elsewhere.contains(option.name)) << option.name << " is not tried";
  for (const Setting& setting : settings()) {
    int code = 0;
    const std::string before = trace(setting.arguments, setting.model, code);
    ASSERT_EQ(code, 0) << setting.name;
    for (const auto& [option, tried] : values) {
      for (const std::string& value : tried) {
        std::vector<std::string> arguments = setting.arguments;
        const auto already = std::find(arguments.begin(), arguments.end(), option);
        if (already != arguments.end() && *(already + 1) == value) continue;
        if (option != "--out" && already != arguments.end()) arguments.erase(already, already + 2);
        arguments.push_back(option);
        if (!value.empty()) arguments.push_back(value);
        const std::string after = trace(arguments, setting.model, code);
        if (code == 2) continue;
        if (limits.contains(option)) continue;
        EXPECT_FALSE(before == after) << setting.name << ": " << option << " " << value << " changes nothing";
      }
    }
  }
}

TEST(EveryOption, ThatSaysTheSameTwiceIsRefused) {
  EXPECT_EQ(program({"run", "-", "--set", "m=1", "--set", "m = 2"}, pendulum).code, 2);
  EXPECT_EQ(program({"sweep", "-", "--set", "m=1", "--vary", "m=2,3"}, pendulum).code, 2);
  EXPECT_EQ(program({"reproduce", "--list", "--json"}).code, 2);
  EXPECT_EQ(program({"reproduce", "--list", "003"}).code, 2);
  EXPECT_EQ(program({"derive", "-", "--port-hamiltonian", "--all"}, pendulum).code, 2);
}

TEST(EveryOption, OfAFormIsRefusedWhereThereIsNoChoice) {
  const std::string ph = source_folder() + "/models/ph_pendulum.alm";
  for (const char* form : {"index1", "index2", "ggl"}) {
    EXPECT_EQ(program({"derive", ph, "--form", form}).code, 2) << form;
    EXPECT_EQ(program({"derive", ph, "--port-hamiltonian", "--form", form}).code, 2) << form;
  }
  const Outcome refused = program({"run", ph, "--method", "lobatto_c(3, ggl)"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--form ggl"), std::string::npos) << refused.err;
  const Json report = Json::parse(program({"run", ph, "--end", "0.1", "--json"}).out);
  EXPECT_TRUE(report["residual"]["position"].is_null()) << report["residual"];
  EXPECT_TRUE(report["residual"]["nonholonomic"].is_number()) << report["residual"];
}

TEST(UnknownOptions, AreSaidAllAtOnceWithWhatElseIsWrong) {
  const Outcome outcome = program({"run", "--end", "ten", "--methd", "x", "-", "--stpe=2", "--json"},
                                  std::string(pendulum) + "observe q: unknwn\n");
  EXPECT_EQ(outcome.code, 2);
  for (const char* part : {"unknown option '--methd'", "did you mean '--method'?", "unknown option '--stpe'",
                           "--end wants a finite number, not 'ten'", "unknown name 'unknwn'"})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\n" << outcome.err;
  EXPECT_EQ(outcome.err.find("cannot read"), std::string::npos) << "x is the value of --methd\n" << outcome.err;
  const Outcome words = program({"run", "-", "more", "words"}, pendulum);
  EXPECT_EQ(words.code, 2);
  EXPECT_NE(words.err.find("'more'"), std::string::npos) << words.err;
  EXPECT_NE(words.err.find("'words'"), std::string::npos) << words.err;
  EXPECT_EQ(program({"run", "-", "--step", "-0.01", "--end", "-0.1", "-q"}, pendulum).code, 0) << "a negative number";
}

TEST(AnglesOfJoints, AreSetFromOutside) {
  const std::string model =
      "body rod mass 1 inertia (1, 1, 0.1) at (0, 0, -1/2)\n"
      "joint revolute hinge from ground axis (1, 0, 0) to rod point (0, 0, 1/2)\n"
      "observe a: hinge.angle\nsolve gauss(2) step 0.01 end 0.1\n";
  const Outcome other = program({"run", "-", "--set", "hinge.angle=0.5"}, model);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.out.find("rod.r[2] from 0 to 0.2397"), std::string::npos) << "sin(0.5)/2\n" << other.out;
  const Outcome turn = program({"run", "-", "--set", "hinge.angle=2*pi", "--json"}, model);
  ASSERT_EQ(turn.code, 0) << turn.err;
  EXPECT_NEAR(Json::parse(turn.out)["observed"]["a"]["final"].get<double>(), 6.283185307179586, 1e-12);
}

}  // namespace
}  // namespace alembert::internal::apps_test
