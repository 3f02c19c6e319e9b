// Runs that are cut off and taken up again: the same bits as if nothing had happened.

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "alembert/trajectory.h"
#include "program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

struct CutRun {
  std::string name, model, options;
  int every = 40, most = 137;  // steps between checkpoints, and up to where the first run comes
};
void PrintTo(const CutRun& run, std::ostream* out) { *out << run.name; }

std::vector<std::string> command_of(const CutRun& run, const Folder& folder, const std::string& name) {
  std::vector<std::string> list = {"run", run.model.ends_with(".alm") ? source_folder() + "/models/" + run.model : "-"};
  for (const std::string& word : words(run.options)) list.push_back(word);
  for (const char* ending : {".csv", ".json", ".h5"}) {
    list.push_back("--out");
    list.push_back(folder / (name + ending));
  }
  return list;
}

std::string input_of(const CutRun& run) { return run.model.ends_with(".alm") ? "" : run.model; }

/// The same bits, NaN and the sign of 0 too.
void expect_same_bits(const Trajectory& a, const Trajectory& b) {
  ASSERT_EQ(a.columns.names, b.columns.names);
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.values.size(); ++i)
    ASSERT_EQ(std::memcmp(a.values[i].data(), b.values[i].data(), a.rows() * sizeof(double)), 0) << a.columns.names[i];
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].event, b.events[i].event);
    EXPECT_EQ(a.events[i].values, b.events[i].values);
  }
}

std::string without_times(const std::string& report) {
  std::string text;
  std::size_t from = 0;
  while (from < report.size()) {
    const std::size_t end = std::min(report.find('\n', from), report.size());
    const std::string line = report.substr(from, end - from);
    if (line.find(" time ") == std::string::npos && line.find("  time") == std::string::npos &&
        line.find("written") == std::string::npos && line.find(" s") == std::string::npos)
      text += line + "\n";
    from = end + 1;
  }
  return text;
}

class Resumed : public testing::TestWithParam<CutRun> {};

TEST_P(Resumed, GoesOnWithTheSameBits) {
  const CutRun& run = GetParam();
  const Folder folder;
  const std::string saved = folder / "saved";
  const Outcome whole = program(command_of(run, folder, "whole"), input_of(run));
  ASSERT_EQ(whole.code, 0) << whole.err;
  std::vector<std::string> first = command_of(run, folder, "part");
  for (const std::string& word : {std::string("--checkpoint"), saved, std::string("--checkpoint-every"),
                                  std::to_string(run.every), std::string("--max-steps"), std::to_string(run.most)})
    first.push_back(word);
  ASSERT_EQ(program(first, input_of(run)).code, 1) << "it is cut off";
  std::vector<std::string> second = command_of(run, folder, "part");
  second.insert(second.end(), {"--resume", saved});
  const Outcome resumed = program(second, input_of(run));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(file_text(folder / "whole.csv"), file_text(folder / "part.csv"));
  EXPECT_EQ(file_text(folder / "whole.json"), file_text(folder / "part.json"));
  if (std::filesystem::exists(folder / "whole.events.csv")) {
    EXPECT_EQ(file_text(folder / "whole.events.csv"), file_text(folder / "part.events.csv"));
  }
  expect_same_bits(read_trajectory(folder / "whole.h5"), read_trajectory(folder / "part.h5"));
  EXPECT_EQ(without_times(whole.out), without_times(resumed.out));
}

const char ball[] =
    "model \"Ball\"\ncoordinate y\nparameter e = 0.8\nkinetic y'^2/2\npotential 10*y\ninitial y = 5\n"
    "event ground: y = 0 falling\nwhen ground: y' = -e*y'\nevent up: y = 1\nsolve lobatto(2) step 0.01 end 5\n";
const char kinked[] =
    "model \"Kinked\"\ncoordinate x\nkinetic x'^2/2\npotential abs(x) + x^2/8\ninitial x = 1\n"
    "observe speed: x'\nsolve gauss(2) step 0.02 end 8\n";

const char stiffening[] =
    "parameter k = 1\ncoordinate x = 1\nkinetic x'^2/2\npotential k*x^2/2\nevent z: x = 0 rising\n"
    "when z: k = k*1.1\nsolve gauss(2) step 0.01 end 30\n";

const char rubbing[] =
    "model \"Block on a belt\"\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y + 5*x^2\n"
    "contact ground: y >= 0 friction 0.3 along x' - 0.5\ninitial y = 0.2\nsolve nonsmooth_rattle step 0.01 end 5\n";

// Slip in space that turns, a second ball, resistance to rolling.
const char rolling[] =
    "model \"Billiard\"\nparameter R = 0.03, m = 0.2, J = 2/5*m*R^2\n"
    "body cue mass m inertia (J, J, J) at (0, 0, R) velocity (1, 0.2, 0) spin (0, -20, 0)\n"
    "body red mass m inertia (J, J, J) at (0.3, 0.01, R)\ngravity (0, 0, -9.81)\n"
    "contact cloth1 from cue sphere R to ground plane axis (0, 0, 1) friction 0.2 rolling 0.001\n"
    "contact cloth2 from red sphere R to ground plane axis (0, 0, 1) friction 0.2\n"
    "contact balls from cue sphere R to red sphere R restitution 0.95\nsolve gauss(2) step 0.005 end 1\n";
const char counting[] =
    "model \"Carriage\"\nparameter drive = 2, n = 0\ncoordinate x\nkinetic x'^2/2\nforce x = drive\n"
    "contact right: 1 - x >= 0 restitution 0.5\ncontact left: x + 1 >= 0 restitution 0.5\n"
    "when right: drive = -2, n = n + 1\nwhen left: drive = 2\nobserve n: n\nstop after 4 left\n"
    "solve gauss(3) step 0.02 end 100\n";

INSTANTIATE_TEST_SUITE_P(
    Runs, Resumed,
    testing::Values(CutRun{"lobatto", "double_pendulum.alm", "--method lobatto(3) --step 0.01 --end 4"},
                    CutRun{"every", "double_pendulum.alm", "--method rattle --step 0.01 --end 4 --every 7"},
                    CutRun{"sample", "pendulum.alm", "--method gauss(2) --step 0.01 --end 4 --sample 0.013"},
                    CutRun{"composition", "double_pendulum.alm", "--method suzuki(lobatto(2)) --step 0.01 --end 4"},
                    CutRun{"adjoint", "pendulum.alm", "--method symmetric(true_euler(0.5)) --step 0.01 --end 4"},
                    CutRun{"tolerance", "double_pendulum.alm", "--tolerance 1e-8 --end 10", 20, 60},
                    CutRun{"tolerance_lobatto", "heavy_top.alm", "--method lobatto(3) --tolerance 1e-9 --end 3", 20,
                           60},
                    CutRun{"reversible", "kepler.alm", "--method lobatto(2) --control reversible --step 0.01 --end 8"},
                    CutRun{"top", "heavy_top.alm", "--method energy_momentum --step 0.001 --end 0.4"},
                    CutRun{"ports", "ph_motor_pendulum.alm", "--step 0.01 --end 4"},
                    CutRun{"nonholonomic", "snakeboard.alm", "--method gauss(2) --step 0.01 --end 4"},
                    CutRun{"friction", "double_pendulum_viscous.alm", "--step 0.01 --end 4"},
                    CutRun{"events", ball, ""}, CutRun{"events_tolerance", ball, "--tolerance 1e-6", 5, 12},
                    CutRun{"resets_tolerance", stiffening, "--tolerance 1e-7", 40, 100},
                    CutRun{"contacts", "bouncing_ball.alm", "--method moreau --step 0.02"},
                    CutRun{"rubbing", rubbing, ""}, CutRun{"bounces", "bouncing_ball.alm", "--step 0.02"},
                    CutRun{"bounces_on_samples", "bouncing_ball.alm", "--step 0.02 --sample 0.013"},
                    CutRun{"belt", rubbing, "--method gauss(3)"},
                    CutRun{"belt_tolerance", rubbing, "--method gauss(3) --tolerance 1e-6", 5, 40},
                    CutRun{"rolls", rolling, "--step 0.002"}, CutRun{"rocks", "rocking_block.alm", "--end 3"},
                    CutRun{"counts", counting, ""}, CutRun{"kinks", kinked, ""},
                    CutRun{"kinks_tolerance", kinked, "--tolerance 1e-8", 5, 17}),
    [](const auto& info) { return info.param.name; });

/// The time of checkpoints that come faster than they are wanted is their own.
TEST(Checkpoint, KillsAreSurvived) {
  const CutRun run{"", "double_pendulum.alm", "--method lobatto(3) --step 0.002 --end 120"};
  const Folder folder;
  ASSERT_EQ(program(command_of(run, folder, "whole"), "").code, 0);
  const std::string saved = folder / "saved";
  std::mt19937 random(1);
  int killed = 0;
  Outcome last;
  for (int i = 0; i < 30; ++i) {
    std::vector<std::string> list = command_of(run, folder, "part");
    list.insert(list.end(), {"--checkpoint", saved, "--checkpoint-every", "500"});
    if (std::filesystem::exists(saved)) list.insert(list.end(), {"--resume", saved});
    Process process(list, "");
    if (killed < 5) {
      while (!std::filesystem::exists(saved)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
      process.signal(SIGKILL);
    }
    last = process.wait();
    if (last.code == 0) break;
    ASSERT_EQ(last.code, 128 + SIGKILL) << last.err;
    ++killed;
    for (const char* ending : {".csv", ".json", ".h5"}) {
      const Trajectory left = read_trajectory(folder / ("part" + std::string(ending)));
      EXPECT_GT(left.rows(), 0u);
    }
  }
  ASSERT_EQ(last.code, 0);
  EXPECT_GT(killed, 0);
  EXPECT_EQ(file_text(folder / "whole.csv"), file_text(folder / "part.csv"));
  EXPECT_EQ(file_text(folder / "whole.json"), file_text(folder / "part.json"));
  expect_same_bits(read_trajectory(folder / "whole.h5"), read_trajectory(folder / "part.h5"));
}

TEST(Checkpoint, AnInterruptLeavesOneOfARunWithContacts) {
  const char bounces[] =
      "coordinate x, y = 1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + x^2\n"
      "contact floor: y >= 0 restitution 1\ninitial x' = 1\nsolve gauss(2) step 0.001 end 400\n";
  for (const char* method : {"gauss(2)", "moreau"}) {
    const Folder folder;
    const std::string saved = folder / "saved", out = folder / "a.csv";
    const std::vector<std::string> words = {"run", "-", "--method", method, "--every", "10"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), words.begin(), words.end());
      return more;
    };
    Process process(with({"--out", out, "--checkpoint", saved}), bounces);
    while (!std::filesystem::exists(out) || std::filesystem::file_size(out) < 10000)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    process.signal(SIGTERM);
    ASSERT_EQ(process.wait(60).code, 1);
    ASSERT_TRUE(std::filesystem::exists(saved)) << method;
    ASSERT_EQ(program(with({"--out", out, "--resume", saved}), bounces).code, 0);
    ASSERT_EQ(program(with({"--out", folder / "b.csv"}), bounces).code, 0);
    EXPECT_EQ(file_text(out), file_text(folder / "b.csv")) << method;
  }
}

TEST(Checkpoint, AnInterruptLeavesOne) {
  const Folder folder;
  const std::string saved = folder / "saved", out = folder / "a.csv";
  Process process({"run", "-", "--end", "3000", "--out", out, "--checkpoint", saved}, oscillator);
  while (!std::filesystem::exists(out) || std::filesystem::file_size(out) < 100)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  process.signal(SIGTERM);
  ASSERT_EQ(process.wait(60).code, 1);
  ASSERT_TRUE(std::filesystem::exists(saved));
  ASSERT_EQ(program({"run", "-", "--end", "3000", "--out", out, "--resume", saved}, oscillator).code, 0);
  ASSERT_EQ(program({"run", "-", "--end", "3000", "--out", folder / "b.csv"}, oscillator).code, 0);
  EXPECT_EQ(file_text(out), file_text(folder / "b.csv"));
}

TEST(Checkpoint, WhatDoesNotBelongTogetherIsRefused) {
  const Folder folder;
  const std::string saved = folder / "saved", out = folder / "a.csv";
  ASSERT_EQ(program({"run", "-", "--checkpoint", saved, "--checkpoint-every", "10", "--max-steps", "25", "--out", out},
                    oscillator)
                .code,
            1);
  const std::string bytes = file_text(saved), rows = file_text(out);
  const auto refused = [&](const std::vector<std::string>& more, const std::string& said) {
    std::vector<std::string> list = {"run", "-", "--resume", saved};
    list.insert(list.end(), more.begin(), more.end());
    const Outcome outcome = program(list, oscillator);
    EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  };
  refused({"--set", "k=2"}, "another run");
  refused({"--method", "gauss(3)"}, "another run");
  refused({"--step", "0.04"}, "another run");
  refused({"--end", "3"}, "another run");
  refused({"--plot", folder / "a.svg"}, "--plot");
  folder.write("a.csv", "t,x\n0,1\n");
  refused({"--out", out}, "a.csv");
  folder.write("a.csv", rows);
  for (const std::size_t at : {std::size_t{5}, bytes.size() / 2, bytes.size() - 3}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    folder.write("saved", damaged);
    refused({}, "damaged");
  }
  folder.write("saved", bytes.substr(0, bytes.size() / 2));
  refused({}, "damaged");
}

}  // namespace
}  // namespace alembert::internal::apps_test
