// Studies on the command line: draws, tables, maps, what is refused, and what a kill leaves.

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using StudyJson = nlohmann::ordered_json;

std::vector<std::string> study_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> plus(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(StudyCommand, DrawsRangesAndStatistics) {
  const Folder folder;
  const Outcome outcome = program(
      {"sweep",  "-",     "--vary",   "k=1:4:3", "--draw", "x'=normal(0, 0.1)", "--members",    "50",
       "--seed", "3",     "--report", "q.x",     "--out",  folder / "a.csv",    "--statistics", folder / "s.json",
       "--keep", "2,150", "--every",  "10"},
      oscillator);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = study_lines(file_text(folder / "a.csv"));
  ASSERT_EQ(lines.size(), 151U);
  EXPECT_EQ(lines[0], "k,x',q.x,failure,warnings");
  double k = 0, v = 0, x = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(std::sscanf(lines[i].c_str(), "%lf,%lf,%lf", &k, &v, &x), 3) << lines[i];
    const double w = std::sqrt(k);
    EXPECT_NEAR(x, std::cos(2 * w) + v / w * std::sin(2 * w), 1e-7);
  }
  const StudyJson statistics = StudyJson::parse(file_text(folder / "s.json"));
  EXPECT_EQ(statistics["done"], 150);
  EXPECT_EQ(statistics["statistics"]["q.x"]["count"], 150);
  EXPECT_EQ(study_lines(file_text(folder / "a.2.csv")).size(), 6U) << "rows 0, 10, 20, 30, 40 and a head";
  EXPECT_TRUE(std::filesystem::exists(folder / "a.150.csv"));
  EXPECT_NE(outcome.out.find("deviation"), std::string::npos) << outcome.out;
  // The same members in any number, and another seed.
  const auto second_line = [&](const char* members, const char* seed) {
    program(
        {"sweep", "-", "--draw", "x'=normal(0, 0.1)", "--members", members, "--seed", seed, "--out", folder / "b.csv"},
        oscillator);
    return study_lines(file_text(folder / "b.csv")).at(1);
  };
  EXPECT_EQ(second_line("3", "3"), second_line("40", "3"));
  EXPECT_NE(second_line("3", "3"), second_line("3", "4"));
}

TEST(StudyCommand, MapsAsPictures) {
  const Folder folder;
  const Outcome outcome = program({"sweep", "-", "--vary", "k=1:4:5", "--vary", "x=1:2:4", "--map", "k, x -> q.x",
                                   "--plot", folder / "a.svg", "--plot", folder / "a.png", "--plot", folder / "a.html"},
                                  oscillator);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string png = file_text(folder / "a.png");
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(png[19], 5);  // width and height
  EXPECT_EQ(png[23], 4);
  EXPECT_NE(file_text(folder / "a.svg").find("<image"), std::string::npos);
  EXPECT_NE(file_text(folder / "a.html").find("<svg"), std::string::npos);
}

struct WrongStudy {
  std::vector<std::string> arguments;
  std::vector<std::string> said;
};

TEST(StudyCommand, SaysAllThatIsWrongAtOnce) {
  const Folder folder;
  for (const WrongStudy& wrong : {
           WrongStudy{{"--vary", "k=1:2", "--vary", "x=a:2:3", "--draw", "y=norml(1, 2)", "--seed", "x", "--sampling",
                       "sobel", "--map", "a", "--threads", "0"},
                      {"three parts", "'a' is not a number", "'normal'", "--members", "--seed", "'sobol'", "--map",
                       "--threads"}},
           WrongStudy{{"--members", "5", "--vary", "k=1,2"}, {"--members goes with --draw"}},
           WrongStudy{{"--draw", "x=normal(0, 1)", "--members", "0"}, {"--members"}},
           WrongStudy{{"--draw", "z=normal(0, 1)", "--draw", "x=normal(0, 1)", "--vary", "x=1,2", "--members", "2"},
                      {"unknown name 'z'", "--vary and --draw both give 'x'"}},
           WrongStudy{{"--vary", "k=1,2", "--plot", folder / "a.svg"}, {"--map"}},
           WrongStudy{{"--vary", "k=1,2", "--vary", "x=1,2", "--map", "k, y -> q.x", "--plot", folder / "a.gif"},
                      {"'y' is no axis", ".svg, .png and .html"}},
           WrongStudy{{"--vary", "k=1,2", "--vary", "x=1,2", "--map", "k, x -> q.z", "--plot", folder / "a.svg"},
                      {"no 'q.z'"}},
           WrongStudy{{"--vary", "k=1,2", "--resume"}, {"--resume goes with --out"}},
           WrongStudy{{"--vary", "k=1,2", "--keep", "1"}, {"--keep goes with --out"}},
           WrongStudy{{"--vary", "k=1,2", "--out", folder / "a.csv", "--keep", "3"}, {"no member 3"}},
           WrongStudy{{"--vary", "k=1,2", "--report", "events.flip.t"}, {"events.flip.t"}},
           WrongStudy{{"--vary", "k=1,2", "--report", "q.x,q"}, {"twice"}},
       }) {
    const Outcome outcome = program(plus({"sweep", "-"}, wrong.arguments), oscillator);
    EXPECT_EQ(outcome.code, 2) << wrong.said[0];
    for (const std::string& said : wrong.said)
      EXPECT_NE(outcome.err.find(said), std::string::npos) << said << "\n" << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "a.csv")) << "nothing is left behind";
  }
  const Outcome nowhere = program({"sweep", "-", "--vary", "k=1,2", "--out", folder / "no/a.csv"}, oscillator);
  EXPECT_EQ(nowhere.code, 1) << "a file that cannot be written, as with run";
  EXPECT_NE(nowhere.err.find("no folder"), std::string::npos) << nowhere.err;
  std::vector<std::string> axes{"sweep", "-"};
  std::string model = "coordinate x\nsolve gauss(2) step 0.1 end 1\nkinetic x'^2/2*a*b*c*d*e*f*g*h\n";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    axes.insert(axes.end(), {"--vary", std::string(name) + "=1:2:256"});
    model += std::string("parameter ") + name + " = 1\n";
  }
  const Outcome many = program(axes, model);
  EXPECT_EQ(many.code, 2) << "2^64 members are not none";
  EXPECT_NE(many.err.find("more than can be counted"), std::string::npos) << many.err;
}

/// A study that takes a while: each member some milliseconds.
std::vector<std::string> long_study(const Folder& folder, const std::string& out) {
  return {"sweep",     source_folder() + "/models/double_pendulum_flip.alm",
          "--vary",    "a0=-3:3:12",
          "--vary",    "b0=-3:3:25",
          "--end",     "6",
          "--report",  "events.flip.t,energy.max_error",
          "--quiet",   "--out",
          folder / out};
}

/// Waits until finished members are on disk.
bool journal_grows(const std::string& path) {
  for (int i = 0; i < 1200; ++i) {
    std::error_code none;
    if (std::filesystem::file_size(path, none) > 12000 && !none) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(StudyCommand, AMethodThatTakesTheModelWithNoValuesIsRefused) {
  const std::string model = source_folder() + "/models/ph_pendulum.alm";
  const Outcome refused =
      program({"sweep", model, "--vary", "m=1,2", "--end", "1", "-m", "composed(gauss_collocation(2), gauss(2))"});
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_NE(refused.err.find("cannot integrate this model: does not know the port-Hamiltonian form"), std::string::npos)
      << refused.err;
  // Without a mass this method has no accelerations; with one it has.
  const char* const massless = "parameter m = 0\ncoordinate x\nkinetic m/2*x'^2\npotential x^2/2\ninitial x = 1\n";
  const std::vector<std::string> words = {"sweep", "-", "-m", "gauss(2)", "--step", "0.1", "--end", "1"};
  EXPECT_EQ(program(plus(words, {"--vary", "m=0,1"}), massless).code, 1);
  EXPECT_EQ(program(plus(words, {"--vary", "m=1,2"}), massless).code, 0);
}

TEST(StudyCommand, AKillCostsUnfinishedMembersOnly) {
  const Folder folder;
  ASSERT_EQ(program(long_study(folder, "whole.csv")).code, 0);
  {
    Process process(long_study(folder, "part.csv"), "");
    ASSERT_TRUE(journal_grows(folder / "part.csv.journal"));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  }
  const std::size_t before = study_lines(file_text(folder / "part.csv")).size();
  EXPECT_LT(before, 301U);
  const Outcome resumed = program(plus(long_study(folder, "part.csv"), {"--resume"}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(file_text(folder / "part.csv"), file_text(folder / "whole.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "part.csv.journal"));
}

TEST(StudyCommand, AnInterruptLeavesWhatIsDone) {
  const Folder folder;
  Process process(long_study(folder, "part.h5"), "");
  ASSERT_TRUE(journal_grows(folder / "part.h5.journal"));
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("--resume"), std::string::npos) << outcome.err;
  EXPECT_EQ(program(plus(long_study(folder, "part.h5"), {"--resume"})).code, 0);
  ASSERT_EQ(program(long_study(folder, "whole.h5")).code, 0);
  EXPECT_TRUE(file_text(folder / "part.h5") == file_text(folder / "whole.h5"));
}

/// Runs a command of the shell; its exit code.
int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// A study as a line for the shell, on two processes that mpirun starts or in one.
std::string study_line(const Folder& folder, const std::string& out, bool two, const std::string& more = "") {
  std::string text =
      two ? "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe -n 2 " : "";
  text += program_path();
  for (const std::string& word : long_study(folder, out)) text += " '" + word + "'";
  return text + " " + more + " > " + folder / "log" + " 2>&1";
}

bool has_open_mpi() { return shell("command -v mpirun.openmpi > /dev/null") == 0; }

TEST(StudyCommand, OnTwoNodesGivesTheSameBytes) {
  if (!has_open_mpi()) GTEST_SKIP() << "Open MPI is not installed";
  const Folder folder;
  for (const std::string ending : {".csv", ".h5"}) {
    ASSERT_EQ(program(long_study(folder, "one" + ending)).code, 0);
    ASSERT_EQ(shell(study_line(folder, "two" + ending, true)), 0) << file_text(folder / "log");
    EXPECT_TRUE(file_text(folder / "one" + ending) == file_text(folder / "two" + ending)) << ending;
  }
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 " + study_line(folder, "three.csv", false)), 0) << "one process needs no MPI";
  // Several processes without messages would each make the whole study: that is refused.
  EXPECT_EQ(shell("PMI_SIZE=2 " + study_line(folder, "four.csv", false)), 2);
}

/// The process of this study that mpirun gave the rank 1; 0 where there is none.
int second_process(const std::string& out) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream environment(entry.path() / "environ"), words(entry.path() / "cmdline");
    const std::string known{std::istreambuf_iterator<char>(environment), {}};
    const std::string line{std::istreambuf_iterator<char>(words), {}};
    if (line.find(out) != std::string::npos && known.find("OMPI_COMM_WORLD_RANK=1") != std::string::npos)
      return std::stoi(name);
  }
  return 0;
}

TEST(StudyCommand, ANodeThatDiesCostsItsUnfinishedMembersOnly) {
  if (!has_open_mpi()) GTEST_SKIP() << "Open MPI is not installed";
  const Folder folder;
  const std::string out = folder / "part.csv";
  ASSERT_EQ(program(long_study(folder, "whole.csv")).code, 0);
  ASSERT_EQ(shell("(" + study_line(folder, "part.csv", true) + "; echo $? > " + folder / "code" + ") &"), 0);
  ASSERT_TRUE(journal_grows(out + ".journal")) << file_text(folder / "log");
  const int second = second_process(out);
  ASSERT_GT(second, 0);
  ::kill(second, SIGKILL);
  for (int i = 0; i < 2000 && !std::filesystem::exists(folder / "code"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(std::filesystem::exists(folder / "code"));
  ASSERT_TRUE(std::filesystem::exists(out + ".journal")) << "it was killed too late to see anything";
  EXPECT_EQ(shell(study_line(folder, "part.csv", true, "--resume")), 0) << file_text(folder / "log");
  EXPECT_TRUE(file_text(out) == file_text(folder / "whole.csv")) << "nothing lost, nothing double";
}

}  // namespace
}  // namespace alembert::internal::apps_test
