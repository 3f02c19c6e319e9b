// What must not break the program: full disks, closed outputs, signals, damaged files, models without measure.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "alembert/trajectory.h"
#include "program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

/// What a shell makes of a command in which PROGRAM stands for the program.
Outcome shell(std::string command, const Folder& folder) {
  for (std::size_t at = command.find("PROGRAM"); at != std::string::npos; at = command.find("PROGRAM"))
    command.replace(at, 7, program_path());
  const std::string out = folder / "shell.out", err = folder / "shell.err";
  const std::string script = folder.write("shell.sh", command + "\n");
  const int status = std::system(("sh " + script + " >" + out + " 2>" + err).c_str());
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = file_text(out);
  outcome.err = file_text(err);
  return outcome;
}

long rows_in(const std::string& path) { return static_cast<long>(read_trajectory(path).rows()); }

/// Every row is where the oscillator is: nothing was made up.
void expect_cosine(const Trajectory& trajectory) {
  ASSERT_GE(trajectory.values.size(), 2u);
  for (std::size_t i = 0; i < trajectory.rows(); ++i)
    ASSERT_NEAR(trajectory.values[1][i], std::cos(trajectory.t()[i]), 1e-6) << "row " << i;
}

class FullDisk : public testing::TestWithParam<std::string> {};

TEST_P(FullDisk, LeavesWholeRowsAndAReport) {
  const Folder folder;
  const std::string model = folder.write("m.alm", oscillator), out = folder / ("a" + GetParam());
  // The file may grow to 400 kB and no further; the run would fill 20 MB.
  const Outcome outcome = shell("ulimit -f 800\nPROGRAM run " + model + " --end 5000 --out " + out, folder);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("cannot write '" + out + "'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("Oscillator"), std::string::npos) << "the report is printed: " << outcome.out;
  EXPECT_LE(std::filesystem::file_size(out), 400u * 1024);
  const Trajectory kept = read_trajectory(out);
  EXPECT_GT(kept.rows(), 500u);
  EXPECT_EQ(kept.note, "") << "whole rows";
  expect_cosine(kept);
  const Outcome seen = program({"view", out, "--out", folder / "a.svg"});
  EXPECT_EQ(seen.code, 0) << seen.err;
}

INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, testing::Values(".csv", ".h5", ".json"),
                         [](const auto& info) { return info.param.substr(1); });

TEST(Faults, AStudyOnAFullDiskEndsWithAMessage) {
  const Folder folder;
  const std::string model = folder.write("m.alm", oscillator);
  for (const char* blocks : {"16", "40", "200", "600"})
    for (const char* ending : {".csv", ".h5", ".json"}) {
      const std::string out = folder / (std::string("a") + blocks + ending);
      const Outcome outcome = shell("ulimit -f " + std::string(blocks) + "\nPROGRAM sweep " + model +
                                        " --vary x=1:2:20000 --end 0.02 --out " + out,
                                    folder);
      EXPECT_EQ(outcome.code, 1) << blocks << ending << outcome.err;
      EXPECT_NE(outcome.err.find("cannot write '" + out), std::string::npos) << outcome.err;
      EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
      EXPECT_EQ(outcome.err.find("HDF5"), std::string::npos) << outcome.err;
    }
}

TEST(Faults, OutputsThatAreClosedOrFullAreTold) {
  const Folder folder;
  const std::string model = folder.write("m.alm", oscillator);
  EXPECT_EQ(shell("PROGRAM run nofile.alm 2>&-", folder).code, 2);
  EXPECT_EQ(shell("PROGRAM run nofile.alm 2>/dev/full", folder).code, 2);
  EXPECT_EQ(shell("PROGRAM run " + model + " 2>&-", folder).code, 0);
  for (const char* lost : {">&-", ">/dev/full"})
    for (const std::string& command :
         {"run " + model, "check " + model, std::string("methods"), std::string("run --help")}) {
      const Outcome outcome = shell("PROGRAM " + command + " " + lost, folder);
      EXPECT_EQ(outcome.code, 1) << command << lost;
      EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << command << lost << outcome.err;
    }
  EXPECT_EQ(shell("PROGRAM run " + model + " >&- 2>&-", folder).code, 1);
  EXPECT_EQ(
      shell("(PROGRAM run " + model + "; echo $? >code) | true; sleep 0.3; exit $(cat code; rm code)", folder).code, 1)
      << "a closed pipe";
  // A file must not get the number of a closed stream, and with it what is printed.
  EXPECT_EQ(shell("PROGRAM run " + model + " --out " + (folder / "a.csv") + " >&-", folder).code, 1);
  expect_cosine(read_trajectory(folder / "a.csv"));
}

TEST(Faults, UnwritablePathsAreNoWrongInput) {
  const Folder folder;
  for (const char* path : {"/nowhere/at/all/a.csv", "/nowhere/a.h5", "/proc/a.json"}) {
    const Outcome outcome = program({"run", "-", "--out", path}, oscillator);
    EXPECT_EQ(outcome.code, 1) << path;
    EXPECT_NE(outcome.err.find(path), std::string::npos) << outcome.err;
  }
}

TEST(Faults, AHangUpEndsARunLikeCtrlC) {
  const Folder folder;
  const std::string out = folder / "a.csv";
  Process process({"run", "-", "--end", "1e7", "--out", out}, oscillator);
  while (!std::filesystem::exists(out) || std::filesystem::file_size(out) < 1000)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.signal(SIGHUP);
  const Outcome outcome = process.wait(60);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("interrupted at t = "), std::string::npos) << outcome.err;
  expect_cosine(read_trajectory(out));
}

TEST(Faults, TheSecondRunThatWritesAFileIsRefused) {
  const Folder folder;
  for (const char* name : {"a.csv", "a.json", "a.h5"}) {
    const std::string out = folder / name;
    Process first({"run", "-", "--end", "1e7", "--out", out}, oscillator);
    while (!std::filesystem::exists(out) || std::filesystem::file_size(out) < 100)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Outcome second = program({"run", "-", "--out", out}, oscillator);
    EXPECT_EQ(second.code, 1) << name;
    EXPECT_NE(second.err.find("another run is writing it"), std::string::npos) << second.err;
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(60).code, 1);
    EXPECT_GT(rows_in(out), 0) << name;
    EXPECT_EQ(program({"run", "-", "--out", out}, oscillator).code, 0) << "it may be written again";
    EXPECT_EQ(rows_in(out), 41) << name;
  }
}

TEST(Faults, EventsHaveTheirOwnFile) {
  const Folder folder;
  const Outcome outcome =
      program({"run", "-", "--out", folder / "a.csv", "--out", folder / "a.events.csv"}, oscillator);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("a.events.csv"), std::string::npos) << outcome.err;
}

TEST(Faults, AStateCalledEnergyHasAColumnOfItsOwn) {
  const Folder folder;
  const std::string out = folder / "a.csv";
  const char model[] =
      "coordinate energy\nkinetic energy'^2/2\npotential energy^2/2\ninitial energy = 2\nconserve energy: "
      "energy'^2/2 + energy^2/2\nsolve gauss(2) step 0.1 end 1\n";
  const Outcome outcome = program({"run", "-", "--out", out}, model);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Trajectory read = read_trajectory(out);
  std::vector<std::string> names = read.columns.names;
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << file_text(out).substr(0, 200);
  EXPECT_EQ(read.columns.names[1], "state.energy");
  EXPECT_NEAR(read.values[1].back(), 2 * std::cos(1.0), 1e-4);
  EXPECT_NEAR(read.values[static_cast<std::size_t>(read.columns.energy.begin)].back(), 2, 1e-6);
}

// Damaged files -------------------------------------------------------------------------------------------------------

TEST(Faults, TornFilesAreReadUpToTheirLastWholeRow) {
  const Folder folder;
  for (const char* name : {"a.csv", "a.json"}) {
    const std::string out = folder / name;
    ASSERT_EQ(program({"run", "-", "--out", out}, oscillator).code, 0);
    const std::string whole = file_text(out);
    int noted = 0;
    for (std::size_t size = whole.find("\n", whole.find("rows") + 1) + 200; size < whole.size() - 5; size += 97) {
      const std::string torn = folder.write(std::string("torn") + name, whole.substr(0, size));
      const Trajectory read = read_trajectory(torn);
      expect_cosine(read);
      EXPECT_LE(read.rows(), 41u);
      noted += read.note.empty() ? 0 : 1;
    }
    EXPECT_GT(noted, 20) << name;
    const Outcome seen = program({"view", folder.write(std::string("torn") + name, whole.substr(0, whole.size() / 2)),
                                  "--out", folder / "torn.svg"});
    EXPECT_EQ(seen.code, 0) << seen.err;
    EXPECT_NE(seen.err.find("cut short"), std::string::npos) << seen.err;
  }
}

TEST(Faults, DamagedFilesAreReadOrRefused) {
  const Folder folder;
  const std::string out = folder / "a.h5";
  ASSERT_EQ(program({"run", "-", "--out", out}, oscillator).code, 0);
  const std::string whole = file_text(out);
  std::mt19937 random(22);
  int refused = 0;
  for (int i = 0; i < 30; ++i) {
    std::string bytes = whole;
    // The heads of HDF5 stand at the beginning.
    for (int k = 0; k < 8; ++k) bytes[random() % 6000] = static_cast<char>(random());
    if (i % 5 == 0) bytes.resize(random() % bytes.size());
    const Outcome seen = program({"view", folder.write("b.h5", bytes), "--out", folder / "b.svg"});
    EXPECT_TRUE(seen.code == 0 || seen.code == 2) << i << ": " << seen.code << seen.err;
    refused += seen.code == 2 ? 1 : 0;
  }
  EXPECT_GT(refused, 3);
}

TEST(Faults, AxesOfAnySizeAreDrawn) {
  const Folder folder;
  const std::string head = "t,x,x',p.x,energy,residual.position,residual.velocity,residual.nonholonomic\n";
  // The last two in one column: their quotient is no number.
  for (const char* first : {"1e-16", "1e-320"})
    for (const std::string value : {"1e300", "1e-320", "1.7e308", "inf", "nan"}) {
      const std::string table =
          folder.write("a.csv", head + "0,1,0,0,0.5," + first + ",0,0\n0.1,1,0,0,0.5," + value + ",0,0\n0.2," + value +
                                    ",0,0,0.5," + value + "," + value + ",0\n");
      Process process({"view", table, "--out", folder / "a.svg"}, "");
      process.limit_cpu(10);
      const Outcome seen = process.wait(60);
      EXPECT_EQ(seen.code, 0) << first << " " << value << seen.err;
    }
}

// Models without measure ----------------------------------------------------------------------------------------------

struct Huge {
  std::string name, text, said;
};
void PrintTo(const Huge& huge, std::ostream* out) { *out << huge.name; }

std::string doubled(int times) {
  std::string text = "coordinate x\nkinetic x'^2/2\nlet v0 = (x, x)\n";
  for (int i = 0; i < times; ++i)
    text += "let v" + std::to_string(i + 1) + " = (v" + std::to_string(i) + ", v" + std::to_string(i) + ")\n";
  return text + "potential v" + std::to_string(times) + "[1][1]\nsolve gauss(2) step 0.1 end 1\n";
}

class HugeModel : public testing::TestWithParam<Huge> {};

TEST_P(HugeModel, IsRefusedWithItsStatement) {
  const Folder folder;
  const std::string path = folder.write("m.alm", GetParam().text);
  // The program's own limit must come before that of the machine.
  const Outcome outcome = shell("ulimit -t 60\nulimit -v 4000000\nPROGRAM check " + path, folder);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().said), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(path + ":"), std::string::npos) << "the statement is named: " << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Models, HugeModel,
    testing::Values(Huge{"family_of_components",
                         "component m = \"components/mass.alm\" for i = 1..100000000\nsolve gauss(2) step 0.1 end 1\n",
                         "too large"},
                    Huge{"doubled_vectors", doubled(39), "entries"},
                    Huge{"bodies", "body b[i] mass 1 for i = 1..900000\nsolve gauss(2) step 0.1 end 1\n", "too large"},
                    Huge{"wide_family", "family i = 1..2000000\ncoordinate x[i]\nkinetic sum(i, x[i]'^2)\n",
                         "1,000,000"}),
    [](const auto& info) { return info.param.name; });

TEST(Faults, FamiliesInFamiliesHaveALimit) {
  const Folder folder;
  // Seven levels of ten: ten million masses.
  std::string inner = "components/mass.alm";
  for (int level = 0; level < 7; ++level) {
    const std::string name = "c" + std::to_string(level) + ".alm";
    folder.write(name, "component m = \"" + inner + "\" for i = 1..10\n" +
                           (level == 6 ? "input m[i].F = 0 for i = 1..10\nsolve gauss(2) step 0.1 end 1\n" : ""));
    inner = name;
  }
  const Outcome outcome = shell("ulimit -t 100\nulimit -v 6000000\nPROGRAM check " + (folder / inner), folder);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("too large"), std::string::npos) << outcome.err.substr(0, 2000);
  EXPECT_NE(outcome.err.find("component m = "), std::string::npos) << outcome.err.substr(0, 2000);
}

TEST(Faults, OtherFilesAreNotShown) {
  const Folder folder;
  folder.write("secret", "root:x:0:0:precious\nline of words\n");
  for (const char* text : {"component m = \"secret\"\n", "component m = \"secret\" for i = 1..2\n",
                           "coordinate x\ntable f(u) = \"secret\" column 2\nkinetic x'^2/2\npotential f(x)\n"}) {
    const Outcome outcome = program({"check", folder.write("m.alm", text)});
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_EQ(outcome.err.find("precious"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("words"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(program({"check", "/dev/zero"}).code, 2);
}

TEST(Faults, NothingSteersTheTerminal) {
  const Folder folder;
  for (const char* evil : {"\x1b[2J", "\x1b]0;x\x07", "\u202E", "\u2066",
                           "\u009B"
                           "2J",
                           "\x7F", "\u200F"}) {
    const std::string title = std::string("model \"a") + evil + "b\"\n";
    const Outcome outcome =
        program({"run", "-"}, title + "coordinate x\nkinetic x'^2/2\nsolve gauss(2) step 0.1 end 1\n");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ((outcome.out + outcome.err).find(evil), std::string::npos) << outcome.err;
    nlohmann::json file = {{"attributes", {{"model", std::string("a") + evil}}}, {"columns", {"t", "x"}}};
    file["rows"] = {{0, 1}, {1, 2}};
    const Outcome seen = program({"view", folder.write("a.json", file.dump()), "--out", folder / "a.html"});
    EXPECT_EQ(seen.code, 0) << seen.err;
    EXPECT_EQ((seen.out + seen.err).find(evil), std::string::npos) << seen.out;
    const Outcome wrote = program({"run", "-", "--out", folder / (std::string("b") + evil + ".csv")}, oscillator);
    EXPECT_EQ(wrote.code, 0) << wrote.err;
    EXPECT_EQ(wrote.out.find(evil), std::string::npos) << wrote.out;
    const Outcome named = program({"run", std::string("no") + evil + ".alm"});
    EXPECT_EQ(named.code, 2);
    EXPECT_EQ(named.err.find(evil), std::string::npos) << named.err;
  }
}

TEST(Faults, StepsTooShortForTheEndAreRefused) {
  for (const char* step : {"1e-300", "1e-17"}) {
    Process process({"run", "-", "--tolerance", "1e-6", "--max-step", step}, oscillator);
    process.limit_cpu(20);
    const Outcome outcome = process.wait(100);
    EXPECT_EQ(outcome.code, 2) << step;
    EXPECT_NE(outcome.err.find("--max-step"), std::string::npos) << outcome.err;
  }
}

TEST(Faults, ManyComponentsAreReadInTimeThatGrowsWithTheirNumber) {
  Process process({"check", "-", "--set", "N=20000"},
                  "parameter N = 10\ncomponent m = \"components/mass.alm\" for i = 1..N\n"
                  "input m[i].F = -m[i].v for i = 1..N\n");
  process.limit_cpu(15);  // 22 s where every input looked at all others
  const Outcome outcome = process.wait(200);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("40000 states, 20000 inputs"), std::string::npos) << outcome.out;
}

// Limits --------------------------------------------------------------------------------------------------------------

TEST(Limits, TheStartIsATime) {
  const Folder folder;
  const std::string out = folder / "a.csv";
  const char drive[] = "coordinate x\nkinetic x'^2/2\nforce x = cos(t)\nsolve gauss(3) step 0.05 end 2\n";
  ASSERT_EQ(program({"run", "-", "--start", "1", "--out", out}, drive).code, 0);
  const Trajectory read = read_trajectory(out);
  EXPECT_EQ(read.t().front(), 1);
  EXPECT_EQ(read.t().back(), 2);
  // x'' = cos t, x(1) = x'(1) = 0.
  EXPECT_NEAR(read.values[1].back(), -std::cos(2.0) + std::cos(1.0) - std::sin(1.0), 1e-9);
  EXPECT_EQ(program({"run", "-", "--start", "3", "--out", out}, drive).code, 2) << "behind the end";
  // At 1e17 double numbers lie 16 apart: t + h is t.
  const Outcome late = program({"run", "-", "--start", "1e17", "--end", "100000000000000100"}, drive);
  EXPECT_EQ(late.code, 2);
  EXPECT_NE(late.err.find("too small for times about 1e17"), std::string::npos) << late.err;
}

TEST(Limits, TimeMemoryAndStepsEndARun) {
  const Folder folder;
  const std::string out = folder / "a.csv";
  const Outcome late = program({"run", "-", "--end", "1e7", "--time-limit", "0.5", "--out", out}, oscillator);
  EXPECT_EQ(late.code, 1);
  EXPECT_NE(late.err.find("the time limit of 0.5 s was reached at t = "), std::string::npos) << late.err;
  expect_cosine(read_trajectory(out));
  const Outcome large = program({"run", "-", "--end", "1e7", "--memory-limit", "20M", "--out", out}, oscillator);
  EXPECT_EQ(large.code, 1);
  EXPECT_NE(large.err.find("the memory limit of 20 MB was reached"), std::string::npos) << large.err;
  for (const auto& [limit, value] : {std::pair("--memory-limit", "1"), std::pair("--time-limit", "1e-9")}) {
    const Outcome at_once = program({"run", "-", "--end", "0.1", limit, value}, oscillator);
    EXPECT_EQ(at_once.code, 1) << "shorter than the program's looks: " << limit;
    EXPECT_NE(at_once.err.find("was reached"), std::string::npos) << at_once.err;
  }
  EXPECT_EQ(program({"run", "-", "--max-steps", "7", "--out", out}, oscillator).code, 1);
  EXPECT_EQ(rows_in(out), 8);
  EXPECT_EQ(program({"run", "-", "--end", "1", "--memory-limit", "2GB"}, oscillator).code, 0);
  for (const char* wrong : {"0", "-1", "much"}) {
    EXPECT_EQ(program({"run", "-", "--time-limit", wrong}, oscillator).code, 2);
    EXPECT_EQ(program({"run", "-", "--memory-limit", wrong}, oscillator).code, 2);
  }
}

}  // namespace
}  // namespace alembert::internal::apps_test
